"""The program that alembic runs: the missing versions, on the caller's connection or as text."""

from alembic import context

context.configure(**context.config.attributes["target"])
with context.begin_transaction():
    context.run_migrations()
