"""Blocking calls in threads that do not hold up the end of the process."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


def in_thread(
    run: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
) -> "Future[Result]":
    """Run a function in a daemon thread and return its result to come.

    The end of the process would wait for the threads of a pool, and a store that says nothing would
    keep them for ever.
    """
    future: Future[Result] = Future()

    def work() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(run(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - raised again by the await
                future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future
