"""One stored operation as intent sees it: what it is for, where it stands and what it takes.

Plain values, made at the roof; nothing here knows how operations are stored or run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ParameterLocation = Literal["path", "query", "body", "header"]


@dataclass(frozen=True)
class Parameter:
    """One thing that a request may say."""

    name: str
    """The name of the variable, of the body's member or of the header."""
    location: ParameterLocation
    is_required: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)
    """The JSON Schema of its value."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The values known of it, each with the title of what it names, or nothing."""


@dataclass(frozen=True)
class RoutableOperation:
    """One operation that a caller can send a request to."""

    operation: str
    title: str
    description: str
    goals: tuple[str, ...]
    """Goals that it serves, in callers' words."""
    method: str
    path: str
    """The path's template, with the query that every request of it has."""
    acts: bool = False
    """Whether it leaves a trace or costs something."""
    tool: str | None = None
    media: tuple[str, ...] = ("application/json",)
    """The media types it is made in, the default first."""
    signed_path: str | None = None
    """Where its signed form stands."""
    parameters: tuple[Parameter, ...] = ()

    @property
    def text(self) -> str:
        """Everything it says of itself in one text."""
        return " ".join((f"{self.title}.", self.description, *(f"{g}." for g in self.goals)))
