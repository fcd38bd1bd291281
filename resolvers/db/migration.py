"""The steps from the tables of an older version, run by alembic; imported only where they are."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Run every missing step within the transaction of a connection."""
    command.upgrade(configuration(connection), "head")


def configuration(connection: Connection | None = None) -> Config:
    """Return the configuration of alembic."""
    config = Config(attributes={"connection": connection})
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
