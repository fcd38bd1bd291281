"""Gives memory that is no longer used back to the system."""

import ctypes


def release_freed_memory() -> None:
    """Return what the C library keeps for later; nothing where it cannot.

    Loading models and embedding many texts free tens of megabytes that glibc would keep for good.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
