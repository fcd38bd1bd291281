"""Endpoints: reads, writes, signed forms, event streams, GraphQL and health."""
