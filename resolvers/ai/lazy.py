"""A value that is made when it is first asked for, once, whoever asks. Knows nothing of it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """The value; a call that fails is made again by the next one."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._made: list[Value] = []
        self._making = threading.Lock()

    def __call__(self) -> Value:
        """The value. Blocks while it is made, and raises what making it raises."""
        with self._making:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
