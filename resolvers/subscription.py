"""The root `Subscription`: answers sent event by event, for stored operations alone."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import strawberry

from resolvers.context import Info
from schema.chat import ChatEvent, ChatInput
from sdl.declare import subscription
from sdl.errors import AiUnavailableError, InvalidInputError, RateLimitedError


@strawberry.type(description="Everything that stored operations can stream.")
class Subscription:
    """The root of streamed answers."""

    @subscription(fails=(InvalidInputError, RateLimitedError, AiUnavailableError), spends="chat")
    async def chat(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's name for such an argument
            ChatInput, strawberry.argument(description="The question or conversation.")
        ],
    ) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question about the studio as a stream of events, with citations."""
        call = info.context
        async with aclosing(call.answers.chat(input, call.caller)) as told:
            async for event in told:
                yield event
