"""Durable jobs: queued, run with retries, and recovered after a crash."""
