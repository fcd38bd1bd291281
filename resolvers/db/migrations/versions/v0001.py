"""The first tables. Never change this file: it has been run on databases in use."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    _signing_keys()
    _transparency_log()
    _limits_and_idempotency()
    _mailbox()


def _signing_keys() -> None:
    op.create_table(
        "key",
        sa.Column("kid", sa.Text, primary_key=True),
        sa.Column("x", sa.LargeBinary, nullable=False),
    )
    op.create_table("revoked", sa.Column("kid", sa.Text, primary_key=True))
    op.create_table(
        "signing",
        sa.Column("payload", sa.Text, primary_key=True),
        sa.Column("kid", sa.Text, primary_key=True),
        sa.Column("signed_at", sa.Text, nullable=False),
    )


def _transparency_log() -> None:
    op.create_table(
        "log",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("origin", sa.Text, nullable=False, unique=True),
        sa.Column("tree_size", sa.Integer),
        sa.Column("rollup_hash", sa.Text),
        sa.Column("checkpoint", sa.Text),
        sa.Column("ended_at", sa.Text),
    )
    op.create_table(
        "entry",
        sa.Column("log", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("leaf", sa.LargeBinary, nullable=False),
    )


def _limits_and_idempotency() -> None:
    op.create_table(
        "rate_limit",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("hits", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.create_table(
        "idempotency",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("response", sa.Text),
        sa.Column("claimed_at", sa.Double, nullable=False),
    )


def _mailbox() -> None:
    op.create_table(
        "mail",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("identity", sa.Text, nullable=False, unique=True),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("recipients", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary),
        sa.Column("received_at", sa.Double, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("forwarded_at", sa.Double),
        sa.Column("replied_at", sa.Double),
    )
    op.create_table(
        "answered",
        sa.Column("sender", sa.Text, primary_key=True),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_index("answered_domain", "answered", ["domain"])
    op.create_index("answered_at", "answered", ["at"])
