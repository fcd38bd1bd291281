"""The program. Exit codes: 0 done, 1 failed with a message, 2 wrong usage.

A command's module is imported when it is called, so `--help` and `--version` import none.
"""

import errno
import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from sdl.errors import StudiographError
from studiograph.cli import Invocation, note, without_collection
from studiograph.version import __version__

if TYPE_CHECKING:
    from resolvers.http_client.targets import TargetPolicy
    from studiograph.settings import Settings

LIBRARIES = {
    "OPENBLAS_NUM_THREADS": "1",  # or its threads wait for each other under load
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",  # or it reads what each installed package says of itself
    "ORT_DISABLE_TELEMETRY": "1",  # or onnxruntime tells its makers that it runs
}
"""Environment variables that the model libraries read when they are imported."""

SECTIONS = {
    "Your studio": {
        "init": ("init", "Write the folder of a new studio."),
        "new": ("init", "Add an example of an entry to the content, as a draft."),
        "check": ("check", "Check the content and the stored operations."),
        "preview": ("preview", "Serve the content on this machine, and publish nothing."),
        "diff": ("publish", "Print what publishing the content would change."),
        "publish": ("publish", "Add an entry to the changelog."),
        "ask": ("ask", "Answer a question as chat would, without a server."),
    },
    "The service": {
        "serve": ("serve", "Start the service."),
        "status": ("status", "Print what is published, what waits, and who came today."),
        "mirror": ("status", "Show who came, and what the content did not answer."),
        "doctor": ("check", "Look for what keeps the studio from being read."),
        "export": ("export", "Write everything readable as static files."),
        "backup": ("backup", "Save the keys, the state and the inbox in one file."),
        "restore": ("backup", "Bring a saved file back."),
        "models": ("dev", "List where the embedding model is looked for."),
    },
    "Messages and webhooks": {
        "inbox": ("inbox", "Read the messages to the human on this machine."),
        "mailbox": ("inbox", "Take mails for the agents' mailbox."),
        "subscribers": ("hooks", "List, enable, disable and remove webhook subscriptions."),
        "jobs": ("hooks", "List unfinished mails and deliveries, and retry failed ones."),
        "webhook": ("hooks", "Test a webhook receiver."),
    },
    "Keys and proofs": {
        "keys": ("keys", "List, rotate, revoke, export and import the signing keys."),
        "log": ("keys", "Show the log of changes, or begin a new one."),
        "identity": ("keys", "Print the DNS and ENS records to publish."),
        "verify": ("verify", "Check a service, or a saved envelope, from outside."),
        "registry": ("keys", "Print what the MCP registry asks for, to list this service."),
    },
    "For developers": {
        "get": ("ask", "Print the response to a GET request, without a server."),
        "schema": ("dev", "Print the public GraphQL schema, or write or compare both."),
        "mcp": ("dev", "Speak MCP on standard input and output."),
        "github": ("init", "Save a snapshot of the GitHub account in the content folder."),
    },
}
"""Every command by what it is for: its module in `commands`, and its line of help."""
COMMANDS = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}


class _Commands(click.Group):
    """The commands, each imported when it is run.

    Source: click's documentation, "Lazily Loading Subcommands".
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        with without_collection():
            module = import_module(f"studiograph.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:  # which knows the names of commands that are loaded
            known = [*COMMANDS]
            raise click.NoSuchCommand(error.command_name, possibilities=known, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in entries.items()], 13)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="studiograph %(version)s")
def program() -> None:
    """Serve one verifiable surface for AI agents, and look after it."""


def _settings() -> "Settings":
    """Read the settings of this process. Raises: SettingsError."""
    # pydantic alone takes longer to load than `--help` may take
    from studiograph.settings import settings_here  # noqa: PLC0415 - 0.3 s of CPU

    return settings_here()


def main(
    argv: Sequence[str] | None = None,
    *,
    settings: "Callable[[], Settings]" = _settings,
    destinations: "Callable[[Settings], TargetPolicy] | None" = None,
) -> int:
    """Run one command and return its exit code; `destinations` limits webhook targets."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the signing keys
    for name, value in LIBRARIES.items():
        os.environ.setdefault(name, value)
    invocation = Invocation(settings, destinations)
    try:
        _check_descriptions()
        code = program.main(argv, "studiograph", standalone_mode=False, obj=invocation)
        print(end="", flush=True)  # which does nothing where there is no standard output
    except click.exceptions.NoArgsIsHelpError as error:
        note(error.format_message())
        return 2
    except click.ClickException as error:
        note(_wrong_call(error))
        return error.exit_code
    except click.Abort:
        return 130  # as shells have it for an interrupt
    except StudiographError as error:
        if invocation.as_json:
            print(json.dumps({"ok": False, "wrong": str(error)}))
        else:
            note(str(error))
        return 1
    except OSError as error:
        if (told := _why_unprinted(error)) is None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to come
        if told:
            note(told)
        return 1
    return code or 0


def _check_descriptions() -> None:
    """Raise `StudiographError` if Python leaves out what describes fields and operations."""
    if sys.flags.optimize > 1:
        raise StudiographError(
            "Python was told to leave out descriptions, which agents read. Fix: unset"
            " PYTHONOPTIMIZE, or set it to 1 (python -O instead of -OO)."
        )


def _why_unprinted(error: OSError) -> str | None:
    """Return what to say where an output takes no more; None if it is another error."""
    if isinstance(
        error, BrokenPipeError
    ):  # the reader has had enough: `studiograph get ... | head`
        return ""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    place = error.filename or "the output"
    return f"{place}: {error.strerror}. Fix: make space on that disk, and try again."


def _wrong_call(error: click.ClickException) -> str:
    """Return the usage error as one line: what is wrong, what to write, and `--help`."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "studiograph"
    said = [" ".join(error.format_message().split()).rstrip(".")]
    if context is not None:
        said += _right_call(error, context)
    text = " ".join(each if each.endswith(("?", ".")) else f"{each}." for each in said)
    return f"{path}: {text} See `{path} --help`."


def _right_call(error: click.ClickException, context: click.Context) -> list[str]:
    """Return what to write instead, where the error itself has no suggestion."""
    command = context.command
    if isinstance(error, click.NoSuchCommand) and isinstance(command, click.Group):
        names = command.list_commands(context)
        return [] if error.possibilities else [f"The commands are {', '.join(names)}"]
    if isinstance(error, click.NoSuchOption):
        names = [name for option in command.get_params(context) for name in option.opts[-1:]]
        options = ", ".join(name for name in names if name.startswith("--"))
        return [] if error.possibilities else [f"The options are {options}"]
    if isinstance(error, click.MissingParameter) and command.epilog:
        return [command.epilog]
    has_too_many = error.message.startswith("Got unexpected extra")
    return [command.get_usage(context)] if has_too_many else []


if __name__ == "__main__":
    sys.exit(main())
