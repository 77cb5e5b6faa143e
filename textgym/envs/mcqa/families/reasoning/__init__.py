"""Questions about what the question itself says: logic, tables, words and Python snippets."""
