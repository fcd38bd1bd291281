"""Splits published entries into chunks, indexes their words and vectors, and searches them."""
