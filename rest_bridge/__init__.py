"""Stored operations over HTTP: endpoints, discovery documents, the OpenAPI description."""
