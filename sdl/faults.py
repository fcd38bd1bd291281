"""What can be wrong with stored operations: one fault a finding, all of them together."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphql import GraphQLError, Node


@dataclass(frozen=True, order=True)
class OperationFault:
    """One finding: where it is and what is wrong."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class OperationError(Exception):
    """The operations cannot be served; `faults` says everything that is wrong with them."""

    def __init__(self, faults: Iterable[OperationFault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(str(fault) for fault in self.faults))


def fault_at(node: Node, message: str) -> OperationFault:
    """A fault at a node of a parsed document."""
    location = node.loc
    if location is None:
        return OperationFault("-", 1, 1, message)
    start = location.start_token
    return OperationFault(location.source.name, start.line, start.column, message)


def fault_of(error: GraphQLError) -> OperationFault:
    """A fault that graphql-core found."""
    if error.nodes:
        return fault_at(error.nodes[0], error.message)
    source, locations = error.source, error.locations
    if source is None or not locations:
        return OperationFault("-", 1, 1, error.message)
    return OperationFault(source.name, locations[0].line, locations[0].column, error.message)
