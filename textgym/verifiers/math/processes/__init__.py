"""Worker processes that evaluate formulas under limits of time and memory."""
