"""The shop's own data."""
