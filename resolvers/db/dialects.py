"""SQLAlchemy's dialects, loaded whole: who finds half of one, while another thread loads it, fails.

Imported by whoever makes an engine.
"""

import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite.aiosqlite
import sqlalchemy.dialects.sqlite.pysqlite

DIALECTS = (
    sqlalchemy.dialects.postgresql.psycopg.dialect,
    sqlalchemy.dialects.sqlite.aiosqlite.dialect,
    sqlalchemy.dialects.sqlite.pysqlite.dialect,
)
"""Those that studiograph uses."""
