"""What alembic runs: the versions that are missing, on a connection that it is given, or as text.

Opens no connection and ends no transaction.
"""

from alembic import context

context.configure(**context.config.attributes["target"])
with context.begin_transaction():
    context.run_migrations()
