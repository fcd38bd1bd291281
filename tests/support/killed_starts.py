"""Starts of the service, each killed some steps later than the one before, until one is done.

Run as a program with how many steps lie between two kills. A step is a statement, a commit, or a
file that is opened for writing, made, moved or removed. A start is done when its jobs have used
their store `JOB_STATEMENTS` times. It prints by which signal each start was ended, and 0 at last.
"""

import os
import signal
import sys
import threading
from itertools import count
from typing import Any

import receiver_app
from sqlalchemy import Engine, event

from resolvers.jobs import dbos_backend  # noqa: F401 - or each start would import DBOS anew
from studiograph.__main__ import main
from studiograph.commands import serve  # noqa: F401 - likewise

JOB_STATEMENTS = 25
"""More than a start makes until it has looked for jobs, and fewer than until it resumes those of a
dead process, which may then be done twice."""
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.truncate", "os.chmod", "os.symlink")


class Steps:
    """The steps of this process, of which one is the last."""

    def __init__(self, last: int) -> None:
        self._left, self._of_jobs, self._lock = last, 0, threading.Lock()
        event.listen(Engine, "before_cursor_execute", self._states)
        event.listen(Engine, "commit", self._step)
        sys.addaudithook(self._changes)

    def _step(self, *_: object) -> None:
        with self._lock:
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1

    def _states(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self._step()
        self._of_jobs += "workflow_status" in statement
        if self._of_jobs == JOB_STATEMENTS:
            os._exit(0)

    def _changes(self, name: str, values: tuple[Any, ...]) -> None:
        is_writing = name == "open" and values[2] & (os.O_WRONLY | os.O_RDWR)
        if is_writing or name in CHANGES:
            self._step()


def end_of_start(last: int) -> int:
    """The signal that ended a start whose step of this number is the last."""
    child = os.fork()
    if not child:
        Steps(last)
        main(["serve", "--quiet"], destinations=receiver_app.policy)
        os._exit(1)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    for number in count(0, int(sys.argv[1])):
        ended = end_of_start(number)
        sys.stdout.write(f"{ended}\n")
        if ended != signal.SIGKILL:
            break
