"""The keys of webhooks are made once, for their owner alone, and are the same in every process."""

import stat
from pathlib import Path

import pytest
from sqlalchemy import Text, delete, insert

from resolvers.db import tables
from resolvers.db.database import Database
from resolvers.signing.keys import ProofError
from resolvers.webhooks.keys import ENCRYPTION, SIGNING, export_keys, import_keys, load_keys


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """An empty store."""
    return Database(f"sqlite:///{tmp_path / 'studio.db'}")


def test_they_are_made_once_and_read_by_nobody_else(tmp_path: Path, database: Database) -> None:
    keys = load_keys(tmp_path / "keys", database)
    assert load_keys(tmp_path / "keys", database) == keys
    assert keys.signing.seed != keys.encryption
    assert sorted(file.name for file in (tmp_path / "keys").iterdir()) == [ENCRYPTION, SIGNING]
    for name in (SIGNING, ENCRYPTION):
        assert stat.S_IMODE((tmp_path / "keys" / name).stat().st_mode) == 0o600


def test_another_machine_takes_them_in_and_has_the_same(tmp_path: Path, database: Database) -> None:
    keys = load_keys(tmp_path / "keys", database)
    given = export_keys(tmp_path / "keys")
    assert import_keys(tmp_path / "other", given) == [SIGNING, ENCRYPTION]
    assert import_keys(tmp_path / "other", given) == []
    assert load_keys(tmp_path / "other", database) == keys


def subscribe(database: Database) -> None:
    """Store a subscription, of which nothing but the row matters here."""
    text = {"url": "https://a.example", "owner": "a.example", "kinds": "", "secret": b"x"}
    with database.transaction() as rows:
        columns = tables.subscription.columns
        row = {c.name: text.get(c.name, "s" if isinstance(c.type, Text) else 0) for c in columns}
        rows.execute(insert(tables.subscription), row)


@pytest.mark.parametrize("name", [SIGNING, ENCRYPTION])
def test_a_lost_key_that_nobody_is_subscribed_with_is_made_again(
    tmp_path: Path, database: Database, name: str
) -> None:
    first = load_keys(tmp_path / "keys", database)
    (tmp_path / "keys" / name).unlink()
    second = load_keys(tmp_path / "keys", database)
    assert second != first
    assert load_keys(tmp_path / "keys", database) == second
    (tmp_path / "keys" / name).unlink()
    subscribe(database)
    with pytest.raises(ProofError, match="is missing"):
        load_keys(tmp_path / "keys", database)
    with database.transaction() as rows:
        rows.execute(delete(tables.subscription))
    assert load_keys(tmp_path / "keys", database) != second


@pytest.mark.parametrize("name", [SIGNING, ENCRYPTION])
def test_keys_that_are_lost_or_others_are_refused_with_the_fix(
    tmp_path: Path, database: Database, name: str
) -> None:
    load_keys(tmp_path / "keys", database)
    subscribe(database)
    file = tmp_path / "keys" / name
    kept = file.read_text()
    file.unlink()
    lost = (
        r"is missing, and 1 subscriptions .*Fix: .*keys import.* `studiograph subscribers remove`"
    )
    with pytest.raises(ProofError, match=lost):
        load_keys(tmp_path / "keys", database)
    load_keys(tmp_path / "other", Database(f"sqlite:///{tmp_path / 'other.db'}"))
    import_keys(tmp_path / "keys", {name: (tmp_path / "other" / name).read_text().strip()})
    with pytest.raises(ProofError, match=r"is not the key.*Fix: .*keys export"):
        load_keys(tmp_path / "keys", database)
    with pytest.raises(ProofError, match="holds a different key"):
        import_keys(tmp_path / "keys", {name: kept.strip()})


@pytest.mark.parametrize("name", [SIGNING, ENCRYPTION])
def test_other_keys_are_taken_where_nothing_was_stored_with_the_first(
    tmp_path: Path, database: Database, name: str
) -> None:
    load_keys(tmp_path / "keys", database)
    load_keys(tmp_path / "other", Database(f"sqlite:///{tmp_path / 'other.db'}"))
    other = (tmp_path / "other" / name).read_text()
    with pytest.raises(ProofError, match="Fix: remove it, unless subscriptions were stored"):
        import_keys(tmp_path / "keys", {name: other.strip()})
    (tmp_path / "keys" / name).unlink()
    import_keys(tmp_path / "keys", {name: other.strip()})
    for _ in range(2):
        load_keys(tmp_path / "keys", database)
    assert (tmp_path / "keys" / name).read_text() == other


def test_keys_that_others_can_read_or_that_are_none_are_refused(
    tmp_path: Path, database: Database
) -> None:
    folder = tmp_path / "keys"
    load_keys(folder, database)
    (folder / SIGNING).chmod(0o644)
    with pytest.raises(ProofError, match="Fix: chmod 600"):
        load_keys(folder, database)
    for name in (SIGNING, ENCRYPTION):
        broken = tmp_path / f"broken {name}"
        broken.mkdir(mode=0o700)
        (broken / name).touch(mode=0o600)
        (broken / name).write_text("whsk_nothing")
        with pytest.raises(ProofError, match="does not contain a valid key"):
            load_keys(broken, Database(f"sqlite:///{broken / 'studio.db'}"))
