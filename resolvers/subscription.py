"""What is told event by event, while the caller listens; only stored operations reach it."""

from collections.abc import AsyncGenerator
from typing import Annotated

import strawberry

from resolvers.context import Info
from schema.chat import ChatEvent, ChatInput
from sdl.declare import subscription
from sdl.errors import AiUnavailableError, InvalidInputError, RateLimitedError


@strawberry.type(description="Everything that stored operations can listen to.")
class Subscription:
    """The root of events."""

    @subscription(fails=(InvalidInputError, RateLimitedError, AiUnavailableError), spends="chat")
    def chat(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's word for what is handed in
            ChatInput, strawberry.argument(description="The question.")
        ],
    ) -> AsyncGenerator[ChatEvent, None]:
        """The answer to a question, from what the studio has published, piece by piece."""
        call = info.context
        return call.answers.chat(input, call.caller)
