"""What a service says of itself where no operation says it; each service has words of its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The words of one service."""

    noun: str = "service"
    """What provides it: the name of a server whose own name cannot be one."""
    nothing: str = "There is nothing in `{section}`. {index} lists what there is."
    """What is said of a read of what is not there."""
    no_document: str = "There is no such document here."
    access: str = ""
    """The sentence of the OpenAPI description on credentials."""
    reading: str = "Reading changes nothing."
    """The sentence on reading in the instructions of the MCP server."""


WORDS = Words()
