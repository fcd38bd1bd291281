"""The query string as pairs of name and text."""

import re
from urllib.parse import parse_qsl

from starlette.requests import Request

from sdl.errors import FieldProblem, InvalidInputError

MAX_PARAMETERS = 50

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def query_parameters(request: Request) -> list[tuple[str, str]]:
    """Return the parameters in their order. Raises: InvalidInputError."""
    return _parameters(request.scope["query_string"].decode("latin-1"))


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


def plain_parameters(request: Request) -> list[tuple[str, str]]:
    """Return the parameters in their order, without control characters.

    Raises: InvalidInputError.
    """
    return plain_query(request.scope["query_string"].decode("latin-1"))


def plain_query(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query string in their order, without control characters.

    Raises: InvalidInputError.
    """
    parameters = _parameters(query)
    if any(_CONTROL.search(text) for parameter in parameters for text in parameter):
        problem = FieldProblem("query", "must contain no control characters")
        raise InvalidInputError("The query string is not valid.", [problem])
    return parameters
