"""Tools: of stored operations, and of all reads together."""
