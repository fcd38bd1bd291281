"""The state database: a SQLite file or PostgreSQL. Knows nothing of what is kept in it."""
