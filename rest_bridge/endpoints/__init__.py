"""What answers a path: reads, writes, signed forms, event streams, GraphQL and health."""
