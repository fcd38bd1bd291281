"""The state database, SQLite or PostgreSQL: connections, tables and migrations."""
