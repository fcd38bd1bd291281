"""The query string as pairs of texts. Knows no parameter by name."""

import re
from urllib.parse import parse_qsl

from starlette.requests import Request

from sdl.errors import FieldProblem, InvalidInputError

MAX_PARAMETERS = 50

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def query_parameters(request: Request) -> list[tuple[str, str]]:
    """The parameters in their order. Raises: InvalidInput."""
    query = request.scope["query_string"].decode("latin-1")
    try:
        return parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        fault = FieldProblem("query", "must be percent-encoded UTF-8")
    except ValueError:
        fault = FieldProblem("query", f"must have at most {MAX_PARAMETERS} parameters")
    raise InvalidInputError("The query string cannot be read.", [fault])


def check_no_parameters(request: Request) -> None:
    """Nothing, for a request without parameters. Raises: InvalidInput."""
    faults = [FieldProblem(name[:64], "unknown parameter") for name, _ in query_parameters(request)]
    if faults:
        raise InvalidInputError("This path takes no parameters.", faults)


def plain_parameters(request: Request) -> list[tuple[str, str]]:
    """The parameters in their order, without control characters. Raises: InvalidInput."""
    found = query_parameters(request)
    if any(_CONTROL.search(text) for parameter in found for text in parameter):
        fault = FieldProblem("query", "must hold no control characters")
        raise InvalidInputError("The query string cannot be read.", [fault])
    return found
