"""Stored operations as HTTP. Reaches resolvers and content through stored operations alone."""
