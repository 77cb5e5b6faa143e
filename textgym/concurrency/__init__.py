"""Concurrency: calls that may block, a background event loop, retries with back-off."""
