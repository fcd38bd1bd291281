"""A cache never holds more than its bytes, and keeps what is asked for again."""

from hypothesis import given
from hypothesis import strategies as st

from sdl.tools.byte_cache import ByteCache

MAX_BYTES = 400
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 150)))


@given(steps=STEPS)
def test_it_counts_what_it_holds_and_holds_no_more_than_it_may(
    steps: list[tuple[bool, int, int]],
) -> None:
    cache: ByteCache[int] = ByteCache(MAX_BYTES)
    for is_new, key, size in steps:
        if is_new:
            cache.add(key, size, size)
        else:
            cache.get(key)
        assert cache.bytes <= MAX_BYTES
    for key in range(10):
        cache.get(key)  # to ask again changes what is on trial, so it is counted after that
    assert cache.bytes == sum(cache.get(key) or 0 for key in range(10))


def test_what_is_asked_for_again_outlives_a_thousand_others() -> None:
    cache: ByteCache[str] = ByteCache(MAX_BYTES)
    cache.add("asked again", "kept", 40)
    cache.add("asked once", "on trial", 40)
    assert cache.get("asked again") == "kept"
    for number in range(1_000):
        cache.add(number, "new", 40)
    assert cache.get("asked again") == "kept"
    assert cache.get("asked once") is None


def test_the_value_that_was_not_asked_for_longest_goes_first() -> None:
    cache: ByteCache[int] = ByteCache(MAX_BYTES)  # 300 of them for values that are kept
    for key in ("a", "b", "c"):
        cache.add(key, 0, 100)
        cache.get(key)
    cache.get("a")
    cache.add("d", 0, 100)
    cache.get("d")
    assert [cache.get(key) is not None for key in "abcd"] == [True, False, True, True]


def test_a_value_larger_than_the_trial_part_is_not_taken() -> None:
    cache: ByteCache[str] = ByteCache(MAX_BYTES)
    cache.add("large", "x", MAX_BYTES // 4 + 1)
    assert cache.get("large") is None
    assert cache.bytes == 0
