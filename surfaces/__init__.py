"""The engine's one entry: a Strawberry schema and a folder of operations become an application."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surfaces.bearer import Bearer
    from surfaces.facade import Surfaces
    from surfaces.licence import Licence

__all__ = ["Bearer", "Licence", "Surfaces"]
_HOMES = {
    "Bearer": ".bearer",
    "Licence": ".licence",
    "Surfaces": ".facade",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: the modules below this one begin without the whole engine."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
