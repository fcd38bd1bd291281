"""Stored operations over MCP: tools, resources and prompts, over HTTP and stdio."""
