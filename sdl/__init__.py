"""Stored GraphQL operations: directives, types, compilation, shapes and execution; here errors, callers, words."""
