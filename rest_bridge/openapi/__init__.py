"""The OpenAPI description of all endpoints."""
