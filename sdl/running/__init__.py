"""How operations and callers' queries are run, on frozen and on live data."""
