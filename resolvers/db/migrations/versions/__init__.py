"""The versions of the tables, each made from the one before."""
