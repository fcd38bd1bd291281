"""Connections: the protocol of uvicorn with its limits, and answers that are made ready."""
