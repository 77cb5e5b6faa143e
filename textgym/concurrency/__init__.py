"""Waiting for what may block: a thread pool, a background event loop, back-off between retries."""
