"""A cache bounded in bytes, in which what is asked for once cannot drive out what is asked again.

Source: segmented LRU, Karedla, Love and Wherry, "Caching strategies to improve disk system
performance", 1994.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")

NEW_SHARE = 4
"""A quarter of the bytes is for values that have not been asked for again."""


class ByteCache(Generic[Value]):
    """Values by key; a new one is on trial in a small part until it is asked for again."""

    def __init__(self, max_bytes: int) -> None:
        self._new = _Segment[Value](max_bytes // NEW_SHARE)
        self._kept = _Segment[Value](max_bytes - max_bytes // NEW_SHARE)
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key, which from now on is kept; None if there is none."""
        with self._lock:
            if key in self._kept.entries:
                self._kept.entries.move_to_end(key)
                return self._kept.entries[key][0]
            if (entry := self._new.remove(key)) is None:
                return None
            self._kept.add(key, *entry)
            return entry[0]

    def add(self, key: Hashable, value: Value, size: int) -> None:
        """Take a value on trial; one that is larger than the trial's part is not taken.

        Units: bytes.
        """
        with self._lock:
            self._kept.remove(key)
            self._new.add(key, value, size)

    @property
    def bytes(self) -> int:
        """The bytes of all values."""
        return self._new.bytes + self._kept.bytes


class _Segment(Generic[Value]):
    """Values in the order of their last use, with their sizes."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.entries: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def add(self, key: Hashable, value: Value, size: int) -> None:
        self.remove(key)
        if size > self.max_bytes:
            return
        self.entries[key] = (value, size)
        self.bytes += size
        while self.bytes > self.max_bytes:
            self.remove(next(iter(self.entries)))

    def remove(self, key: Hashable) -> tuple[Value, int] | None:
        entry = self.entries.pop(key, None)
        if entry is not None:
            self.bytes -= entry[1]
        return entry
