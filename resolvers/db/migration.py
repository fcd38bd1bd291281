"""The schema migrations, run by alembic; imported only where tables are of an older version.

Run as a program, it writes the scripts that create all tables of an empty database without alembic,
which is slow to import.
"""

import re
from io import StringIO
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, StaticPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from resolvers.db.stores import KINDS, script_path

_ADDRESSES = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}


def migrate(connection: Any, kind: str) -> None:
    """Run every missing migration on a DB-API connection, all or none of them.

    Raises: the errors of its driver.
    """
    engine = create_engine(_ADDRESSES[kind], creator=lambda: connection, poolclass=StaticPool)
    if kind == "sqlite":

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as sqlalchemy_connection:
            command.upgrade(configuration(connection=sqlalchemy_connection), "head")
    except DBAPIError as error:
        raise error.orig or error from error


def script(kind: str) -> str:
    """Return the statements that create every table, each with a semicolon at its end."""
    output = StringIO()
    config = configuration(dialect_name=kind, dialect_opts={"paramstyle": "named"})
    config.output_buffer = output
    command.upgrade(config, "head", sql=True)
    dropped = r"(?m)^(?:--.*|BEGIN.*|COMMIT.*|\s*)\n|[ ]+$| RETURNING [\w.]+"
    return re.sub(dropped, "", output.getvalue())


def configuration(**target: Any) -> Config:
    """Return the configuration of alembic."""
    config = Config(attributes={"target": target})
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


if __name__ == "__main__":
    for store_kind in KINDS:
        script_path(store_kind).write_text(script(store_kind))
