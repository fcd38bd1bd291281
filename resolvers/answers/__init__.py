"""Answers from what is published: every line that can be said, ranked, and checked before `yes`."""
