"""The names and arguments of the tools that serve every section: read, fetch and verify."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

READ, FETCH, VERIFY = "read", "fetch", "verify"
SECTION, SLUG, PARAMETERS = "section", "slug", "parameters"


def read_arguments_of(
    section: str, path: Mapping[str, Any], query: Mapping[str, Any]
) -> dict[str, str]:
    """Return the arguments of `read` for a section, the values of its path and its parameters."""
    arguments = {SECTION: section}
    for slug in path.values():
        arguments[SLUG] = str(slug)
    if query:
        arguments[PARAMETERS] = urlencode(query)
    return arguments
