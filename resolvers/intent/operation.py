"""What the intent router can recommend: purpose, address and parameters of an operation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ParameterLocation = Literal["path", "query", "body", "header"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a request."""

    name: str
    """The name of the variable, of the body member or of the header."""
    location: ParameterLocation
    is_required: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)
    """The JSON Schema of its value."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Its known values, each with the title of the entry that it names, or an empty text."""


@dataclass(frozen=True)
class RoutableOperation:
    """One operation that a caller can send a request to."""

    operation: str
    title: str
    description: str
    goals: tuple[str, ...]
    """Example goals, in callers' words."""
    method: str
    path: str
    """The path template, with the query string that each request needs."""
    acts: bool = False
    """Whether it changes something or has a cost, unlike a read."""
    tool: str | None = None
    """Its own tool, if it has one."""
    section: str | None = None
    """The section that the tool `read` reads, if it is a read."""
    signed_section: str | None = None
    """The section that the tool `verify` proves, if it has a signed form."""
    media: tuple[str, ...] = ("application/json",)
    """The media types of its responses, the default first."""
    signed_path: str | None = None
    """The path of its signed form, if it has one."""
    parameters: tuple[Parameter, ...] = ()

    @property
    def text(self) -> str:
        """Title, description and goals in one text."""
        return " ".join((f"{self.title}.", self.description, *(f"{g}." for g in self.goals)))
