"""Intent: a goal in plain words, and the API calls that achieve it."""

import enum
from typing import Annotated

from sdl.types.declare import Input, Output, enum_type
from sdl.types.marks import CallerName, CallersWords, Heading, OverHttp, Summary
from sdl.types.scalar_types import IntRange, JsonObject, Line, Text, TextConstraint


@enum_type
class Confidence(enum.Enum):
    """How well a recommendation fits the goal."""

    HIGH = "high"
    """It is close to the goal. Read its title before you send it."""
    MEDIUM = "medium"
    """It may fit; look at the other recommendations too."""
    LOW = "low"
    """No operation fits well; this one is a starting point."""


class IntentInput(Input):
    """A goal in plain words."""

    goal: Annotated[str, TextConstraint(4, 500, multiline=True)]
    """What you want to do, in your own words."""
    limit: Annotated[int, IntRange(1, 10)] = 5
    """The maximum number of recommendations."""
    agent: Annotated[str, TextConstraint(0, 120), CallerName()] | None = None
    """Name and version of the calling AI agent."""


class IntentRequest(Output):
    """An HTTP request."""

    method: Line
    """The HTTP method."""
    path: Annotated[Line, CallersWords()]
    """The path and query; `{name}` stands for a value that is still missing."""
    headers: JsonObject | None = None
    """The headers to send."""
    body: Annotated[JsonObject, CallersWords()] | None = None
    """The JSON body, with the values that the goal contains."""


class ToolCall(Output):
    """A call of an MCP tool."""

    name: Line
    """The tool's name."""
    arguments: Annotated[JsonObject, CallersWords()]
    """The arguments, with the values that the goal contains."""


class Recommendation(Output):
    """A request that comes close to the goal."""

    rank: int
    """The position in the list, from 1."""
    score: float
    """The relevance to the goal, from 0 to 1."""
    confidence: Confidence
    """How well it fits: high, medium or low."""
    why: Annotated[Line, Summary()]
    """Why it was recommended."""
    operation: Annotated[Line, OverHttp("mcp")]
    """The operation's name."""
    title: Annotated[Line, Heading()]
    """The operation's title."""
    method: Annotated[Line, OverHttp("mcp")]
    """The HTTP method of the operation."""
    path: Annotated[Line, OverHttp("mcp")]
    """The path of the operation; `{name}` stands for a variable."""
    tool: Line | None = None
    """The MCP tool that does it, if there is one."""
    requires: list[Line]
    """The values that are missing; if empty, send the request as it is.

    They go into the path where `{name}` stands, else into the query or the body; over MCP they are
    arguments.
    """
    request: Annotated[IntentRequest, OverHttp("mcp")]
    """The HTTP request, with the values that the goal contains."""
    mcp: ToolCall | None = None
    """The same as a call of the MCP tool, if there is one."""


class Route(Output):
    """The requests that come closest to a goal, closest first."""

    goal: Annotated[Text, CallersWords()]
    """The goal."""
    count: int
    """The number of recommendations."""
    recommendations: list[Recommendation]
    """The recommendations, best first."""
    model: Line
    """The embedding model that compared the goal with the operations."""
