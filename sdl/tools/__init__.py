"""Helpers that know nothing of GraphQL."""
