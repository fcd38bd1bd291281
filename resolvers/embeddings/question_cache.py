"""A cache of questions as the model reads them, bounded in bytes.

Search, chat and intent look at one question from several sides, and agents ask the same ones. So
the model runs once for a text.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

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

    def __call__(self, texts: Sequence[str]) -> list[TextTokens]:
        """Return each text as the model reads it; new ones are read together. Blocks."""
        known = {text: self._kept.get(text) for text in texts}
        missing = [text for text, tokens in known.items() if tokens is None]
        for text, read in zip(missing, self._read(missing) if missing else (), strict=True):
            # A copy: a part of a batch would keep all of it.
            own = replace(read, tokens=read.tokens.copy(), vector=read.vector.copy())
            self._kept.add(text, own, own.tokens.nbytes + 2 * len(text) + _OTHER_BYTES)
            known[text] = own
        return [tokens for text in texts if (tokens := known[text]) is not None]
