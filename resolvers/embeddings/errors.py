"""What goes wrong with a model. No caller sees it: whoever answers says it in words of its own."""

from sdl.errors import StudiographError


class ModelError(StudiographError):
    """A model cannot be used now; the text is our own, and names what to do about it."""
