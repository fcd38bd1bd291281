"""Signing keys, canonical JSON and signed envelopes."""
