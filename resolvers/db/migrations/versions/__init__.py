"""The published versions of the tables, each a change of the one before."""
