"""Where the state database of these settings is. Opens nothing."""

from resolvers.db.database import Database
from studiograph.settings import Settings


def database_of(settings: Settings) -> Database:
    """The database that is set, or the file in the data folder. Raises: StateFault."""
    file = (settings.data / "studio.db").absolute()
    return Database(settings.database_url or f"sqlite:///{file}")
