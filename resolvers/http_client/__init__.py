"""Outgoing HTTP to public hosts only: URLs, addresses and connections are checked."""
