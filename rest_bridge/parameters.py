"""The query string as pairs of texts. Knows no parameter by name."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from schema.errors import Fault, InvalidInput

MAX_PARAMETERS = 50


def query_parameters(request: Request) -> list[tuple[str, str]]:
    """The parameters in their order. Raises: InvalidInput."""
    query = request.scope["query_string"].decode("latin-1")
    try:
        return parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        fault = Fault("query", "must be percent-encoded UTF-8")
    except ValueError:
        fault = Fault("query", f"must have at most {MAX_PARAMETERS} parameters")
    raise InvalidInput("The query string cannot be read.", [fault])
