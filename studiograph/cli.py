"""What commands share: settings read at first use, common options, logs, tables, error output."""

import functools
import gc
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TextIO, TypeVar

import click

from sdl.errors import StudiographError
from sdl.types.scalar_types import format_instant

if TYPE_CHECKING:
    from resolvers.http_client.targets import TargetPolicy
    from studiograph.settings import Settings


Arguments = ParamSpec("Arguments")
Command = TypeVar("Command", bound=Callable[..., Any])

_OUTPUT = logging.getLogger("studiograph.output")

quiet_option = click.option("--quiet", is_flag=True, help="Print no remarks.")


class CommandError(StudiographError):
    """A command cannot do what it was called for; the text names the fix."""


class Invocation:
    """One call of the program: its settings, and the policy for webhook targets if one is given."""

    as_json = False
    """Whether the command was asked for JSON, which an error is then, too."""

    def __init__(
        self,
        read: "Callable[[], Settings]",
        destinations: "Callable[[Settings], TargetPolicy] | None" = None,
    ) -> None:
        self._read = read
        self._destinations = destinations

    @cached_property
    def settings(self) -> "Settings":
        """The settings, read when a command first asks for them. Raises: SettingsError."""
        return self._read()

    @property
    def destinations(self) -> "TargetPolicy | None":
        """The policy for webhook targets; None for public hosts only."""
        return self._destinations(self.settings) if self._destinations is not None else None


def pass_settings(
    run: "Callable[Concatenate[Settings, Arguments], int]",
) -> Callable[Arguments, int]:
    """Call a command with the settings first."""

    @functools.wraps(run)
    def command(*values: Arguments.args, **named: Arguments.kwargs) -> int:
        return run(click.get_current_context().find_object(Invocation).settings, *values, **named)  # type: ignore[union-attr]

    return command


def prints_json(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001 - click calls it
    """Note that the option asks for JSON."""
    context.ensure_object(Invocation).as_json |= value
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=prints_json, help="Print JSON."
)


def note(text: str) -> None:
    """Print a remark on standard error, where no program reads results."""
    print(text, file=sys.stderr)


@contextmanager
def file_errors(fix: str, place: Path | None = None) -> Iterator[None]:
    """Say which file cannot be read or written, and the fix. Raises: CommandError."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{place or error.filename}: {error.strerror}. Fix: {fix}.") from None


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage while modules are imported or the service is built.

    What is made then lasts, and to look through it again and again takes a fifth of the start. At
    the end it is taken out of all later collections.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class _OutputHandler(logging.StreamHandler[TextIO]):
    """Writes lines to a stream, and lets them go while it has no space or no reader.

    The library would print a stack for each line that it cannot write. Here the other log says it
    once, until a line is written again.
    """

    _is_failing = False

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, which on a terminal takes the place of a progress bar."""
        clear = "\r\033[K" if self.stream.isatty() else ""
        return f"{clear}{super().format(record)}"

    def flush(self) -> None:
        """Write what was printed."""
        super().flush()
        self._is_failing = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Log once that lines cannot be written; errors other than OSError go to the library."""
        error, was_failing = sys.exception(), self._is_failing
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        self._is_failing = True
        if not was_failing and record.name != _OUTPUT.name:
            _OUTPUT.error(
                "lines of the log are lost (%s). Fix: make space where it is written.",
                error.strerror,
            )


def set_up_logs() -> None:
    """Send requests as JSON to standard output, and everything else to standard error."""
    requests = _OutputHandler(sys.stdout)
    requests.setFormatter(logging.Formatter("%(message)s"))
    access = logging.getLogger("studiograph.access")
    access.handlers, access.propagate = [requests], False
    access.setLevel(logging.INFO)
    everything_else = _OutputHandler(sys.stderr)
    everything_else.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[everything_else], force=True)
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # at INFO it logs addresses


@contextmanager
def progress(title: str, *, hidden: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar, moved by `(done, total)`, if standard error is a terminal."""
    unseen = hidden or not sys.stderr.isatty()
    with click.progressbar(length=1, label=title, file=sys.stderr, hidden=unseen) as bar:

        def show(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield show


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value}


def format_time(seconds: float | None) -> str:
    """Format a time; return an empty text for None. Units: seconds since 1970."""
    return "" if seconds is None else format_instant(datetime.fromtimestamp(seconds, UTC))
