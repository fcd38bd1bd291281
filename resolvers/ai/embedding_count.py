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


@contextmanager
def telling(bar: Bar) -> Iterator[Progress]:
    """Log when texts begin to be embedded and when they are, and show a bar meanwhile.

    Where nothing is missing, nothing is said.
    """
    began, embedded, is_first = time.monotonic(), 0, True
    with ExitStack() as shown:
        show = None

        def tell(done: int, total: int) -> None:
            nonlocal show, embedded, is_first
            if is_first:  # of one of the caches, which are filled one after another
                embedded += total - done
            is_first = done == total
            if show is None and done < total:
                log.info("embedding %s passages beside the service", f"{total - done:,}")
                show = shown.enter_context(bar())
            if show is not None:
                show(done, total)

        yield tell
    if embedded:
        log.info("embedded %s passages in %.1f s", f"{embedded:,}", time.monotonic() - began)
