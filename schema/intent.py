"""A caller's goal, and the requests that lead to it."""

import enum
from typing import Annotated

from sdl.declare import Input, Output, enum_type
from sdl.int_range import IntRange
from sdl.json_values import JsonObject
from sdl.marks import Heading, Summary
from sdl.scalar_types import Line, Text
from sdl.text_constraints import TextConstraint


@enum_type
class Confidence(enum.Enum):
    """How sure a recommendation is."""

    HIGH = "high"
    """Send it."""
    MEDIUM = "medium"
    """Look at the others too."""
    LOW = "low"
    """Nothing fits well; begin there."""


class IntentInput(Input):
    """A goal to be routed."""

    goal: Annotated[str, TextConstraint(4, 500, multiline=True)]
    """What you want to reach, in your own words."""
    limit: Annotated[int, IntRange(1, 10)] = 5
    """How many recommendations to answer at most."""
    agent: Annotated[str, TextConstraint(0, 120)] | None = None
    """The AI that asks, by name and version."""


class IntentRequest(Output):
    """A request over HTTP."""

    method: Line
    """The method."""
    path: Line
    """The path and query; `{name}` stands for what is still required."""
    headers: JsonObject | None = None
    """The headers that it needs."""
    body: JsonObject | None = None
    """The JSON body, as far as the goal says what is in it."""


class ToolCall(Output):
    """The same over MCP."""

    name: Line
    """The tool's name."""
    arguments: JsonObject
    """Its arguments, as far as the goal says what they are."""


class Recommendation(Output):
    """An operation that leads to the goal."""

    rank: int
    """Its place, from 1."""
    score: float
    """How well it fits, from 0 to 1."""
    confidence: Confidence
    """How sure that is."""
    why: Annotated[Line, Summary()]
    """What of the operation fits the goal."""
    operation: Line
    """The operation's name."""
    title: Annotated[Line, Heading()]
    """The operation's title."""
    method: Line
    """The HTTP method that reaches it."""
    path: Line
    """The path that reaches it; `{name}` stands for a variable."""
    tool: Line | None = None
    """The MCP tool that it is, if it is one."""
    requires: list[Line]
    """What the goal does not say and the request needs; without any, send it as it is."""
    request: IntentRequest
    """The request over HTTP."""
    mcp: ToolCall | None = None
    """The same as a call of the tool."""


class Route(Output):
    """Where a goal leads, the best first."""

    goal: Text
    """The goal."""
    count: int
    """How many recommendations there are."""
    recommendations: list[Recommendation]
    """The recommendations."""
    model: Line
    """What the goal was compared with."""
