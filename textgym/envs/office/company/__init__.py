"""Generated companies: their databases, their tools, and drafts of tasks about them."""
