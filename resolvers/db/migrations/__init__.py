"""The steps between published versions of the tables, run by alembic."""
