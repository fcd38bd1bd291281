"""How many deliveries of an entry are to be made, and how many are done. Knows no single one."""

from dataclasses import dataclass

from resolvers.webhooks.session import Session


@dataclass(frozen=True)
class Finished:
    """An entry whose last delivery is done."""

    entry: str
    deliveries: int
    delivered: int


async def counted(books: Session, entry: str, more: int, done: int) -> Finished | None:
    """The entry, if with these its deliveries are all done and none is still to come."""
    found = await books.run(
        "UPDATE publication SET deliveries = deliveries + :more, done = done + :done"
        " WHERE entry = :entry RETURNING deliveries, done, published_at",
        entry=entry,
        more=more,
        done=done,
    )
    row = found.mappings().first()
    if row is None or row["deliveries"] != row["done"] or not row["done"]:
        return None
    behind = await books.run(
        "SELECT 1 FROM subscription WHERE cursor < :at AND disabled_at IS NULL LIMIT 1",
        at=row["published_at"],
    )
    if behind.first() is not None:
        return None
    delivered = await books.run(
        "SELECT count(DISTINCT delivery) FROM delivery_attempt"
        " WHERE entry = :entry AND verdict = 'delivered'",
        entry=entry,
    )
    return Finished(entry, row["deliveries"], delivered.scalar_one())
