"""The command line `surfaces`: operations are drafted, checked, tried, served and exported.

Exit codes: 0 done, 1 failed with a message, 2 wrong usage.
"""

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from importlib import import_module
from importlib.util import find_spec
from inspect import getmembers
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import urlsplit

import orjson
from strawberry import Schema

from mcp_bridge.description import PATH as MCP
from mcp_bridge.protocol.stdio import reserved_stdout, serve_process
from sdl.caller import Caller, Channel
from sdl.errors import StudiographError
from sdl.operations.operation import Operation, title_of
from sdl.operations.rules import OperationError, problem_at
from sdl.tools.table import print_table, print_text
from sdl.types.directives import operation_directives
from surfaces.drafting import draft
from surfaces.facade import GRAPHQL_PATH, INDEX_PATH, RESERVED, NoOperationsError, Surfaces
from surfaces.lock import breaks, contract_of, read_contract, text_of
from surfaces.trying import ask, try_examples

HOST, PORT = "127.0.0.1", 8000
OPERATIONS = "operations"
MAX_NAMED = 12
"""How many names an error lists."""
_OF_THE_SCHEMA = ("name", "url", "graphql")
"""The options that make a service of a schema; a `Surfaces` has its own."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    logging.basicConfig(format="%(levelname)s %(message)s")
    try:
        arguments = _parser().parse_args(argv)
        code: int = arguments.run(arguments)
    except SystemExit as error:  # of the parser, and of a signal
        return error.code if isinstance(error.code, int) else 1
    except StudiographError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or 'input or output'}: {error.strerror}.", file=sys.stderr)
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "surfaces", description="Serve stored operations of a Strawberry schema to agents."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        text = (run.__doc__ or "").splitlines()[0]
        name = run.__name__.removeprefix("_")
        own = commands.add_parser(name, help=text, description=run.__doc__)
        own.set_defaults(run=run)
        own.add_argument(
            "app", help="the schema, or an application of Surfaces, as module:attribute"
        )
        own.add_argument("operations", nargs="?", help=f"the folder; `{OPERATIONS}` if left out")
        if run is not _draft:
            own.add_argument("--name", help="the name of the service")
            own.add_argument("--url", help="the address under which callers reach it")
            own.add_argument(
                "--graphql", action="store_true", default=None, help="serve queries at /graphql too"
            )
        return own

    add(_draft)
    check = add(_check)
    check.add_argument("--lock", type=Path, metavar="FILE", help="fail if FILE's callers break")
    check.add_argument("--update", action="store_true", help="write the lock as it is now")
    tests = add(_test)
    tests.add_argument("--writes", action="store_true", help="run the examples of mutations too")
    tests.add_argument(
        "-H", "--header", action="append", default=[], help="a header, such as 'Name: value'"
    )
    serve = add(_serve)
    serve.add_argument("--host", default=HOST, help="the address to listen on")
    serve.add_argument("--port", type=int, default=PORT, help="the port; 0 for a free one")
    export = add(_export)
    export.add_argument("form", choices=[*_EXPORTS])
    export.add_argument("--output", type=Path, metavar="FILE", help="write it to a file")
    add(_mcp)
    return parser


def _draft(arguments: argparse.Namespace) -> int:
    """Write a first operation for each root field of the schema.

    A file that is there is never changed, and a field that an operation has is left to it.
    """
    checked = arguments.app
    try:
        found = _find(arguments.app)
    except NoOperationsError as error:  # the module makes an application of the folder, too
        schema, folder = error.schema, Path(arguments.operations or error.folder)
    else:
        if isinstance(found, Surfaces):
            schema, folder = found.live.schema, Path(arguments.operations or found.folder)
        else:
            schema, folder = found, Path(arguments.operations or OPERATIONS)
            checked += f" {folder}"
    with _quiet(logging.WARNING):  # `check` has the places
        drafts = draft(schema._schema, folder, partial(Surfaces, schema), RESERVED)  # noqa: SLF001 - it has no public name
    for path in drafts.written:
        print_text(f"wrote {path}")
    for reason in drafts.left:
        print_text(f"left  {reason}")
    if drafts.written:
        print_text(f"Next: read them, then surfaces check {checked}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    """Check all operations; print every fault with its place, or a table of what is served.

    With --lock it fails on each change that breaks callers of what the file has.
    """
    if arguments.update and arguments.lock is None:
        _usage("--update: name the file with --lock FILE.")
    try:
        service = _service(arguments)
    except OperationError as error:
        for problem in error.problems:
            print_text(str(problem))
        return 1
    print_table(
        [_row(service, operation) for operation in service.operations],
        ("operation", "route", "answers", "tool", "also", "marks"),
    )
    return _compare(service, arguments.lock, update=arguments.update) if arguments.lock else 0


def _row(service: Surfaces, own: Operation) -> tuple[str, ...]:
    rest, live = own.rest, service.live
    also = {"resource": own.resource, "prompt": own.prompt, "skill": own.skill}
    marks = {
        "acts": own.node.operation.value == "mutation",
        "async": live.is_awaited(own),
        "permissions": live.has_permissions(own),
        "undocumented": own.description == f"{title_of(own.name)}.",
        "deprecated": own.is_deprecated,
        "no example": not own.examples,
    }
    return (
        own.name,
        f"{rest.method} {rest.path}" if rest is not None else "",
        ", ".join(m.rpartition("/")[2] for m in rest.media) if rest is not None else "",
        own.mcp.tool if own.mcp is not None else "",
        ", ".join(f"{kind} {value.name}" for kind, value in also.items() if value is not None),
        ", ".join(name for name, holds in marks.items() if holds),
    )


def _compare(service: Surfaces, lock: Path, *, update: bool) -> int:
    """Compare the operations with a lock, or write it; return the exit code."""
    contract = contract_of(service.operations, service.sdl() if service.sdl is not None else None)
    text = text_of(contract)
    known = lock.read_text(encoding="utf-8") if lock.exists() else None
    if known is None and not update:
        raise StudiographError(f"{lock} is not there. Fix: write it with --update, and commit it.")
    try:
        found = [*breaks(read_contract(known), contract)] if known is not None else []
    except ValueError as error:
        if not update:
            fix = "bring it back, or write it anew with --update"
            raise StudiographError(f"{lock} cannot be read: {error}. Fix: {fix}.") from None
        found = []
    nodes = {own.name: own.node for own in service.operations}
    for name, sentence in found:
        said = f"{name}: {sentence}" if name else sentence
        print_text(str(problem_at(nodes[name], said)) if name in nodes else f"{lock}: {said}")
    if update:
        lock.write_text(text, encoding="utf-8")
        print_text(f"{lock} has what is served now.")
        return 0
    if found:
        print_text(f"Callers break: {len(found)} changes. If that is meant, add --update.")
    elif known != text:
        print_text(f"No caller breaks. {lock} does not have all of it yet: add --update.")
    return 1 if found else 0


def _test(arguments: argparse.Namespace) -> int:
    """Run each @example on every surface of its operation, and compare the answers.

    Nothing is changed: examples of mutations run with --writes alone, each once.
    """
    service = _service(arguments)
    headers = dict[str, str]()
    for header in arguments.header:
        name, colon, value = header.partition(":")
        if not colon or not name.strip().isascii():
            _usage(f"--header: write 'Name: value', not {header!r}.")
        headers[name.strip().lower()] = value.strip()
    with _quiet(logging.CRITICAL):  # what examples fail with is in the answers
        tried = asyncio.run(try_examples(service, headers, writes=arguments.writes))
    for problem in tried.problems:
        print_text(str(problem))
    for reason in tried.left:
        print_text(f"not run: {reason}")
    print_text(
        f"examples: {tried.examples}, answers: {tried.answers}, problems: {len(tried.problems)}"
    )
    return 1 if tried.problems else 0


def _serve(arguments: argparse.Namespace) -> int:
    """Serve the operations over HTTP until Ctrl+C or SIGTERM."""
    try:
        uvicorn = import_module("uvicorn")
    except ImportError:
        raise StudiographError(
            "`surfaces serve` needs uvicorn. Fix: pip install 'strawberry-surfaces[serve]', or"
            " serve an application of Surfaces with another ASGI server."
        ) from None
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))  # uvicorn raises it again at its end
    with _listening(arguments.host, arguments.port) as listening:
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        here = address.replace("0.0.0.0", HOST).replace("[::]", "[::1]")  # noqa: S104 - it is read, and not listened on
        service = _service(arguments, url=here)
        base = here + urlsplit(service.url).path
        tools = sum(own.mcp is not None for own in service.operations)
        print_text(f"Listening on {address}; Ctrl+C stops it. Links say {service.url}")
        print_text(f"  {base}{INDEX_PATH}  the index")
        print_text(f"  {base}/openapi.json  the description")
        print_text(f"  {base}{MCP}  MCP, {tools} tools")
        if service.sdl is not None:
            print_text(f"  {base}{GRAPHQL_PATH}  GraphQL")
        sys.stdout.flush()
        options = {
            "ws": "none",
            "access_log": False,
            "log_level": "warning",
            "server_header": False,
        }
        config = uvicorn.Config(service, **options)
        uvicorn.Server(config).run([listening])
    return 0


def _listening(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(2048)
    except (OSError, OverflowError) as error:
        listening.close()
        text = error.strerror if isinstance(error, OSError) else "no such port"
        fix = "choose another with --port and --host"
        raise StudiographError(f"cannot listen on {host}:{port}: {text}. Fix: {fix}.") from None
    return listening


def _export(arguments: argparse.Namespace) -> int:
    """Print the OpenAPI description, the list of tools, llms.txt, or the SDL for an editor.

    The SDL is that of the schema and of the directives of operations, so that an editor knows both.
    """
    body = _EXPORTS[arguments.form](_service(arguments))
    if arguments.output is not None:
        arguments.output.write_bytes(body)
    else:
        sys.stdout.write(body.decode())
    return 0


def _mcp(arguments: argparse.Namespace) -> int:
    """Speak MCP on standard input and output, for a client that starts this command."""
    with reserved_stdout() as output:
        service = _service(arguments)

        async def serve() -> None:
            await serve_process(service.mcp_server(), output)

        asyncio.run(serve())
    return 0


def _document(path: str, service: Surfaces) -> bytes:
    """Return a document with JSON indented; its owner needs no token, and no other framework."""
    service.guarded = lambda app: app  # type: ignore[method-assign]
    status, body = asyncio.run(ask(service.at(service.url), "GET", path))
    if status != HTTPStatus.OK:
        raise StudiographError(f"{path} is answered with {status}.")
    return _indented(orjson.loads(body)) if path.endswith(".json") else body


def _indented(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _tools(service: Surfaces) -> bytes:
    """Return the tools as `tools/list` has them."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    asked = service.mcp_server().exchange(orjson.dumps(message), None, Caller("", Channel.MCP))
    body = asyncio.run(asked).body
    return _indented(orjson.loads(body or b"{}")["result"]["tools"])


def _sdl(service: Surfaces) -> bytes:
    """Return the schema with the directives of operations."""
    schema = service.live.schema
    own = {directive.name for directive in schema._schema.directives}  # noqa: SLF001 - it has no public name
    directives = operation_directives(own, strict=False)
    return f"{schema.as_str().strip()}\n\n{directives}\n".encode()


_EXPORTS: dict[str, Callable[[Surfaces], bytes]] = {
    "openapi": partial(_document, "/openapi.json"),
    "tools": _tools,
    "llms": partial(_document, INDEX_PATH),
    "sdl": _sdl,
}


def _service(arguments: argparse.Namespace, **options: Any) -> Surfaces:
    """Return the service that is named. Raises: OperationError, StudiographError."""
    found = _find(arguments.app)
    given = {name: getattr(arguments, name) for name in _OF_THE_SCHEMA}
    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(found, Surfaces):
        own = found.folder.resolve()
        if arguments.operations and Path(arguments.operations).resolve() != own:
            _usage(f"operations: {arguments.app} has its own, {own}; leave the folder out.")
        if given:
            names = ", ".join(f"--{name}" for name in given)
            _usage(f"{names}: {arguments.app} is a Surfaces; write it there, as an argument.")
        return found
    folder = Path(arguments.operations or OPERATIONS)
    if not folder.is_dir():
        fix = f"surfaces draft {arguments.app} {folder} writes first operations"
        fix = "name the folder that it is in" if folder.is_file() else fix
        raise StudiographError(f"{folder.absolute()} is no folder. Fix: {fix}.")
    try:
        module = arguments.app.partition(":")[0]
        return Surfaces(found, folder, **{"name": title_of(module), **options, **given})
    except (TypeError, ValueError) as error:
        _usage(str(error))


def _find(address: str) -> Schema | Surfaces:
    """Return the schema or the service of `module:attribute`. Raises: StudiographError."""
    name, _, attribute = address.partition(":")
    if not name:
        raise StudiographError("Write module:attribute, such as shop:schema.")
    if name.endswith(".py") and Path(name).is_file():
        meant = ".".join(Path(name).with_suffix("").parts)
        fix = f"Write the module, and not its file: {meant}:{attribute or 'schema'}."
        raise StudiographError(f"{name} is a file. {fix}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    module = _import(name)
    found: Any = module
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part, None)
    if isinstance(found, Schema | Surfaces):
        return found
    of_use = [
        f"{name}:{own} ({type(value).__name__})"
        for own, value in getmembers(module)
        if isinstance(value, Schema | Surfaces)
    ]
    there = ", ".join(of_use[:MAX_NAMED]) or "neither a strawberry.Schema nor a Surfaces"
    if found is module:
        said = "names no attribute"
    else:
        said = "is not there" if found is None else f"is a {type(found).__name__}"
    raise StudiographError(f"{address} {said}. {name} has {there}.")


def _import(name: str) -> ModuleType:
    try:
        if "DJANGO_SETTINGS_MODULE" in os.environ and find_spec("django") is not None:
            import_module("django").setup()  # before it no module of models can be imported
        return import_module(name)
    except OperationError:  # of a Surfaces that it makes
        raise
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            here = Path.cwd().joinpath(*name.split(".")[: str(error.name).count(".")])
            modules = (path.stem for path in here.glob("*.py"))
            packages = (path.parent.name for path in here.glob("*/__init__.py"))
            there = ", ".join(sorted({*modules, *packages} - {"__init__"})[:MAX_NAMED])
            there = f"are: {there}" if there else "is none"
            text = f"No module {error.name!r}. In {here} there {there}."
        else:
            last = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{name} cannot be imported: {type(error).__name__}: {error}"
            text += f" ({last.filename}:{last.lineno})"
        raise StudiographError(text) from error


@contextmanager
def _quiet(level: int) -> Iterator[None]:
    """Print no line of a log up to a level."""
    logging.disable(level)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _usage(text: str) -> NoReturn:
    """Print what is wrong with a call, and end with the code for that."""
    print(f"surfaces: {text}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
