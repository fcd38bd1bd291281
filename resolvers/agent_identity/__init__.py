"""Agents that sign their requests: whose key it was, looked up where the agent publishes it."""
