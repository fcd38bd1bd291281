"""Problems of stored operations, each with its place in a file."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphql import GraphQLError, Node
from pydantic import TypeAdapter, ValidationError

from sdl.errors import StudiographError
from sdl.types.scalar_types import Line

_LINE: TypeAdapter[str] = TypeAdapter(Line)


@dataclass(frozen=True, order=True)
class OperationProblem:
    """One problem: its file, line and column, and a message."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class OperationError(StudiographError):
    """The operations are not valid; `problems` has everything that is wrong with them."""

    def __init__(self, problems: Iterable[OperationProblem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def problem_at(node: Node, message: str) -> OperationProblem:
    """Return a problem at a node of a parsed document."""
    location = node.loc
    if location is None:
        return OperationProblem("-", 1, 1, message)
    start = location.start_token
    return OperationProblem(location.source.name, start.line, start.column, message)


def to_problem(error: GraphQLError) -> OperationProblem:
    """Return the problem of an error that graphql-core found."""
    if error.nodes:
        return problem_at(error.nodes[0], error.message)
    source, locations = error.source, error.locations
    if source is None or not locations:
        return OperationProblem("-", 1, 1, error.message)
    return OperationProblem(source.name, locations[0].line, locations[0].column, error.message)


def is_line(text: str) -> bool:
    """Whether a text may be a title or a summary: one line of plain text."""
    try:
        _LINE.validate_python(text)
    except ValidationError:
        return False
    return True
