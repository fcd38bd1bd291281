"""Heavy modules that are loaded at their first use, by one thread at a time.

Python locks each module by itself, and lets go where two threads would wait for each other: the
parts of SQLAlchemy, entered from two sides at once, are then found half made (ImportError). Whoever
brings it in from a thread does so in here.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ONE = threading.RLock()


@contextmanager
def import_locked() -> Iterator[None]:
    """While inside, no other thread is."""
    with _ONE:
        yield
