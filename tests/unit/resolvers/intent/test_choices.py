"""Which values of a parameter a goal names."""

from resolvers.intent.choices import name_pattern, named_values
from resolvers.intent.operation import Parameter


def test_only_entries_that_can_be_meant_get_a_pattern() -> None:
    names = {f"work-{number}-at-sea": f"Work {number} at sea" for number in range(1_000)}
    name_pattern.cache_clear()
    meant = named_values("read Work 617 at Sea", Parameter("slug", "path", words=names), "")
    assert meant == ["work-617-at-sea"]
    assert name_pattern.cache_info().misses < 20
