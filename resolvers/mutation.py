"""The root `Mutation`: calls with a cost or an effect, for stored operations alone.

`spends` documents a limit; the service that is called counts it.
"""

from typing import Annotated

import strawberry

from resolvers.ai.service import CHAT
from resolvers.contact.service import LIMIT_NAME as CONTACT
from resolvers.context import Info
from resolvers.signing.canonical import canonical
from resolvers.webhooks.service import LIMIT_NAME as SUBSCRIBE
from schema.services.chat import ChatAnswer, ChatInput
from schema.services.contact import ContactInput, Receipt
from schema.services.subscribe import Subscribed, SubscribeInput, Unsubscribed
from sdl.errors import (
    AiUnavailableError,
    DeliveryFailedError,
    InvalidInputError,
    RateLimitedError,
    UnauthorizedError,
    UnavailableError,
    VerificationFailedError,
)
from sdl.operations.operation import section_of
from sdl.types.declare import Output, field
from sdl.types.scalar_types import IdempotencyKey


class Mutation(Output):
    """Everything that stored operations can do beyond reading."""

    @field(
        fails=(InvalidInputError, RateLimitedError, DeliveryFailedError, UnavailableError),
        spends=CONTACT,
    )
    async def contact(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - GraphQL's name for such an argument
            ContactInput, strawberry.argument(description="The message.")
        ],
        idempotency_key: Annotated[
            IdempotencyKey | None,
            strawberry.argument(
                description="A key for this call; a second call with it has no effect."
            ),
        ] = None,
    ) -> Receipt:
        """Send a message to the founder. It is delivered or refused, never queued."""
        context = info.context
        return await context.contact.send(input, idempotency_key, context.caller)

    @field(fails=(InvalidInputError, RateLimitedError, AiUnavailableError), spends=CHAT)
    async def chat(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            ChatInput, strawberry.argument(description="The question or conversation.")
        ],
    ) -> ChatAnswer:
        """Answer a question about the studio from its published content, with citations."""
        context = info.context
        answer = await context.answers.ask(input, context.caller)
        if not input.proof:
            return answer
        names = {section_of(citation.url): None for citation in answer.citations}
        said = context.words()
        found = [said.proof(name) for name in names if name in said.content.texts]
        proofs = [canonical(proof.to_json()).decode() for proof in found]
        return answer.model_copy(update={"proofs": proofs})

    @field(
        fails=(InvalidInputError, VerificationFailedError, RateLimitedError, UnavailableError),
        spends=SUBSCRIBE,
    )
    async def subscribe(
        self,
        info: Info,
        input: Annotated[  # noqa: A002 - the same
            SubscribeInput,
            strawberry.argument(
                description="The webhook's URL and the kinds of entries to deliver."
            ),
        ],
    ) -> Subscribed:
        """Subscribe a webhook to new changelog entries. Its URL must echo a challenge first."""
        context = info.context
        return await context.subscriptions.subscribe(input, context.caller)

    @field(fails=(UnauthorizedError, UnavailableError))
    async def unsubscribe(
        self,
        info: Info,
        id: Annotated[str, strawberry.argument(description="The id of the subscription.")],  # noqa: A002 - the name in the path
        authorization: Annotated[
            str | None, strawberry.argument(description="`Bearer` and the subscription's secret.")
        ] = None,
        secret: Annotated[
            str | None, strawberry.argument(description="The secret, where there are no headers.")
        ] = None,
    ) -> Unsubscribed:
        """End a subscription. Requires its secret."""
        proof = authorization if secret is None else f"Bearer {secret}"
        return await info.context.subscriptions.unsubscribe(id, proof)
