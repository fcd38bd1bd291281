"""The error of all models, apart from their clients, whose import takes long."""

from sdl.errors import StudiographError


class ModelError(StudiographError):
    """A model cannot be used now; the text is our own and says what to do about it."""
