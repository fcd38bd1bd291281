"""The OpenAPI description, made of the endpoints."""
