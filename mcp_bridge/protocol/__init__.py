"""Messages, versions and transports of MCP."""
