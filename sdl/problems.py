"""What can be wrong with stored operations: one fault a finding, all of them together."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphql import GraphQLError, Node

from sdl.errors import StudiographError


@dataclass(frozen=True, order=True)
class OperationProblem:
    """One finding: where it is and what is wrong."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class OperationError(StudiographError):
    """The operations cannot be served; `faults` says everything that is wrong with them."""

    def __init__(self, faults: Iterable[OperationProblem]) -> None:
        self.problems = tuple(sorted(set(faults)))
        super().__init__("\n".join(str(fault) for fault in self.problems))


def problem_at(node: Node, message: str) -> OperationProblem:
    """A fault at a node of a parsed document."""
    location = node.loc
    if location is None:
        return OperationProblem("-", 1, 1, message)
    start = location.start_token
    return OperationProblem(location.source.name, start.line, start.column, message)


def to_problem(error: GraphQLError) -> OperationProblem:
    """A fault that graphql-core found."""
    if error.nodes:
        return problem_at(error.nodes[0], error.message)
    source, locations = error.source, error.locations
    if source is None or not locations:
        return OperationProblem("-", 1, 1, error.message)
    return OperationProblem(source.name, locations[0].line, locations[0].column, error.message)
