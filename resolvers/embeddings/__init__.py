"""Texts as vectors: the embedded model, remote ones, and caches of what was embedded."""
