"""Questions that need no outside knowledge: logic, tables, words and Python snippets."""
