"""Stored GraphQL operations: types, compilation, execution; here errors, callers, words."""
