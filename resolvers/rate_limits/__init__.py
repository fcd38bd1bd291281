"""Limits of calls: who has how many left, counted in a shared store."""
