"""Content codings."""

import gzip
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def _optional(name: str) -> Any:
    """Return a module, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


_BROTLI = _optional("brotli")
_ZSTD = _optional("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
MIN_BYTES = 512

CODERS: dict[str, Callable[[bytes], bytes]] = {}
"""The supported codings, the preferred one first."""
QUICK_CODERS: dict[str, Callable[[bytes], bytes]] = {}
"""The same for bodies that may never be sent again: a third of the time, a tenth more bytes."""
if _BROTLI is not None:
    CODERS["br"] = lambda body: _BROTLI.compress(body, mode=_BROTLI.MODE_TEXT, quality=5)
    QUICK_CODERS["br"] = lambda body: _BROTLI.compress(body, mode=_BROTLI.MODE_TEXT, quality=2)
if _ZSTD is not None:
    CODERS["zstd"] = lambda body: _ZSTD.compress(body, level=9)
    QUICK_CODERS["zstd"] = lambda body: _ZSTD.compress(body, level=3)
CODERS["gzip"] = lambda body: gzip.compress(body, compresslevel=6, mtime=0)
QUICK_CODERS["gzip"] = lambda body: gzip.compress(body, compresslevel=1, mtime=0)


def encode(body: bytes, coding: str, *, once: bool = False) -> bytes:
    """Return the body in a coding, made quickly if it is sent `once`."""
    return (QUICK_CODERS if once else CODERS)[coding](body)
