"""The versions of the schema, each a change of the one before."""
