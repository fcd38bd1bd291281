"""Answers questions about facts: each by a stored operation and one field of it."""
