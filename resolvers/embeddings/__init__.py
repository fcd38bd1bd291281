"""Embedding models, built in or remote, and caches of their vectors."""
