"""GraphQL as text: stored operations, their shapes, how they run. Knows no content, no resolver."""
