"""Concurrency: calls that may block or wait, a background event loop, retries with back-off."""
