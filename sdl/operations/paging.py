"""The next page of a connection: the cursor after which a read goes on.

Source: GraphQL Cursor Connections Specification.
"""

from collections.abc import Mapping
from typing import Any

from sdl.operations.operation import Operation

AFTER, PAGE = "after", "pageInfo"


def next_page(
    operation: Operation, variables: Mapping[str, Any], body: Any
) -> dict[str, Any] | None:
    """Return the variables of the next page; None on the last one, and where there are none."""
    if not any(variable.name == AFTER for variable in operation.variables):
        return None
    members = body if isinstance(body, dict) else {}
    for found in (members, *(own for own in members.values() if isinstance(own, dict))):
        page = found.get(PAGE)
        if isinstance(page, dict) and page.get("hasNextPage") and page.get("endCursor"):
            return {**variables, AFTER: page["endCursor"]}
    return None
