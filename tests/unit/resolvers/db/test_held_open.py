"""A database that is held open writes its log into its file once, when it is let go."""

from pathlib import Path

from resolvers.db.database import Database

INSERT = "INSERT INTO rate_limit VALUES (?, 1, 1)"


def test_the_log_is_written_into_the_file_when_it_is_let_go(tmp_path: Path) -> None:
    database, log = Database(f"sqlite:///{tmp_path}/studio.db"), tmp_path / "studio.db-wal"
    database.hold_open()
    database.hold_open()
    for key in "ab":
        with database.transaction() as rows:
            rows.execute(INSERT, (key,))
        assert log.stat().st_size
    database.let_go()
    database.let_go()
    assert not log.exists()
    with database.snapshot() as rows:
        assert [key for (key,) in rows.execute("SELECT key FROM rate_limit")] == ["a", "b"]
