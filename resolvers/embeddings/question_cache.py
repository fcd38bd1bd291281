"""A cache of questions as the model reads them, bounded in bytes.

Search, chat and intent look at one question from several sides, and agents ask the same ones. So
the model runs once for a text.
"""

from collections.abc import Callable, Sequence

from resolvers.embeddings.embedder import TextTokens
from sdl.byte_cache import ByteCache

MAX_BYTES = 8 * 2**20
"""A question of ten words takes 20 KB."""
_OTHER_BYTES = 2_500
"""What an entry takes beside its tokens: the vector, the spans, the objects."""


class QuestionCache:
    """Reads questions, and keeps what was read. Threads may share it."""

    def __init__(
        self, read: Callable[[Sequence[str]], list[TextTokens]], max_bytes: int = MAX_BYTES
    ) -> None:
        self._read = read
        self._kept: ByteCache[TextTokens] = ByteCache(max_bytes)

    def __call__(self, text: str) -> TextTokens:
        """Return the text as the model reads it. Blocks.

        It is always read alone: in a batch, the last digits would depend on the other texts.
        """
        tokens = self._kept.get(text)
        if tokens is None:
            (tokens,) = self._read([text])
            self._kept.add(text, tokens, tokens.tokens.nbytes + 2 * len(text) + _OTHER_BYTES)
        return tokens
