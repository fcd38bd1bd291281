"""The words log, and why a log ended. Never change this file: databases in use have run it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables, and let an ended log say why it ended."""
    op.add_column("log", sa.Column("reason", sa.Text))
    op.create_table(
        "words",
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("leaf", sa.Text, nullable=False),
        sa.Column("leaf_hash", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "statement",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary),
    )
