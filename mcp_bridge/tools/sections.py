"""`read` and `fetch`: every read of the service as markdown, by its section or by an id.

A long answer is shortened unless a certain part of it is asked for: fields are left out, the
longest first, until the rest of the object fits, or of `FEWEST` entries of a list; then as many
entries are given as fit. A note says what is missing and how to get it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import Request
from mcp_bridge.tools.arguments import PARTS, as_text, not_a_text, unknown_members
from mcp_bridge.tools.schema_profile import over_mcp
from mcp_bridge.tools.tool import Tool, result_of, with_note
from rest_bridge.http.query_string import plain_query
from rest_bridge.representations.similar_paths import similar_paths
from sdl.arguments.projection import Projection, names, read_parameters
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.operations.catalog import FETCH, PARAMETERS, READ, SECTION, SLUG, is_answered, own_name
from sdl.operations.operation import AFTER, Operation, filled, next_page, section_of
from sdl.running.runner import Snapshot, not_published
from sdl.tools.json_text import to_json
from sdl.types.directives import MEDIA_TYPES
from sdl.types.shape import ListShape, ObjectShape, Shape

MAX_TOKENS = 3_000
CHARACTERS_PER_TOKEN = 4
MAX_CHARACTERS = MAX_TOKENS * CHARACTERS_PER_TOKEN - 300
"""The size limit of a shortened result with all its forms; the rest is for the response's frame."""
FEWEST = 3
"""As many entries of a list are given at least, if it has them, each with fewer fields."""
SMALLER = 0.85

Make = Callable[[Shape, Any, str, Sequence[str]], bytes]
"""Makes the result from the shape and the body of a part, a note, which may be empty, and the
addresses of the entries."""


def read_result(  # noqa: PLR0913, PLR0917 - what one read is
    operation: Operation,
    body: Any,
    variables: Mapping[str, Any],
    projection: Projection,
    request: Request,
    make: Make,
) -> bytes:
    """Return the result of the part that is asked for, or of as much as fits the limit."""
    addresses = request.snapshot.addresses(operation, variables)
    addresses = projection.sliced(operation.shape, addresses)
    following = next_page(operation, body)
    note = f"The next page: the same call with {AFTER} {following!r}." if following else ""
    if projection or operation.path_variables or following:
        shape = projection.shape(operation.shape)
        part = projection.body(shape, body) if projection else body
        return make(shape, part, note, addresses)
    result = make(operation.shape, body, "", addresses)
    if len(result) <= MAX_CHARACTERS or not names(operation):
        return result
    room = _size(body) * MAX_CHARACTERS / len(result)
    while True:
        part, note = _part(operation, body, int(room))
        shape = part.shape(operation.shape)
        result = make(shape, part.body(shape, body), note, addresses)
        room *= SMALLER
        if len(result) <= MAX_CHARACTERS or room < 1:
            return result


def _cut(text: str, url: str) -> tuple[str, str]:
    """Return the paragraphs of a text that fit the limit, and the note; all if it is short."""
    if len(text) <= MAX_CHARACTERS:
        return text, ""
    left = len(text) // CHARACTERS_PER_TOKEN
    note = (
        f"Shortened to {MAX_TOKENS} tokens of about {left}. `read` gives the sections one at a"
        f" time; the whole is at {url}."
    )
    part = text[:MAX_CHARACTERS]
    return part.rpartition("\n\n")[0] or part, note


def _part(operation: Operation, body: Any, room: int) -> tuple[Projection, str]:
    """Return the part of a body that has about `room` characters of JSON, and the note."""
    prefix, shape = _inner(operation.shape)
    value = body
    for key in prefix:
        value = value[key]
    if isinstance(shape, ListShape) and not prefix:
        return _part_of_list(shape, value, room)
    sizes = _sizes([value]) if isinstance(shape, ObjectShape) else {}
    kept = _smallest(sizes, room)
    if len(kept) == len(sizes):  # nothing can be left out, such as of one text or one list
        return Projection(), ""
    paths: set[tuple[str, ...]] = {(*prefix, key) for key in kept}
    return Projection(paths), _note(prefix, sizes, kept)


def _part_of_list(shape: ListShape, value: list[Any], room: int) -> tuple[Projection, str]:
    few = value[:FEWEST]
    sizes = _sizes(value) if isinstance(shape.item, ObjectShape) else {}
    kept = _smallest(_sizes(few), room) if sizes else set()
    count = 0
    for entry in value:
        part = {k: v for k, v in entry.items() if k in kept} if kept and entry else entry
        room -= _size(part)
        if room < 0 and count:
            break
        count += 1
    shown = ""
    if count < len(value):
        shown = (
            f" These are entries 1 to {count} of {len(value)}; for the next ones call again with"
            f" offset {count} and a limit."
        )
    paths: set[tuple[str, ...]] = {(key,) for key in kept if len(kept) < len(sizes)}
    return Projection(paths, limit=count), _note((), sizes, kept) + shown


def _inner(shape: Shape) -> tuple[tuple[str, ...], Shape]:
    """Return the object within objects of one member, and the keys that lead to it."""
    keys: tuple[str, ...] = ()
    while isinstance(shape, ObjectShape) and len(shape.fields) == 1:
        keys, shape = (*keys, shape.fields[0].key), shape.fields[0].shape
    return keys, shape


def _sizes(objects: list[Any]) -> dict[str, int]:
    """Return the length of each key with its values in these objects."""
    sizes: dict[str, int] = {}
    for each in objects:
        for key, value in (each or {}).items():
            sizes[key] = sizes.get(key, 0) + len(key) + _size(value)
    return sizes


def _smallest(sizes: dict[str, int], room: int) -> set[str]:
    """Return the keys that fit together, the smallest first, and one at least."""
    kept: set[str] = set()
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        room -= size
        if room < 0 and kept:
            break
        kept.add(key)
    return kept


def _note(prefix: tuple[str, ...], sizes: dict[str, int], kept: set[str]) -> str:
    left = {
        ".".join((*prefix, key)): size // CHARACTERS_PER_TOKEN
        for key, size in sizes.items()
        if key not in kept
    }
    text = f"Shortened to {MAX_TOKENS} tokens."
    if left:
        names = ", ".join(f"{name} (~{tokens} tokens)" for name, tokens in left.items())
        text += f" Left out: {names}; call again with `fields` for them."
    return text


def _size(value: Any) -> int:
    return len(to_json(value))


_MARKDOWN = MEDIA_TYPES["MARKDOWN"]
_TEXT = {"type": "string"}
_ARGUMENTS = {
    SECTION: {**_TEXT, "description": "The section's name."},
    SLUG: {
        **_TEXT,
        "description": "One entry's slug: `{#slug}` in the section. Without it, the whole section.",
    },
    **PARTS,
    PARAMETERS: {
        **_TEXT,
        "description": "More parameters of the section, as `name=value&other=value`.",
    },
}
_DOCUMENT = {
    "type": "object",
    "properties": dict.fromkeys(("id", "title", "text", "url"), _TEXT),
    "required": ["id", "title", "text", "url"],
}


class Sections:
    """The reads of all operations: of each section the whole, one entry of it, or both."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._of: defaultdict[str, dict[bool, Operation]] = defaultdict(dict)
        for operation in operations:
            if operation.section is None or len(operation.path_variables) > 1:
                continue
            forms = self._of[operation.section]
            is_entry = bool(operation.path_variables)
            if is_entry not in forms or _is_markdown(operation):
                forms[is_entry] = operation

    def names(self, snapshot: Snapshot) -> list[str]:
        """Return the sections that are answered now."""
        found = (name for name in self._of if any(self._answered(name, snapshot)))
        return sorted(found)

    def _answered(self, name: str, snapshot: Snapshot) -> Iterator[bool]:
        yield from (is_answered(operation, snapshot) for operation in self._of[name].values())

    def __bool__(self) -> bool:
        return bool(self._of)

    def operation(self, section: str, slug: str | None, snapshot: Snapshot) -> Operation:
        """Return the operation that reads a section or an entry. Raises: InvalidInputError."""
        forms = self._of.get(section, {})
        if not forms:
            raise _invalid(self._unknown(SECTION, section, "unknown section", snapshot))
        if not any(snapshot.has(operation) for operation in forms.values()):
            problem = FieldProblem(SECTION, "is not published", tuple(self.names(snapshot)))
            raise NotFoundError(
                not_published(next(iter(forms.values())), snapshot).detail, [problem]
            )
        if (slug is not None) in forms:
            return forms[slug is not None]
        rule = "is required here" if slug is None else "has no meaning here; leave it out"
        raise _invalid(FieldProblem(SLUG, rule, _known(forms.get(True), snapshot)))

    def parameters(self, section: Any) -> list[str]:
        """Return the names of the parameters that a section's reads have besides their paths."""
        reads = self._of.get(section, {}).values() if isinstance(section, str) else ()
        return [v.name for own in reads for v in own.variables if v.name not in own.path_variables]

    def needs(self, snapshot: Snapshot) -> str:
        """Return the sentence on the sections that cannot be read without a parameter, if any."""
        sections = defaultdict[str, list[str]](list)
        for section in self.names(snapshot):
            for own in _needed(self._of[section].values()):
                sections[own].append(section)
        needed = [f"{own} ({', '.join(of)})" for own, of in sorted(sections.items())]
        return f" Needed: {', '.join(needed)}." if needed else ""

    def by_id(self, own_id: str, snapshot: Snapshot) -> tuple[Operation, dict[str, str]]:
        """Return the operation that reads what an id names, and the values of its path.

        Raises: InvalidInputError, NotFoundError with the known entries.
        """
        own_id = own_name(own_id, snapshot.operations)
        section, _, slug = own_id.rpartition("/")
        if own_id in self._of and False in self._of[own_id]:
            whole = self._of[own_id][False]
            snapshot.check_path(whole, {})
            return whole, {}
        if True not in self._of.get(section, {}):
            rule = "must be the id of a search result, or a section"
            raise _invalid(self._unknown("id", own_id, rule, snapshot))
        operation = self._of[section][True]
        path = dict.fromkeys(operation.path_variables, slug)
        try:
            snapshot.check_path(operation, path)
        except NotFoundError as error:
            ids = tuple(f"{section}/{name}" for one in error.problems for name in one.allowed)
            problems = [FieldProblem("id", "is not known", ids)] if ids else []
            raise NotFoundError(error.detail, problems) from None
        return operation, path

    def _unknown(self, argument: str, given: str, rule: str, snapshot: Snapshot) -> FieldProblem:
        """Return the problem of a name that is no section, with the section that may be meant."""
        names = self.names(snapshot)
        similar = (section_of(path) for path in similar_paths(f"/{given}", snapshot))
        meant = next((section for section in similar if section in names), None)
        hint = f"; did you mean {meant!r}?" if meant is not None else ""
        return FieldProblem(argument, f"{rule}{hint}", tuple(names))


@dataclass(frozen=True)
class ReadTool(Tool):
    """Reads one section or entry as markdown."""

    sections: Sections
    name, title, reads = READ, "Read a section", True
    description = (
        "Read one section of what is published as markdown, or one entry of it: terms,"
        " availability, people, work, proofs."
    )

    def input_schema(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the schema, which lists the sections."""
        section = {**_ARGUMENTS[SECTION], "enum": self.sections.names(snapshot)}
        others = f"{_ARGUMENTS[PARAMETERS]['description']}{self.sections.needs(snapshot)}"
        parameters = {**_ARGUMENTS[PARAMETERS], "description": others}
        return {
            "type": "object",
            "properties": {**_ARGUMENTS, SECTION: section, PARAMETERS: parameters},
            "required": [SECTION],
        }

    def output_schema(self, max_bytes: int) -> None:
        """Return None: the answer is markdown alone."""

    async def run(self, arguments: Mapping[str, Any], request: Request) -> bytes:
        """Return the section. Raises: ApiError."""
        own = self.sections.parameters(arguments.get(SECTION))
        texts = _texts(arguments, [*_ARGUMENTS, *own], SECTION)
        slug = texts.pop(SLUG, None)
        operation = self.sections.operation(texts.pop(SECTION), slug, request.snapshot)
        query = plain_query(texts.pop(PARAMETERS, ""))
        path = dict.fromkeys(operation.path_variables, slug or "")
        request.snapshot.check_path(operation, path)
        variables, projection = read_parameters(operation, path, [*query, *texts.items()])

        def make() -> bytes:
            return _text(operation, variables, projection, request)

        if projection or set(variables) != {*path}:
            return make()
        key = (READ, operation.name, repr(sorted(variables.items())))
        return request.snapshot.cached(key, make)


def _text(
    operation: Operation, variables: dict[str, Any], projection: Projection, request: Request
) -> bytes:
    body = request.snapshot.run(operation, variables)

    def make(shape: Shape, part: Any, note: str, addresses: Sequence[str]) -> bytes:
        text = _markdown(operation, shape, part, request, addresses)
        if not names(operation) and not variables:  # a proof is of no use in part
            text, note = _cut(text, f"{request.base_url}{_address(operation, variables)}")
        return result_of(with_note(text, note))

    return read_result(operation, body, variables, projection, request, make)


@dataclass(frozen=True)
class FetchTool(Tool):
    """Reads one section or entry in whole, in the form that research clients expect.

    Source: OpenAI, "Building MCP servers for ChatGPT Apps and API integrations", `fetch`.
    """

    sections: Sections
    name, title, reads = FETCH, "Fetch an entry", True
    description = (
        "Get the full text of one entry by the `id` of a search result or citation, with the"
        " address to cite."
    )

    def input_schema(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the schema."""
        del snapshot
        description = "An id that `search` returned, or the name of a section."
        return {
            "type": "object",
            "properties": {"id": {**_TEXT, "description": description}},
            "required": ["id"],
        }

    def output_schema(self, max_bytes: int) -> dict[str, Any]:
        """Return the schema."""
        del max_bytes
        return _DOCUMENT

    async def run(self, arguments: Mapping[str, Any], request: Request) -> bytes:
        """Return the entry. Raises: ApiError."""
        snapshot = request.snapshot
        own_id = _texts(arguments, ("id",), "id")["id"]
        operation, path = self.sections.by_id(own_id, snapshot)
        return snapshot.cached(
            (FETCH, own_id), lambda: self._document(own_id, operation, path, request)
        )

    @staticmethod
    def _document(
        own_id: str, operation: Operation, path: Mapping[str, str], request: Request
    ) -> bytes:
        snapshot = request.snapshot
        variables, _ = read_parameters(operation, path, [])
        body = snapshot.run(operation, variables)
        slug = next(iter(path.values()), None)
        document = {
            "id": own_id,
            "title": _title(operation, path, snapshot),
            "text": _markdown(
                operation, operation.shape, body, request, snapshot.addresses(operation, variables)
            ),
            "url": f"{request.base_url}{_address(operation, path)}",
            "metadata": {
                SECTION: operation.section,
                **({SLUG: slug} if slug is not None else {}),
                **({"revision": snapshot.revision} if snapshot.revision is not None else {}),
            },
        }
        return result_of(orjson.dumps(document).decode(), document)


def _title(operation: Operation, path: Mapping[str, str], snapshot: Snapshot) -> str:
    items = snapshot.items_of(operation) if path else ()
    return next((item.title for item in items if item.has(path)), operation.title)


def _address(operation: Operation, path: Mapping[str, str]) -> str:
    template = operation.rest.path if operation.rest is not None else ""
    return filled(template, path)


def _markdown(
    operation: Operation, shape: Shape, body: Any, request: Request, addresses: Sequence[str]
) -> str:
    return request.markdown(operation, shape, over_mcp(shape, body, request.base_url), addresses)


def _texts(
    arguments: Mapping[str, Any], known: Mapping[str, Any] | Sequence[str], required: str
) -> dict[str, str]:
    """Return the arguments as texts. Raises: InvalidInputError with every problem."""
    texts = {name: as_text(value) for name, value in arguments.items() if name in known}
    problems = [
        *unknown_members(arguments, [*known]),
        *(not_a_text(name) for name, text in texts.items() if text is None),
        *([FieldProblem(required, "is required")] if required not in arguments else []),
    ]
    if problems:
        raise _invalid(*problems)
    return {name: text for name, text in texts.items() if text is not None}


def _needed(reads: Iterable[Operation]) -> Iterator[str]:
    """Yield the names of the parameters without which nothing is read."""
    for own in reads:
        yield from (
            v.name for v in own.variables if v.required and v.name not in own.path_variables
        )


def _known(operation: Operation | None, snapshot: Snapshot) -> tuple[str, ...]:
    if operation is None:
        return ()
    items = snapshot.items_of(operation)
    return tuple(str(item.values[n]) for item in items for n in operation.path_variables)


def _is_markdown(operation: Operation) -> bool:
    return operation.rest is not None and _MARKDOWN in operation.rest.media


def _invalid(*problems: FieldProblem) -> InvalidInputError:
    return InvalidInputError("The input is not valid.", list(problems))
