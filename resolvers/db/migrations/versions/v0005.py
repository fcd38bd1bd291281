"""What came after 0.2.0. Never change this file: databases in use have run it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables, and let an ended log say why it ended."""
    op.add_column("log", sa.Column("reason", sa.Text))
    _words()
    _usage()


def _words() -> None:
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
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.LargeBinary),
    )
    op.create_table(
        "published_text",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )


def _usage() -> None:
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
