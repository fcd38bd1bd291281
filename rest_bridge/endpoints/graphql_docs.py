"""A schema's documentation as markdown, from its plain JSON."""

from collections.abc import Iterator
from typing import Any


def documentation_markdown(document: dict[str, Any]) -> str:
    """The document: what to send, what can be asked, what the types are."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    path, example = document["path"], document["example"]["query"]
    yield f"# {document['name']}\n"
    yield f"> {document['description']}\n"
    yield f"GET {path}?query=..., or POST {path} with a JSON object (`query`, `variables`,"
    yield "`operationName`) or with the query alone as application/graphql. The schema's text is at"
    yield f"{document['schema']}. For example:\n"
    yield f"```graphql\n{example}\n```\n"
    yield "## Limits\n"
    yield "A larger document is refused before anything of it runs.\n"
    for what, limit in document["limits"].items():
        yield f"- At most {limit} {what}"
    yield "\n## Queries\n"
    for query in document["queries"]:
        yield _item(query)
        for argument in query.get("arguments", ()):
            yield f"  {_item(argument)}"
    yield "\n## Types"
    for kind in document["types"]:
        yield f"\n### {kind['name']}\n"
        yield kind["description"]
        members = [*map(_item, kind.get("fields", ())), *map(_value, kind.get("values", ()))]
        if members:
            yield ""
            yield from members
        elif "members" in kind:
            yield f"\nOne of: {', '.join(kind['members'])}."


def _item(described: dict[str, Any]) -> str:
    return f"- `{described['name']}: {described['type']}` {described['description']}"


def _value(value: dict[str, Any]) -> str:
    return f"- `{value['name']}` (`{value['word']}`) {value['description']}"
