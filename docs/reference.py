"""The reference pages of `docs/`, written from what they describe; `make docs` runs this.

settings.md comes from the settings' own descriptions, commands.md from the command line, content.md
from the types of the schema, limits.md from the rows of its test, two blocks of architecture.md
from the import contracts and the classes of errors, one of operations.md from the directives, and
the example of the README from its file. A test fails when a page is not what this writes.
"""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import click
from graphql import GraphQLArgument, GraphQLDirective, is_required_argument, print_ast
from graphql.utilities import get_default_value_ast
from pydantic.fields import FieldInfo

from schema.sections import Status, StudioStatus
from schema.site import Site
from schema.studio import Studio
from sdl.errors import all_errors
from sdl.operations.defaults import SECTION
from sdl.types.declare import Named, Output, attribute_docs, marks_of, model_in
from sdl.types.directives import DECLARED
from sdl.types.marks import Citable, Cites, RefersTo
from studiograph.__main__ import COMMANDS, program
from studiograph.settings import PREFIX, Allowed, Settings

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))  # no package

from limit_rows import ROWS

HERE = Path(__file__).parent
ROOT = HERE.parent
SHOWN = "sdl/operations/list_projects.graphql"
"""The stored operation that the README shows."""
GENERATED = "<!-- Written by `make docs`; edit what it describes instead. -->"


def settings_page() -> str:
    """Return every setting with its default, its meaning and its allowed values."""
    rows = [_setting(name) for name in Settings.model_fields]
    return "\n".join(
        [
            "# Settings",
            "",
            GENERATED,
            "",
            "Set these as environment variables, or as lines of a `.env` file in the working"
            " directory. A variable overrides the file, and an empty value means not set. An"
            f" unknown name that begins with `{PREFIX}` stops the start and suggests the nearest"
            " name.",
            "",
            "| Setting | Default | Meaning | Allowed |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def commands_page() -> str:
    """Return every command with its options, as its help shows them."""
    return "\n".join(
        [
            "# Commands",
            "",
            GENERATED,
            "",
            "Exit codes: 0 for success, 1 for a fault that was reported, 2 for a wrong call."
            " `mailbox deliver` has the codes that mail servers expect; see [mail.md](mail.md)."
            " `NO_COLOR` switches colours off. `_STUDIOGRAPH_COMPLETE=bash_source studiograph`"
            " prints the completion script for bash; `zsh_source` and `fish_source` do for those.",
            *_commands(),
            "",
        ]
    )


def content_page() -> str:
    """Return every file of the content folder with its keys."""
    return "\n".join(
        [
            "# Content",
            "",
            GENERATED,
            "",
            "The content is a folder of TOML files, one for each section, named after it:"
            " `faq.toml` is the FAQ, `studio.practice.toml` the services. The file of a list holds"
            " one array of tables (`[[faq]]`), the file of an object holds its keys. `studiograph"
            " check` reports every fault with file, line, key, rule and fix. What is optional may"
            " be missing; a list that is missing is empty where it is served.",
            "",
            "An entry of any list may have `draft = true`: it is checked like the others, shown by"
            " `studiograph serve --reload` alone, and published when the line is removed. What is"
            " dated later than now (`publishedAt`, by more than five minutes) or today"
            " (`lastUpdated`) is a fault, unless it is a draft.",
            *_sections(Site, ()),
            "",
        ]
    )


def limits_page() -> str:
    """Return every limit, and what is answered at it and beyond it, from the rows of its test."""
    rows = [f"| {r.subject} | {r.what} | {r.limit} | {r.at_status} | {r.status} |" for r in ROWS]
    return "\n".join(
        [
            "# Limits",
            "",
            GENERATED,
            "",
            "Every limit of a request with the status of an answer at the limit and just beyond it."
            " `tests/servers/test_every_limit.py` sends both requests of each line. What is limited"
            " in time, or for one caller, is in [security.md](security.md).",
            "",
            "| Of | What | Limit | At it | Beyond it |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def architecture_page() -> str:
    """Return the page as it is, with its two generated blocks made anew."""
    text = (HERE / "architecture.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]
    layers = "\n\n".join(_layers(contracts["contracts"]))
    text = _with_block(text, "layers", f"```\n{layers}\n```")
    children: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for base, name, file in _classes(contracts["root_packages"]):
        children[base].append((name, file))
    tree = "\n".join(_tree("StudiographError", children))
    return _with_block(text, "exceptions", f"```\n{tree}\n```")


def operations_page() -> str:
    """Return the page as it is, with the tables of the directives made anew."""
    text = (HERE / "operations.md").read_text(encoding="utf-8")
    tables = "\n\n".join("\n".join(_directive(own)) for own in DECLARED.values())
    return _with_block(text, "directives", f"\n{tables}\n")


def readme_page() -> str:
    """Return the README as it is, with the stored operation that it shows copied anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    operation = (ROOT / SHOWN).read_text(encoding="utf-8")
    pattern = r"(?<=^```graphql\n).*?(?=^```$)"
    return re.sub(pattern, lambda _: operation, text, flags=re.DOTALL | re.MULTILINE)


PAGES = {
    "../README.md": readme_page,
    "architecture.md": architecture_page,
    "operations.md": operations_page,
    "limits.md": limits_page,
    "settings.md": settings_page,
    "commands.md": commands_page,
    "content.md": content_page,
}


def _with_block(text: str, name: str, block: str) -> str:
    """Return the text with a block between the markers of a name."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}{block}\n{match[2]}", text, flags=re.DOTALL)


_TOOL_NAME = "the operation's name: `GetPersonByAge` is `get_person_by_age`"
_TITLE = "the operation's name in words: `Get person by age`"
_COMPLETED = {
    ("rest", "method"): "`GET`; of a mutation `POST`",
    ("rest", "media"): "`[JSON, MARKDOWN]`; of a mutation `[JSON]`, of a subscription `[EVENTS]`",
    ("mcp", "tool"): _TOOL_NAME,
    ("mcp", "title"): _TITLE,
    ("resource", "name"): "the path without its outer slashes",
    ("prompt", "name"): _TOOL_NAME,
    ("prompt", "title"): _TITLE,
    ("llms", "section"): f"`{SECTION}`",
    ("example", "name"): "`example` and its number",
}
"""What `sdl/operations/defaults.py` takes for arguments that are left out."""
_PLACES = {
    "QUERY": "queries",
    "MUTATION": "mutations",
    "SUBSCRIPTION": "subscriptions",
    "VARIABLE_DEFINITION": "variables",
}


def _directive(own: GraphQLDirective) -> Iterator[str]:
    """Yield the section of a directive: what it does, where it stands, its arguments."""
    *first, last = [_PLACES[place.name] for place in own.locations]
    places = f"{', '.join(first)} and {last}" if first else last
    repeated = " It may stand there several times." if own.is_repeatable else ""
    yield from (f"### @{own.name}", "", f"{_line(own.description)} For {places}.{repeated}", "")
    yield from ("| Argument | Type | Default | What it is |", "|---|---|---|---|")
    for name, argument in own.args.items():
        default = _COMPLETED.get((own.name, name)) or _argument_default(argument)
        kind, meaning = str(argument.type).rstrip("!"), _line(argument.description)
        yield f"| `{name}` | `{kind}` | {default} | {meaning} |"


def _argument_default(argument: GraphQLArgument) -> str:
    if is_required_argument(argument):
        return "needed"
    node = get_default_value_ast(argument)
    return f"`{print_ast(node).replace('{  }', '{}')}`" if node is not None else "none"


def _layers(contracts: list[dict[str, Any]]) -> Iterator[str]:
    """Yield each contract of layers, the highest layer first."""
    for contract in contracts:
        if contract["type"] == "layers":
            inside = ", ".join(contract.get("containers", ["the repository"]))
            yield "\n".join([f"{contract['name']} ({inside})", *_indented(contract["layers"])])


def _indented(layers: list[str]) -> list[str]:
    return [f"  {layer}" for layer in layers]


def _classes(packages: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the first base, the name and the file of each public class, without an import."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.bases and not node.name.startswith("_"):
                    base = ast.unparse(node.bases[0]).rpartition(".")[2]
                    yield base, node.name, path.relative_to(ROOT).as_posix()


def _tree(
    name: str, children: Mapping[str, list[tuple[str, str]]], indent: str = ""
) -> Iterator[str]:
    """Yield a line for each class below a class, with its status and code or with its file."""
    if not indent:
        yield name
    for place, (child, file) in enumerate(sorted(children[name])):
        is_last = place == len(children[name]) - 1
        line = f"{indent}{'└── ' if is_last else '├── '}{child}"
        yield f"{line:<40}{_WIRE.get(child, file)}"
        yield from _tree(child, children, indent + ("    " if is_last else "│   "))


_WIRE = {error.__name__: f"{error.status} {error.code}" for error in all_errors()}
"""What callers see of an error, by the name of its class."""


_SETTING_TEXTS = attribute_docs(Settings)
"""What each setting is for; a process that serves does not read it."""


def _setting(name: str) -> str:
    field = Settings.model_fields[name]
    default = Settings().public_url if name == "base_url" else field.default
    allowed = next(mark.text for mark in field.metadata if isinstance(mark, Allowed))
    cells = [f"`{PREFIX}{name.upper()}`", _default(default), _line(_SETTING_TEXTS[name]), allowed]
    return f"| {' | '.join(cells)} |"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return f"`{','.join(map(str, value))}`" if value else "none"
    return f"`{value}`" if str(value) else "none"


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _commands() -> Iterator[str]:
    context = click.Context(program, info_name="studiograph")
    for name, (_, summary) in COMMANDS.items():
        command = program.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield from ("", f"## studiograph {name}", "", _line(command.help) or summary, "")
        yield from _usage(command, f"studiograph {name}")


def _usage(command: click.Command, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        if command.invoke_without_command:
            yield from (*_options(command, path), "")
        for name, part in sorted(command.commands.items()):
            yield from (f"`{path} {name}`: {_line(part.help)}", "")
            yield from _options(part, f"{path} {name}")
        return
    yield from _options(command, path)


def _options(command: click.Command, path: str) -> Iterator[str]:
    with click.Context(command, info_name=path) as context:
        pieces = " ".join(command.collect_usage_pieces(context))
        yield "```"
        yield f"{path} {pieces}".replace("[OPTIONS] ", "").replace(" [OPTIONS]", "").rstrip()
        for parameter in command.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None and "--help" not in record[0]:
                yield f"  {record[0]:<26}{record[1]}".rstrip()
        yield "```"


def _sections(model: type[Output], path: tuple[str, ...]) -> Iterator[str]:
    for name, info in model.model_fields.items():
        here = (*path, info.alias or name)
        inner = model_in(info.annotation)
        if inner is None:
            continue
        if inner is Status:
            inner = StudioStatus  # the rest of it is made of other sections
        yield from ("", f"## {'.'.join(here)}", "", _line(info.description), "")
        entry = f"One `[[{here[-1]}]]` for each entry in" if _is_list(info) else "The keys of"
        yield f"{entry} `{'.'.join(here)}.toml`:"
        yield from ("", "| Key | Type | Meaning |", "|---|---|---|", *_keys(inner, ""))
        if inner is Studio:
            yield from _sections(inner, here)


def _keys(model: type[Output], prefix: str) -> Iterator[str]:
    """Yield the keys of a table and of the tables in it."""
    for name, info in model.model_fields.items():
        key = f"{prefix}{info.alias or name}"
        inner = model_in(info.annotation)
        if inner is not None and model is Studio:
            continue  # it has a section of its own
        derived = name == "slug" and issubclass(model, Named)
        optional = "" if info.is_required() and not derived else " (optional)"
        yield f"| `{key}`{optional} | {_kind(info)} | {_line(info.description)} |"
        if inner is not None:
            yield from _keys(inner, f"{key}[]." if _is_list(info) else f"{key}.")


def _is_list(info: FieldInfo) -> bool:
    return "list[" in str(info.annotation)


def _kind(info: FieldInfo) -> str:
    inner = model_in(info.annotation)
    listed = "list of " if _is_list(info) else ""
    name = ("tables" if listed else "table") if inner is not None else _scalar(info.annotation)
    for mark in marks_of(info):
        if isinstance(mark, RefersTo):
            name += f" of a {mark.kind}"
        elif isinstance(mark, Cites):
            name += f" ({', '.join(mark.kinds) or 'any kind'})"
        elif isinstance(mark, Citable):
            continue
    return f"{listed}{name}"


def _scalar(annotation: Any) -> str:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    if isinstance(annotation, type) and not get_args(annotation):
        return {"str": "text", "int": "integer", "bool": "true or false"}.get(
            annotation.__name__, annotation.__name__
        )
    parts = [part for part in get_args(annotation) if part is not type(None)]
    return _scalar(parts[0]) if parts else "text"


def main() -> int:
    """Write the pages; return the exit code."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
