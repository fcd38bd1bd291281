"""The tables that requests use, for SQLAlchemy. Imported where one is used: it is heavy."""

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, MetaData, Table, Text

metadata = MetaData()

rate_limit = Table(
    "rate_limit",
    metadata,
    Column("key", Text, primary_key=True),
    Column("hits", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
)
"""Calls in a window, by caller and budget.

Units: seconds of `time.time`.
"""

idempotency = Table(
    "idempotency",
    metadata,
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),
    Column("response", Text),
    Column("claimed_at", Double, nullable=False),
)
"""Calls with an Idempotency-Key, by a hash of it, and how they were answered."""

mail = Table(
    "mail",
    metadata,
    Column("id", Text, primary_key=True),
    Column("identity", Text, nullable=False, unique=True),
    Column("sender", Text, nullable=False),
    Column("recipients", Text, nullable=False),
    Column("data", LargeBinary),
    Column("received_at", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("forwarded_at", Double),
    Column("replied_at", Double),
)
"""Mails that were accepted."""

answered = Table(
    "answered",
    metadata,
    Column("sender", Text, primary_key=True),
    Column("domain", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("answered_domain", "domain"),
    Index("answered_at", "at"),
)
"""Senders that were answered, by an HMAC of their address."""

subscription = Table(
    "subscription",
    metadata,
    Column("id", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("cursor", Text, nullable=False),
    Column("disabled_at", Double),
    Column("disabled_reason", Text),
    Column("first_failure_at", Double),
    Column("last_success_at", Double),
    Column("consecutive_failures", Integer, nullable=False),
    Index("subscription_owner", "owner"),
    Index("subscription_cursor", "cursor"),
)
"""Webhook subscriptions. `secret` is sealed; `cursor` is the instant of the newest entry that was
fanned out to it; `kinds` are divided by commas, and none are all."""

challenge = Table(
    "challenge",
    metadata,
    Column("host", Text, primary_key=True),
    Column("ends_at", Double, nullable=False),
)
"""Hosts that are being asked whether they want what is sent to them."""

webhook_key = Table(
    "webhook_key",
    metadata,
    Column("name", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
)
"""The keys of webhooks, by a digest: every process that shares the database has the same."""

publication = Table(
    "publication",
    metadata,
    Column("entry", Text, primary_key=True),
    Column("published_at", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("deliveries", Integer, nullable=False),
    Column("done", Integer, nullable=False),
)
"""Changelog entries that are delivered, with the very bytes, and how many deliveries there are."""

delivery_attempt = Table(
    "delivery_attempt",
    metadata,
    Column("delivery", Text, primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("subscription", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("status", Integer),
    Column("ms", Integer, nullable=False),
    Column("error", Text),
    Column("verdict", Text, nullable=False),
    Column("due_at", Double),
    Index("delivery_attempt_of", "subscription", "at"),
    Index("delivery_attempt_verdict", "verdict"),
    Index("delivery_attempt_at", "at"),
)
"""Attempts to deliver, kept for thirty days so that the owner can see them."""
