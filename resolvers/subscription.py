"""The root `Subscription`: answers sent event by event, for stored operations alone."""

from collections.abc import AsyncGenerator
from typing import Annotated

import strawberry

from resolvers.ai.service import CHAT
from resolvers.context import Info
from schema.services.chat import ChatEvent, ChatInput
from sdl.errors import AiUnavailableError, InvalidInputError, RateLimitedError
from sdl.types.declare import subscription


@strawberry.type(description="Everything that stored operations can stream.")
class Subscription:
    """The root of streamed answers."""

    @subscription(fails=(InvalidInputError, RateLimitedError, AiUnavailableError), spends=CHAT)
    def chat(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's name for such an argument
            ChatInput, strawberry.argument(description="The question or conversation.")
        ],
    ) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question about the studio as a stream of events, with citations."""
        call = info.context
        return call.answers.chat(input, call.caller)
