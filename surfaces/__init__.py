"""The engine's one entry: a Strawberry schema and a folder of operations become an application."""

from sdl.types.directives import Wire
from surfaces.bearer import Bearer
from surfaces.facade import Surfaces
from surfaces.licence import Licence

__all__ = ["Bearer", "Licence", "Surfaces", "Wire"]
