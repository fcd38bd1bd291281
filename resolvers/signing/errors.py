"""What keeps the studio from proving its words."""

from sdl.errors import StudiographError


class ProofError(StudiographError):
    """The text says what is wrong and how to mend it; it never holds a secret."""
