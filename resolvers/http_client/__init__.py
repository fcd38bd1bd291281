"""Outgoing HTTP to public hosts alone: URLs, addresses and connections are checked."""
