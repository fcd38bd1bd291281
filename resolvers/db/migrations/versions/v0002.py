"""The tables of 0.2.0. A new database begins with those of `resolvers/db/tables.py`."""

revision = "0002"
down_revision = None


def upgrade() -> None:
    """Do nothing: the tables are there."""
