"""`studiograph webhook test URL`: what a receiver would get, step by step, and what fails there."""

import argparse
import asyncio
import json
import os
import secrets
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from random import SystemRandom
from typing import cast

from resolvers.letters.attempts import MOST_BYTES, SECONDS, Delivered, Schedule
from resolvers.letters.delivery import signed
from resolvers.letters.destinations import Destination
from resolvers.letters.fanout import body_of
from resolvers.letters.faults import Blocked, OutboundFault, TooSlow, Unreadable
from resolvers.letters.proving import NO_ECHO, Question
from resolvers.letters.webhooks import make_secret, message_id
from resolvers.outbound import Answer
from schema.errors import InvalidInput, VerificationFailed
from schema.site import Site
from schema.words import instant_text
from studiograph.app import Assembly, assemble
from studiograph.commands.table import print_text
from studiograph.proofs import system_clock
from studiograph.settings import Settings
from studiograph.webhooks import CHANGELOG, agent_of

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


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("webhook", help="receivers of new changelog entries")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    tests = actions.add_parser("test", help="send a challenge and a signed sample to a URL")
    tests.add_argument("url", metavar="URL", help="the receiver, as it would subscribe")
    tests.add_argument("--json", action="store_true", help="print JSON")
    tests.add_argument("--quiet", action="store_true", help="print nothing but what failed")
    tests.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when the receiver would be subscribed and take deliveries, else 1."""
    steps = asyncio.run(_walked(arguments, settings))
    if arguments.json:
        print(json.dumps({"ok": steps[-1].ok, "steps": [_plain(step) for step in steps]}))
    return 0 if steps[-1].ok else 1


async def _walked(arguments: argparse.Namespace, settings: Settings) -> list[Step]:
    whole = assemble(settings, destinations=arguments.destinations)
    steps = []
    try:
        async with aclosing(_steps(whole, arguments.url)) as walk:
            async for step in walk:
                steps.append(step)
                if not arguments.json:
                    _print(step, quiet=arguments.quiet)
    finally:
        await whole.services.close()
    return steps


async def _steps(whole: Assembly, url: str) -> AsyncGenerator[Step, None]:
    """The steps, the last being the first that fails."""
    webhooks = whole.services.webhooks
    try:
        destination = webhooks.outbound.destinations.read(url)
    except InvalidInput as fault:
        rules = "; ".join(f"{each.path} {each.rule}" for each in fault.faults)
        yield Step("url", ok=False, detail=fault.detail, fix=f"the {rules}")
        return
    yield Step("url", ok=True, detail=f"it names {destination.host}, port {destination.port}")
    for step in (_looked_up, _challenged, _delivered):
        made = await step(whole, destination)
        yield made
        if not made.ok:
            return


async def _looked_up(whole: Assembly, destination: Destination) -> Step:
    try:
        found = await whole.services.webhooks.outbound.destinations.addresses(destination)
    except OutboundFault as fault:
        fix = PUBLIC if isinstance(fault, Blocked) else LOOK_UP
        return Step("addresses", ok=False, detail=str(fault), fix=fix)
    return Step("addresses", ok=True, detail=", ".join(map(str, found)))


async def _challenged(whole: Assembly, destination: Destination) -> Step:
    timestamp = instant_text(system_clock().replace(microsecond=0))
    question = Question(_changelog_url(whole), timestamp, {})
    try:
        await whole.services.webhooks.proving.prove(destination, question)
    except VerificationFailed as fault:
        fix = ECHO if fault.reason == NO_ECHO else REACH
        return Step("challenge", ok=False, detail=fault.detail, fix=fix)
    return Step("challenge", ok=True, detail="the receiver echoes what only it was told")


async def _delivered(whole: Assembly, destination: Destination) -> Step:
    """A delivery of the newest entry, under a secret of its own that nobody keeps."""
    webhooks, reading = whole.services.webhooks, whole.current()
    secret, subscription = make_secret(os.urandom), f"test-{secrets.token_hex(8)}"
    entry = cast("Site", reading.root).changelog[0].id
    body = body_of(reading.read, entry, _changelog_url(whole))
    message = message_id(subscription, entry)
    headers = signed(secret, webhooks.key, message, system_clock(), body)
    told = {"webhook-id": message, "secret": secret, "publicKey": webhooks.key.public_text}
    outcome: Answer | OutboundFault
    try:
        outcome = await webhooks.outbound.post(
            destination,
            body,
            {**headers, "user-agent": agent_of(whole.settings)},
            seconds=SECONDS,
            most_bytes=MOST_BYTES,
        )
    except OutboundFault as fault:
        outcome = fault
    verdict = Schedule(SystemRandom().uniform).verdict(outcome, 0, system_clock())
    is_taken = isinstance(verdict, Delivered)
    said = str(outcome) if isinstance(outcome, OutboundFault) else f"answered {outcome.status}"
    return Step("delivery", ok=is_taken, detail=said, fix=_fix(outcome, taken=is_taken), told=told)


def _changelog_url(whole: Assembly) -> str:
    return f"{whole.settings.public_url}{whole.operations.path(CHANGELOG)}"


def _fix(outcome: Answer | OutboundFault, *, taken: bool) -> str:
    if taken:
        return ""
    fixes = {TooSlow: SOON, Unreadable: PLAIN, Blocked: PUBLIC, Answer: TAKE}
    return fixes.get(type(outcome), REACH)


def _print(step: Step, *, quiet: bool) -> None:
    if step.ok and quiet:
        return
    print_text(f"{'ok    ' if step.ok else 'FAILED'} {step.name}: {step.detail}")
    for name, value in step.told.items():
        print_text(f"         {name}: {value}")
    if step.fix:
        print(f"       Fix: {step.fix}.", file=sys.stderr)


def _plain(step: Step) -> dict[str, object]:
    return {name: value for name, value in asdict(step).items() if value not in ("", {})}
