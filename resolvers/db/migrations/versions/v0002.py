"""The tables of webhooks. Never change this file: it has been run on databases in use."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    _subscriptions()
    _deliveries()


def _subscriptions() -> None:
    op.create_table(
        "subscription",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("kinds", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("cursor", sa.Text, nullable=False),
        sa.Column("disabled_at", sa.Double),
        sa.Column("disabled_reason", sa.Text),
        sa.Column("first_failure_at", sa.Double),
        sa.Column("last_success_at", sa.Double),
        sa.Column("consecutive_failures", sa.Integer, nullable=False),
    )
    op.create_index("subscription_owner", "subscription", ["owner"])
    op.create_index("subscription_cursor", "subscription", ["cursor"])
    op.create_table(
        "challenge",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("ends_at", sa.Double, nullable=False),
    )
    op.create_table(
        "webhook_key",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
    )


def _deliveries() -> None:
    op.create_table(
        "publication",
        sa.Column("entry", sa.Text, primary_key=True),
        sa.Column("published_at", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.Column("deliveries", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
    )
    op.create_table(
        "delivery_attempt",
        sa.Column("delivery", sa.Text, primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("subscription", sa.Text, nullable=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("ms", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("due_at", sa.Double),
    )
    op.create_index("delivery_attempt_of", "delivery_attempt", ["subscription", "at"])
    op.create_index("delivery_attempt_verdict", "delivery_attempt", ["verdict"])
    op.create_index("delivery_attempt_at", "delivery_attempt", ["at"])
