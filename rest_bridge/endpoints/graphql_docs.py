"""The documentation of a GraphQL schema as markdown."""

from collections.abc import Iterator
from typing import Any


def documentation_markdown(document: dict[str, Any]) -> str:
    """Return the JSON documentation as markdown: how to ask, the limits, queries and types."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    path, example = document["path"], document["example"]["query"]
    yield f"# {document['name']}\n"
    yield f"> {document['description']}\n"
    yield f"GET {path}?query=..., or POST {path} with a JSON object (`query`, `variables`,"
    yield "`operationName`) or with only the query as application/graphql. The schema in SDL is at"
    yield f"{document['schema']}. For example:\n"
    yield f"```graphql\n{example}\n```\n"
    yield "What is not published, and a name that nothing has, is null or an empty list."
    yield "In a query an enum value is written as in `ADDED`; elsewhere its word is `added`. Errors"
    yield "stand in `errors`, each with a `code`.\n"
    yield "## Limits\n"
    yield "A query beyond a limit is refused before it runs.\n"
    for name, limit in document["limits"].items():
        yield f"- At most {limit} {name}"
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


def _item(item: dict[str, Any]) -> str:
    return f"- `{item['name']}: {item['type']}` {item['description']}"


def _value(value: dict[str, Any]) -> str:
    return f"- `{value['name']}` (`{value['word']}`) {value['description']}"
