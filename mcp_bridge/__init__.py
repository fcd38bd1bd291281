"""Stored operations as MCP tools. Reaches resolvers and content through stored operations alone."""
