"""Output of the command: tables, progress and paging."""
