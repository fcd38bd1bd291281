"""How many texts are embedded: counted, told in the log, and shown while it lasts."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

Progress = Callable[[int, int], None]
"""Called with how many of how many texts are embedded."""
Bar = Callable[[], AbstractContextManager[Progress]]
"""Opens what shows progress, until the block ends."""

log = logging.getLogger("studiograph.answers")


def unseen(_done: int, _total: int) -> None:
    """Show no progress."""


def no_bar() -> AbstractContextManager[Progress]:
    """Return a bar that shows nothing."""
    return nullcontext(unseen)


class EmbeddingCount:
    """Counts the texts of all caches that are filled one after another."""

    def __init__(self, show: Progress) -> None:
        self._show = show
        self._is_first = True
        self.passages = self.embedded = 0

    def __call__(self, done: int, total: int) -> None:
        """Take how far the cache is that is being filled."""
        if self._is_first:
            self.passages += total
            self.embedded += total - done
        self._is_first = done == total
        self._show(done, total)


@contextmanager
def telling(bar: Bar) -> Iterator[Progress]:
    """Log when texts begin to be embedded and when they are, and show a bar meanwhile.

    Where nothing is missing, nothing is said.
    """
    began = time.monotonic()
    with ExitStack() as shown:
        show = None

        def tell(done: int, total: int) -> None:
            nonlocal show
            if show is None and done < total:
                log.info("embedding %s passages beside the service", f"{total - done:,}")
                show = shown.enter_context(bar())
            if show is not None:
                show(done, total)

        count = EmbeddingCount(tell)
        yield count
    if count.embedded:
        log.info("embedded %s passages in %.1f s", f"{count.embedded:,}", time.monotonic() - began)
