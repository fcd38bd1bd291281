"""Which methods a path takes."""

from starlette.requests import Request
from starlette.responses import Response

from sdl.errors import FieldProblem, MethodNotAllowedError

READS = ("GET", "HEAD", "OPTIONS")


def check_method(request: Request, methods: tuple[str, ...] = READS) -> None:
    """Nothing, for a method that is taken. Raises: MethodNotAllowed."""
    if request.method not in methods:
        raise MethodNotAllowedError(
            "This path does not take this method.",
            [FieldProblem("method", "is not taken here", methods)],
        )


def options(methods: tuple[str, ...] = READS, *, from_anywhere: bool = False) -> Response:
    """The answer to OPTIONS; pages of other origins may read, or do everything."""
    allowed = ", ".join(methods)
    shared = {"access-control-allow-methods": allowed} if from_anywhere else {}
    return Response(status_code=204, headers={"allow": allowed, **shared})
