CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE key (
    kid TEXT NOT NULL,
    x BYTEA NOT NULL,
    PRIMARY KEY (kid)
);
CREATE TABLE revoked (
    kid TEXT NOT NULL,
    PRIMARY KEY (kid)
);
CREATE TABLE signing (
    payload TEXT NOT NULL,
    kid TEXT NOT NULL,
    signed_at TEXT NOT NULL,
    PRIMARY KEY (payload, kid)
);
CREATE TABLE log (
    number INTEGER NOT NULL,
    origin TEXT NOT NULL,
    tree_size INTEGER,
    rollup_hash TEXT,
    checkpoint TEXT,
    ended_at TEXT,
    PRIMARY KEY (number),
    UNIQUE (origin)
);
CREATE TABLE entry (
    log INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    leaf BYTEA NOT NULL,
    PRIMARY KEY (log, place)
);
CREATE TABLE rate_limit (
    key TEXT NOT NULL,
    hits INTEGER NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE idempotency (
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    response TEXT,
    claimed_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE mail (
    id TEXT NOT NULL,
    identity TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipients TEXT NOT NULL,
    data BYTEA,
    received_at DOUBLE PRECISION NOT NULL,
    state TEXT NOT NULL,
    forwarded_at DOUBLE PRECISION,
    replied_at DOUBLE PRECISION,
    PRIMARY KEY (id),
    UNIQUE (identity)
);
CREATE TABLE answered (
    sender TEXT NOT NULL,
    domain TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (sender)
);
CREATE INDEX answered_domain ON answered (domain);
CREATE INDEX answered_at ON answered (at);
INSERT INTO alembic_version (version_num) VALUES ('0001');
CREATE TABLE subscription (
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    owner TEXT NOT NULL,
    kinds TEXT NOT NULL,
    secret BYTEA NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    cursor TEXT NOT NULL,
    disabled_at DOUBLE PRECISION,
    disabled_reason TEXT,
    first_failure_at DOUBLE PRECISION,
    last_success_at DOUBLE PRECISION,
    consecutive_failures INTEGER NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX subscription_owner ON subscription (owner);
CREATE INDEX subscription_cursor ON subscription (cursor);
CREATE TABLE challenge (
    host TEXT NOT NULL,
    ends_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (host)
);
CREATE TABLE webhook_key (
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE publication (
    entry TEXT NOT NULL,
    published_at TEXT NOT NULL,
    body BYTEA NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    deliveries INTEGER NOT NULL,
    done INTEGER NOT NULL,
    PRIMARY KEY (entry)
);
CREATE TABLE delivery_attempt (
    delivery TEXT NOT NULL,
    round INTEGER NOT NULL,
    n INTEGER NOT NULL,
    subscription TEXT NOT NULL,
    entry TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    status INTEGER,
    ms INTEGER NOT NULL,
    error TEXT,
    verdict TEXT NOT NULL,
    due_at DOUBLE PRECISION,
    PRIMARY KEY (delivery, round, n)
);
CREATE INDEX delivery_attempt_of ON delivery_attempt (subscription, at);
CREATE INDEX delivery_attempt_verdict ON delivery_attempt (verdict);
CREATE INDEX delivery_attempt_at ON delivery_attempt (at);
UPDATE alembic_version SET version_num='0002' WHERE alembic_version.version_num = '0001';
ALTER TABLE log ADD COLUMN reason TEXT;
CREATE TABLE words (
    place INTEGER NOT NULL,
    origin TEXT NOT NULL,
    leaf TEXT NOT NULL,
    leaf_hash BYTEA NOT NULL,
    PRIMARY KEY (place)
);
CREATE TABLE statement (
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    hash BYTEA,
    PRIMARY KEY (name, place)
);
UPDATE alembic_version SET version_num='0003' WHERE alembic_version.version_num = '0002';
CREATE TABLE request_count (
    day TEXT NOT NULL,
    operation TEXT NOT NULL,
    agent TEXT NOT NULL,
    status INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (day, operation, agent, status)
);
CREATE TABLE missing_path (
    day TEXT NOT NULL,
    path TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (day, path)
);
CREATE TABLE asked_question (
    day TEXT NOT NULL,
    text TEXT NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    answered INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (day, text, kind, channel, answered, caller)
);
UPDATE alembic_version SET version_num='0004' WHERE alembic_version.version_num = '0003';
CREATE TABLE published_text (
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (name)
);
UPDATE alembic_version SET version_num='0005' WHERE alembic_version.version_num = '0004';
