"""The schema migrations, one file for each version, run by alembic."""
