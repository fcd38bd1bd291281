"""`studiograph webhook test URL`: what a receiver would get, step by step, and what fails there."""

import asyncio
import json
import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from random import SystemRandom
from typing import cast

import click

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import (
    BlockedTargetError,
    InvalidResponseError,
    OutboundError,
    OutboundTimeoutError,
)
from resolvers.http_client.targets import TargetUrl
from resolvers.webhooks.fanout import event_body
from resolvers.webhooks.retry_policy import MAX_BYTES, SECONDS, Delivered, RetryPolicy
from resolvers.webhooks.sender import signed_headers
from resolvers.webhooks.signing import make_secret, message_id
from resolvers.webhooks.verification import NO_ECHO, ChallengeRequest
from schema.site import Site
from sdl.errors import InvalidInputError, VerificationFailedError
from sdl.scalar_types import format_instant
from studiograph.app import Application, make_application
from studiograph.cli import Invocation, json_option, note
from studiograph.commands.table import print_text
from studiograph.wiring.proofs import system_clock
from studiograph.wiring.webhooks import CHANGELOG, agent_of

ECHO = (
    "answer the POST with the value of `challenge` and nothing else (as text, as JSON or as a"
    " form), or the GET that follows with the value of `hub.challenge`"
)
REACH = "see that the host answers within 5 s, over TLS with a certificate of a public authority"
PUBLIC = "let the name stand for public addresses alone; this service connects to no other ones"
LOOK_UP = "see that the public DNS knows the name"
SOON = f"answer within {SECONDS} s, and do the work afterwards"
PLAIN = "answer in HTTP/1.1 without a content coding"
TAKE = "answer 2xx; redirects are not followed, and 410 ends a subscription"


@dataclass(frozen=True)
class Step:
    """One step, and how to go on where it failed."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    told: dict[str, str] = field(default_factory=dict)
    """What helps to check the step at the other end."""


@click.group()
def command() -> None:
    """Receivers of new changelog entries."""


@command.command()
@click.argument("url")
@json_option
@click.option("--quiet", is_flag=True, help="Print nothing but what failed.")
@click.pass_obj
def test(invocation: Invocation, *, url: str, as_json: bool, quiet: bool) -> int:
    """Send a challenge and a signed sample to URL, and say which step fails."""
    steps = asyncio.run(_walked(invocation, url, show=not as_json, quiet=quiet))
    if as_json:
        print(json.dumps({"ok": steps[-1].ok, "steps": [_plain(step) for step in steps]}))
    return 0 if steps[-1].ok else 1


async def _walked(invocation: Invocation, url: str, *, show: bool, quiet: bool) -> list[Step]:
    whole = make_application(invocation.settings, destinations=invocation.destinations)
    steps = []
    try:
        async with aclosing(_steps(whole, url)) as walk:
            async for step in walk:
                steps.append(step)
                if show:
                    _print(step, quiet=quiet)
    finally:
        await whole.services.close()
    return steps


async def _steps(whole: Application, url: str) -> AsyncGenerator[Step, None]:
    """The steps, the last being the first that fails."""
    webhooks = whole.services.webhooks
    try:
        destination = webhooks.outbound.destinations.parse(url)
    except InvalidInputError as fault:
        rules = "; ".join(f"{each.path} {each.rule}" for each in fault.problems)
        yield Step("url", ok=False, detail=fault.detail, fix=f"the {rules}")
        return
    yield Step("url", ok=True, detail=f"it names {destination.host}, port {destination.port}")
    for step in (_looked_up, _challenged, _delivered):
        made = await step(whole, destination)
        yield made
        if not made.ok:
            return


async def _looked_up(whole: Application, destination: TargetUrl) -> Step:
    try:
        found = await whole.services.webhooks.outbound.destinations.addresses(destination)
    except OutboundError as fault:
        fix = PUBLIC if isinstance(fault, BlockedTargetError) else LOOK_UP
        return Step("addresses", ok=False, detail=str(fault), fix=fix)
    return Step("addresses", ok=True, detail=", ".join(map(str, found)))


async def _challenged(whole: Application, destination: TargetUrl) -> Step:
    timestamp = format_instant(system_clock().replace(microsecond=0))
    question = ChallengeRequest(_changelog_url(whole), timestamp, {})
    try:
        await whole.services.webhooks.proving.verify(destination, question)
    except VerificationFailedError as fault:
        fix = ECHO if fault.reason == NO_ECHO else REACH
        return Step("challenge", ok=False, detail=fault.detail, fix=fix)
    return Step("challenge", ok=True, detail="the receiver echoes what only it was told")


async def _delivered(whole: Application, destination: TargetUrl) -> Step:
    """A delivery of the newest entry, under a secret of its own that nobody keeps."""
    webhooks, reading = whole.services.webhooks, whole.current()
    secret, subscription = make_secret(os.urandom), f"test-{secrets.token_hex(8)}"
    entry = cast("Site", reading.data).changelog[0].id
    body = event_body(reading.read, entry, _changelog_url(whole))
    message = message_id(subscription, entry)
    headers = signed_headers(secret, webhooks.key, message, system_clock(), body)
    told = {"webhook-id": message, "secret": secret, "publicKey": webhooks.key.public_text}
    outcome: OutboundResponse | OutboundError
    try:
        outcome = await webhooks.outbound.post(
            destination,
            body,
            {**headers, "user-agent": agent_of(whole.settings)},
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )
    except OutboundError as fault:
        outcome = fault
    verdict = RetryPolicy(SystemRandom().uniform).decide(outcome, 0, system_clock())
    is_taken = isinstance(verdict, Delivered)
    said = str(outcome) if isinstance(outcome, OutboundError) else f"answered {outcome.status}"
    return Step("delivery", ok=is_taken, detail=said, fix=_fix(outcome, taken=is_taken), told=told)


def _changelog_url(whole: Application) -> str:
    return f"{whole.settings.public_url}{whole.operations.path(CHANGELOG)}"


def _fix(outcome: OutboundResponse | OutboundError, *, taken: bool) -> str:
    if taken:
        return ""
    fixes = {
        OutboundTimeoutError: SOON,
        InvalidResponseError: PLAIN,
        BlockedTargetError: PUBLIC,
        OutboundResponse: TAKE,
    }
    return fixes.get(type(outcome), REACH)


def _print(step: Step, *, quiet: bool) -> None:
    if step.ok and quiet:
        return
    print_text(f"{'ok    ' if step.ok else 'FAILED'} {step.name}: {step.detail}")
    for name, value in step.told.items():
        print_text(f"         {name}: {value}")
    if step.fix:
        note(f"       Fix: {step.fix}.")


def _plain(step: Step) -> dict[str, object]:
    return {name: value for name, value in asdict(step).items() if value not in ("", {})}
