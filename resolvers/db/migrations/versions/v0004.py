"""What callers ask for, counted. Never change this file: databases in use have run it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "request_count",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("operation", sa.Text, primary_key=True),
        sa.Column("agent", sa.Text, primary_key=True),
        sa.Column("status", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.create_table(
        "missing_path",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.create_table(
        "asked_question",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("channel", sa.Text, primary_key=True),
        sa.Column("answered", sa.Integer, primary_key=True),
        sa.Column("caller", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
