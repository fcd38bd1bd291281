"""Has threads share memory, and gives what is no longer used back to the system."""

import ctypes

_ARENA_MAX = -8
"""The number by which `mallopt` knows the greatest number of arenas."""


def share_one_arena() -> None:
    """Have all threads that start later take memory from one place; nothing where it cannot.

    The C library would give each thread a place of its own, and what one thread frees there is of
    no use to the others: that took 50 MB after loading, and as much again under many questions.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def release_freed_memory() -> None:
    """Return what the C library keeps for later; nothing where it cannot.

    Loading models and embedding many texts free tens of megabytes that glibc would keep for good.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
