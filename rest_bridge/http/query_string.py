"""The query string as pairs of name and text."""

import re
from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import Request
from starlette.types import Scope

from sdl.errors import FieldProblem, InvalidInputError

MAX_PARAMETERS = 50

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


CANONICAL = "studiograph.canonical"
"""The key in the scope of the address without what others have put into it."""
_TRACKING = frozenset(("fbclid", "gclid", "msclkid", "ref", "_"))
_TRACKING_PREFIX = "utm_"


def route_path(scope: Scope) -> str:
    """Return the path of a request below the prefix that the application is mounted at."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        return path[len(prefix) :] or "/"
    return path


def query_parameters(request: Request, own: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return the parameters in their order. Raises: InvalidInputError.

    What mailers, chats and crawlers put behind links is not among them, unless it is in `own`: the
    names that the path itself has.
    """
    parameters = _parameters(request.scope["query_string"].decode("latin-1"))
    kept = [(name, text) for name, text in parameters if name in own or not _is_tracking(name)]
    if len(kept) < len(parameters):
        path = quote(request.scope.get("root_path", "") + route_path(request.scope))
        request.scope[CANONICAL] = f"{path}?{urlencode(kept)}" if kept else path
    return kept


def _is_tracking(name: str) -> bool:
    return name in _TRACKING or name.startswith(_TRACKING_PREFIX)


def _parameters(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        rule = "must be percent-encoded UTF-8"
    except ValueError:
        rule = f"must have at most {MAX_PARAMETERS} parameters"
    raise InvalidInputError("The query string is not valid.", [FieldProblem("query", rule)])


def check_no_parameters(request: Request) -> None:
    """Raise `InvalidInputError` if the request has a query parameter."""
    parameters = query_parameters(request)
    problems = [FieldProblem(name[:64], "unknown parameter") for name, _ in parameters]
    if problems:
        raise InvalidInputError("This path takes no query parameters.", problems)


def plain_parameters(request: Request, own: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return what `query_parameters` does, without control characters.

    Raises: InvalidInputError.
    """
    return _plain(query_parameters(request, own))


def check_one_line(values: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` for control characters in the values of a path."""
    found = [name for name, text in values.items() if _CONTROL.search(text)]
    if found:
        problems = [FieldProblem(name, "must contain no control characters") for name in found]
        raise InvalidInputError("The path is not valid.", problems)


def plain_query(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query string in their order, without control characters.

    Raises: InvalidInputError.
    """
    return _plain(_parameters(query))


def _plain(parameters: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if any(_CONTROL.search(text) for parameter in parameters for text in parameter):
        problem = FieldProblem("query", "must contain no control characters")
        raise InvalidInputError("The query string is not valid.", [problem])
    return parameters
