"""What acts: it costs something or leaves a trace, and only stored operations reach it."""

from typing import Annotated

import strawberry

from resolvers.context import Info
from schema.chat import ChatAnswer, ChatInput
from schema.contact import ContactInput, Receipt
from schema.subscribe import Subscribed, SubscribeInput, Unsubscribed
from sdl.declare import Output, field
from sdl.errors import (
    AiUnavailableError,
    DeliveryFailedError,
    InvalidInputError,
    RateLimitedError,
    UnauthorizedError,
    UnavailableError,
    VerificationFailedError,
)
from sdl.text_constraints import IdempotencyKey


class Mutation(Output):
    """Everything that stored operations can do."""

    @field(
        fails=(InvalidInputError, RateLimitedError, DeliveryFailedError, UnavailableError),
        spends="contact",
    )
    async def contact(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's word for what a mutation takes
            ContactInput, strawberry.argument(description="The message.")
        ],
        idempotency_key: Annotated[
            IdempotencyKey | None,
            strawberry.argument(description="The caller's own name for this call."),
        ] = None,
    ) -> Receipt:
        """The receipt for a message to the human, delivered or refused, never queued."""
        call = info.context
        return await call.contact.send(input, idempotency_key, call.caller)

    @field(fails=(InvalidInputError, RateLimitedError, AiUnavailableError), spends="chat")
    async def chat(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            ChatInput, strawberry.argument(description="The question.")
        ],
    ) -> ChatAnswer:
        """The whole answer to a question, from what the studio has published."""
        call = info.context
        return await call.answers.ask(input, call.caller)

    @field(
        fails=(InvalidInputError, VerificationFailedError, RateLimitedError, UnavailableError),
        spends="subscribe",
    )
    async def subscribe(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            SubscribeInput, strawberry.argument(description="The address and the kinds.")
        ],
    ) -> Subscribed:
        """The subscription of an address that has proven that it wants what is sent to it."""
        call = info.context
        return await call.subscriptions.subscribe(input, call.caller)

    @field(fails=(UnauthorizedError, UnavailableError))
    async def unsubscribe(
        self,
        info: Info,
        id: Annotated[str, strawberry.argument(description="Its id.")],  # noqa: A002 - the path's word
        authorization: Annotated[
            str | None, strawberry.argument(description="`Bearer` and the subscription's secret.")
        ] = None,
    ) -> Unsubscribed:
        """That a subscription is no more; only whoever has its secret can end it."""
        return await info.context.subscriptions.unsubscribe(id, authorization)
