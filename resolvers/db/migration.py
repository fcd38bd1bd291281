"""The versions of the tables, run by alembic. Imported only where tables are of an older one.

Run as a program it writes the scripts by which an empty store gets all tables at once, without
alembic, which is heavy.
"""

import re
from io import StringIO
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, StaticPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from resolvers.db.stores import KINDS, load_script

_ADDRESSES = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}


def migrate(connection: Any, kind: str) -> None:
    """Nothing, once a DB-API connection has done every missing version, all or none of them.

    Raises: what its driver raises.
    """
    engine = create_engine(_ADDRESSES[kind], creator=lambda: connection, poolclass=StaticPool)
    if kind == "sqlite":

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as opened:
            command.upgrade(configuration(connection=opened), "head")
    except DBAPIError as error:
        raise error.orig or error from error


def script(kind: str) -> str:
    """The statements that make every table, each with a semicolon at its end."""
    written = StringIO()
    config = configuration(dialect_name=kind, dialect_opts={"paramstyle": "named"})
    config.output_buffer = written
    command.upgrade(config, "head", sql=True)
    dropped = r"(?m)^(?:--.*|BEGIN.*|COMMIT.*|\s*)\n|[ ]+$| RETURNING [\w.]+"
    return re.sub(dropped, "", written.getvalue())


def configuration(**target: Any) -> Config:
    """What alembic is told."""
    config = Config(attributes={"target": target})
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


if __name__ == "__main__":
    for each in KINDS:
        load_script(each).write_text(script(each))
