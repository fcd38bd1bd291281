"""The tables of the state database, and what their columns mean."""

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, MetaData, String, Table, Text

VERSION = "0005"
"""The version of these tables."""

metadata = MetaData()

alembic_version = Table(
    "alembic_version", metadata, Column("version_num", String(32), primary_key=True)
)
"""The version of these tables, as alembic keeps it."""

key = Table(
    "key",
    metadata,
    Column("kid", Text, primary_key=True),
    Column("x", LargeBinary, nullable=False),
)
"""Every public key that was ever published."""

revoked = Table("revoked", metadata, Column("kid", Text, primary_key=True))
"""The keys that were ever revoked."""

signing = Table(
    "signing",
    metadata,
    Column("payload", Text, primary_key=True),
    Column("kid", Text, primary_key=True),
    Column("signed_at", Text, nullable=False),
)
"""When each payload was first signed with a key."""

log = Table(
    "log",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("origin", Text, nullable=False, unique=True),
    Column("tree_size", Integer),
    Column("rollup_hash", Text),
    Column("checkpoint", Text),
    Column("ended_at", Text),
    Column("reason", Text),
)
"""The logs of changes: the last is the current one, each other has the head it ended with."""

entry = Table(
    "entry",
    metadata,
    Column("log", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    Column("leaf", LargeBinary, nullable=False),
)
"""The entries of each log, in their order."""

words = Table(
    "words",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("origin", Text, nullable=False),
    Column("leaf", Text, nullable=False),
    Column("leaf_hash", LargeBinary, nullable=False),
)
"""The log of words: a leaf for each published revision."""

statement = Table(
    "statement",
    metadata,
    Column("name", Text, primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary),
)
"""From which revision on a statement was said so; without a hash it was said no longer."""

published_text = Table(
    "published_text",
    metadata,
    Column("name", Text, primary_key=True),
    Column("text", Text, nullable=False),
)
"""The words of what is published, so that a diff can say the earlier ones."""

rate_limit = Table(
    "rate_limit",
    metadata,
    Column("key", Text, primary_key=True),
    Column("hits", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
)
"""Counted calls, by caller and budget, and when their window ends.

Units: seconds of the machine's monotonic clock in SQLite, of the server's clock in PostgreSQL.
"""

idempotency = Table(
    "idempotency",
    metadata,
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),
    Column("response", Text),
    Column("claimed_at", Double, nullable=False),
)
"""Calls with an Idempotency-Key, by a hash of it, and their responses."""

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
"""Accepted mails."""

answered = Table(
    "answered",
    metadata,
    Column("sender", Text, primary_key=True),
    Column("domain", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("answered_domain", "domain"),
    Index("answered_at", "at"),
)
"""Senders that got an automatic answer, by an HMAC of their address."""

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
"""Webhook subscriptions. `secret` is encrypted; `cursor` is the time of the newest entry that was
queued for delivery; `kinds` are separated by commas, and an empty list means all."""

challenge = Table(
    "challenge",
    metadata,
    Column("host", Text, primary_key=True),
    Column("ends_at", Double, nullable=False),
)
"""Hosts whose endpoint is being verified, so that each is asked by one process at a time."""

webhook_key = Table(
    "webhook_key",
    metadata,
    Column("name", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
)
"""Digests of the webhook keys, so that all processes on this database use the same keys."""

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
"""Changelog entries to deliver: the exact body, and how many deliveries are queued and done."""

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
"""Delivery attempts, kept for thirty days for the owner to look at."""

request_count = Table(
    "request_count",
    metadata,
    Column("day", Text, primary_key=True),
    Column("operation", Text, primary_key=True),
    Column("agent", Text, primary_key=True),
    Column("status", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
)
"""How many requests there were of each kind, kept for ninety days."""

missing_path = Table(
    "missing_path",
    metadata,
    Column("day", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("number", Integer, nullable=False),
)
"""Paths that were asked for and are not there, kept for thirty days."""

asked_question = Table(
    "asked_question",
    metadata,
    Column("day", Text, primary_key=True),
    Column("text", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("channel", Text, primary_key=True),
    Column("answered", Integer, primary_key=True, autoincrement=False),
    Column("caller", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
)
"""Redacted questions, kept for thirty days where the owner wants them."""
