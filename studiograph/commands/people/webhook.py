"""`studiograph webhook test URL`: verify a receiver step by step, as a subscription would."""

import asyncio
import json
import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from random import SystemRandom

import click

from resolvers.http_client.errors import (
    BlockedTargetError,
    InvalidResponseError,
    OutboundError,
    OutboundTimeoutError,
)
from resolvers.http_client.messages import OutboundResponse
from resolvers.http_client.targets import TargetUrl
from resolvers.webhooks.fanout import event_body
from resolvers.webhooks.retry_policy import DELIVERED, MAX_BYTES, SECONDS, RetryPolicy
from resolvers.webhooks.signing import delivery_headers, make_secret, message_id
from resolvers.webhooks.verification import NO_ECHO, ChallengeRequest
from sdl.errors import InvalidInputError, VerificationFailedError
from sdl.types.scalar_types import format_instant
from studiograph.application import Application, make_application
from studiograph.cli import Invocation, json_option, note
from studiograph.commands.table import print_text
from studiograph.wiring.proofs import system_clock
from studiograph.wiring.webhooks import CHANGELOG_OPERATION, user_agent

HINT_ECHO = (
    "answer the POST with the value of `challenge` and nothing else (as text, as JSON or as a"
    " form), or the GET that follows with the value of `hub.challenge`"
)
HINT_REACHABLE = (
    "make sure that the host answers within 5 s, over TLS, with a certificate of a public authority"
)
HINT_PUBLIC = "let the name resolve to public addresses only; others are not connected to"
HINT_DNS = "make sure that the public DNS resolves the name"
HINT_TIMEOUT = f"answer within {SECONDS} s, and process the delivery afterwards"
HINT_PLAIN = "answer in HTTP/1.1 without a Content-Encoding"
HINT_STATUS = "answer 2xx; redirects are not followed, and 410 ends a subscription"


@dataclass(frozen=True)
class Step:
    """The result of one step, with a fix if it failed."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Values with which the receiver can check the step."""


@click.group()
def command() -> None:
    """Receivers of new changelog entries."""


@command.command(epilog="Example: studiograph webhook test https://receiver.example/hook")
@click.argument("url")
@json_option
@click.option("--quiet", is_flag=True, help="Print failures only.")
@click.pass_obj
def test(invocation: Invocation, *, url: str, as_json: bool, quiet: bool) -> int:
    """Send a challenge and a signed sample to URL, and print which step fails."""
    steps = asyncio.run(_run_steps(invocation, url, show=not as_json, quiet=quiet))
    if as_json:
        print(json.dumps({"ok": steps[-1].ok, "steps": [_to_json(step) for step in steps]}))
    return 0 if steps[-1].ok else 1


async def _run_steps(invocation: Invocation, url: str, *, show: bool, quiet: bool) -> list[Step]:
    app = make_application(invocation.settings, preview=True, destinations=invocation.destinations)
    steps = []
    try:
        async with aclosing(_steps(app, url)) as results:
            async for step in results:
                steps.append(step)
                if show:
                    _print(step, quiet=quiet)
    finally:
        await app.services.close()
    return steps


async def _steps(app: Application, url: str) -> AsyncGenerator[Step, None]:
    """Yield the result of each step, up to the first that fails."""
    try:
        target = app.services.webhooks.outbound.destinations.parse(url)
    except InvalidInputError as error:
        rules = "; ".join(f"{problem.path} {problem.rule}" for problem in error.problems)
        yield Step("url", ok=False, detail=error.detail, fix=f"the {rules}")
        return
    yield Step("url", ok=True, detail=f"host {target.host}, port {target.port}")
    for run in (_resolve, _challenge, _deliver):
        step = await run(app, target)
        yield step
        if not step.ok:
            return


async def _resolve(app: Application, target: TargetUrl) -> Step:
    try:
        addresses = await app.services.webhooks.outbound.destinations.addresses(target)
    except OutboundError as error:
        fix = HINT_PUBLIC if isinstance(error, BlockedTargetError) else HINT_DNS
        return Step("addresses", ok=False, detail=str(error), fix=fix)
    return Step("addresses", ok=True, detail=", ".join(map(str, addresses)))


async def _challenge(app: Application, target: TargetUrl) -> Step:
    timestamp = format_instant(system_clock().replace(microsecond=0))
    challenge = ChallengeRequest(_changelog_url(app), timestamp, {})
    try:
        await app.services.webhooks.verifier.verify(target, challenge)
    except VerificationFailedError as error:
        fix = HINT_ECHO if error.reason == NO_ECHO else HINT_REACHABLE
        return Step("challenge", ok=False, detail=error.detail, fix=fix)
    return Step("challenge", ok=True, detail="the receiver sends the challenge back")


async def _deliver(app: Application, target: TargetUrl) -> Step:
    """Deliver the newest entry, signed with a new secret that is not stored."""
    webhooks, snapshot = app.services.webhooks, app.current()
    secret, subscription = make_secret(os.urandom), f"test-{secrets.token_hex(8)}"
    entry = snapshot.data.changelog[0].id
    body = event_body(snapshot.read, entry, _changelog_url(app))
    message = message_id(subscription, entry)
    timestamp = int(system_clock().timestamp())
    headers = delivery_headers(secret, webhooks.key, message, timestamp, body)
    values = {"webhook-id": message, "secret": secret, "publicKey": webhooks.key.public_text}
    outcome: OutboundResponse | OutboundError
    try:
        outcome = await webhooks.outbound.post(
            target,
            body,
            {**headers, "user-agent": user_agent(app.settings)},
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )
    except OutboundError as error:
        outcome = error
    decision = RetryPolicy(SystemRandom().uniform).decide(outcome, 0, system_clock())
    ok = decision.verdict == DELIVERED
    detail = str(outcome) if isinstance(outcome, OutboundError) else f"answered {outcome.status}"
    return Step("delivery", ok=ok, detail=detail, fix="" if ok else _fix(outcome), values=values)


def _changelog_url(app: Application) -> str:
    return f"{app.settings.public_url}{app.operations.path(CHANGELOG_OPERATION)}"


def _fix(outcome: OutboundResponse | OutboundError) -> str:
    fixes = {
        OutboundTimeoutError: HINT_TIMEOUT,
        InvalidResponseError: HINT_PLAIN,
        BlockedTargetError: HINT_PUBLIC,
        OutboundResponse: HINT_STATUS,
    }
    return fixes.get(type(outcome), HINT_REACHABLE)


def _print(step: Step, *, quiet: bool) -> None:
    if step.ok and quiet:
        return
    print_text(f"{'ok    ' if step.ok else 'FAILED'} {step.name}: {step.detail}")
    for name, value in step.values.items():
        print_text(f"         {name}: {value}")
    if step.fix:
        note(f"       Fix: {step.fix}.")


def _to_json(step: Step) -> dict[str, object]:
    required = {"name": step.name, "ok": step.ok, "detail": step.detail}
    optional = {"fix": step.fix, "told": step.values}
    return {**required, **{name: value for name, value in optional.items() if value}}
