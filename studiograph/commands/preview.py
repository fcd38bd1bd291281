"""`studiograph preview`: the content as agents would read it, on this machine alone.

It has keys, a log and an inbox of its own, in a folder that is removed at its end. So what is shown
is neither signed with the studio's key nor published in its log. What each save changes is printed
in words, and shown on a page for the owner's own browser, which answers GET alone, on this machine
alone, under an address that cannot be guessed; every text of the content and of the address goes
through the serializer of `xml.etree`, which escapes it.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import secrets
import socket
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

import click
import httpx
import uvicorn
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from content.checking.errors import ContentError, ContentProblem
from content.checking.first_questions import FIRST_QUESTIONS, unanswered_questions
from mcp_bridge.description import PATH as MCP_PATH
from resolvers.chat.conversation import request_of
from resolvers.chat.pipeline import ChatPipeline
from resolvers.embeddings.errors import ModelError
from resolvers.transparency.statements import content_reads
from rest_bridge.http.middleware import RequestGuard
from schema.services.chat import Answered, ChatInput
from sdl.errors import AiUnavailableError, NotFoundError, StudiographError
from sdl.operations.catalog import is_answered
from sdl.tools.table import print_text
from studiograph.application import Application, make_application
from studiograph.asgi import Beside
from studiograph.cli import note, pass_settings, quiet_option
from studiograph.commands.check import faults_and_warnings
from studiograph.commands.publish import (
    Difference,
    Said,
    difference_between,
    lines_of,
    published_in,
    said_by,
)
from studiograph.commands.serve import serve
from studiograph.reload import running
from studiograph.settings import LOCAL_HOSTS, Settings

HERE = "127.0.0.1"
_REUSED = ("models", "vectors")
"""Folders of the data folder that say nothing to others, and take long to make."""
_NOWHERE = {
    "database_url": "",
    "jobs_url": "",
    "smtp_url": SecretStr(""),
    "mail_listen": "",
    "metrics_port": 0,
    "workers": 1,
}
"""Settings without which a preview reaches no store, no mail server and no port but its own."""
_SAID_IN_WORDS = ("studiograph.access", "studiograph.content.reloads")
"""Those parts of a server's log in whose place a preview says what a save changes."""


@click.command(epilog="Example: studiograph preview --port 8001")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; that of the settings else.")
@quiet_option
@pass_settings
def preview_command(settings: Settings, *, port: int | None, quiet: bool) -> int:
    """Serve the content on this machine until Ctrl-C, and show what is saved at once.

    Each save prints what it changes in words, what is wrong, and which of the questions that agents
    ask first are answered otherwise. The address that is printed at the start is a page for your
    browser with what crawlers, MCP clients, search and chat get. Nothing is published: keys, log
    and messages are made anew and removed at the end.
    """
    with TemporaryDirectory(prefix="studiograph-preview-") as folder:
        data = Path(folder) / "var"
        share(settings.data, data)
        apart = settings.model_copy(update={**_NOWHERE, "data": data})
        here: dict[str, Any] = {"host": HERE, "base_url": "", "allowed_hosts": ()}
        if port is not None:
            here["port"] = port
        for name in _SAID_IN_WORDS:
            logging.getLogger(name).addFilter(lambda _: False)
        for name in ("studiograph.answers", "watchfiles"):
            logging.getLogger(name).setLevel(logging.WARNING)
        if not quiet:
            note("This is a preview: saved changes show at once, and nothing is published.")
        return serve(
            apart.model_copy(update=here),
            watch=True,
            quiet=quiet,
            beside=showing(settings, apart, quiet=quiet),
        )


def share(data: Path, preview: Path) -> None:
    """Let a preview use the models and vectors of the data folder."""
    preview.mkdir(mode=0o700)
    for name in _REUSED:
        if (data / name).is_dir():
            (preview / name).symlink_to((data / name).absolute())


def showing(own: Settings, apart: Settings, *, quiet: bool) -> Beside:
    """Return what runs beside the service of a preview: the words of each save, and the page.

    `own` are the owner's settings, and `apart` the same without a way to any store.
    """

    @asynccontextmanager
    async def show(app: Application, service: ASGIApp) -> AsyncIterator[None]:
        saves = Saves(app, own, apart)
        page = PreviewPage(saves, service)
        listening = socket.create_server((HERE, 0))
        config = uvicorn.Config(
            RequestGuard(page, LOCAL_HOSTS, preview=True),
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
        )
        server = _BesideAnother(config)
        if not quiet:
            address = f"http://{HERE}:{listening.getsockname()[1]}{page.path}"
            _say([f"What agents get, for your browser: {address}"])
        async with running(saves.follow(), server.serve([listening])):
            yield

    return show


class _BesideAnother(uvicorn.Server):
    """A server that leaves the signals to another in its process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def _say(lines: Iterable[str]) -> None:
    """Print lines and flush them; ignore it if standard output cannot be written."""
    with suppress(OSError):
        for line in lines:
            print_text(line)
        sys.stdout.flush()


LOOK_SECONDS = 0.1
"""How often it is looked whether the models have read what was saved."""


@dataclass(frozen=True)
class Reply:
    """What chat says to a question."""

    answered: Answered
    text: str


@dataclass(frozen=True)
class Seen:
    """What was found after a save."""

    said: Said
    """What the preview serves: the last good content, drafts included."""
    is_kept: bool
    """Whether that is older than the folder, because of the faults."""
    faults: tuple[str, ...]
    warnings: tuple[ContentProblem, ...]
    difference: Difference | None
    """What a publication would change, which drafts are no part of; None if it is refused."""


@dataclass
class Saves:
    """Says what each save changes, from the start of a preview to its end."""

    app: Application
    """What the preview serves."""
    own: Settings
    """The owner's settings, by which it is published."""
    apart: Settings
    """The same without a way to any store: what is tried with these leaves nothing anywhere."""
    seen: Seen | None = None
    replies: dict[str, Reply] = field(default_factory=dict)
    """What chat says to the first questions, by their text; empty until they were asked."""
    _asked_of: str = ""
    """The revision that answered."""

    async def follow(self) -> None:
        """Say what is wrong and what is answered, and after each save what has changed."""
        self.seen = await self._look()
        _say(_wrong(None, self.seen))
        await self._ask_first_questions()
        looked, is_first = self.app.current.looked, True
        while await looked.wait():
            looked.clear()
            before, self.seen = self.seen, await self._look()
            if self.seen != before or not is_first:  # at first nobody need have saved anything
                if not self.seen.is_kept:
                    changed = lines_of(difference_between(before.said, self.seen.said))
                    _say(changed or ["Nothing that is said changes."])
                _say(_wrong(before, self.seen))
            is_first = False
            await self._ask_first_questions()

    async def _look(self) -> Seen:
        current = self.app.current
        error, said = current.error, said_by(current())
        found, warnings, difference = await asyncio.to_thread(_publication, self.own, self.apart)
        faults = tuple(dict.fromkeys([*_faults_of(error), *found]))
        return Seen(said, error is not None, faults, warnings, difference)

    async def _ask_first_questions(self) -> None:
        """Ask them all, and say what is answered otherwise; a new save ends that.

        A language model is not asked thirty times for each save: it would write from these lines.
        """
        current, models = self.app.current, self.app.services.models
        if self.own.ai_llm == "none":
            return
        digest, replies = current.revision.digest, dict[str, Reply]()
        if digest == self._asked_of:
            return
        while (engine := models.engine_of(digest)) is None:
            if current.looked.is_set():
                return
            await asyncio.sleep(LOOK_SECONDS)
        chat = replace(engine.chat, writing=None)
        try:
            for question in FIRST_QUESTIONS:
                if current.looked.is_set():
                    return
                replies[question.text] = await _reply(chat, question.text)
        except (ModelError, AiUnavailableError) as error:
            _say([f"The first questions were not asked: {error}"])
            return
        before, self.replies, self._asked_of = self.replies, replies, digest
        if before:
            _say(self._otherwise(before))
        _say([counted(replies)])

    def _otherwise(self, before: Mapping[str, Reply]) -> Iterator[str]:
        """Yield each first question that is answered otherwise than before, and how."""
        fixes = self.fixes()
        for text, reply in self.replies.items():
            if reply != before[text]:
                yield f'"{text}" ({MARKS[reply.answered]})'
                yield from (f"  {line}" for line in answer_lines(reply, fixes.get(text)))

    def fixes(self) -> dict[str, ContentProblem]:
        """Return what `check` says of first questions that nothing answers, by their text."""
        revision = self.app.current.revision
        problems = revision.reading.locate(unanswered_questions(revision.site))
        return {
            question.text: problem
            for question in FIRST_QUESTIONS
            for problem in problems
            if f'"{question.text}"' in problem.rule
        }


_UNFOUND = (
    "Chat finds no answer, though something is written about it. Fix: answer it in faq.toml, in an"
    " entry that asks it in these words."
)
MARKS = {Answered.NO: "no answer", Answered.PARTLY: "in part", Answered.YES: "answered"}


def counted(replies: Mapping[str, Reply]) -> str:
    """Return how many of the first questions have an answer."""
    kinds = [reply.answered for reply in replies.values()]
    yes, partly = kinds.count(Answered.YES), kinds.count(Answered.PARTLY)
    part = f", {partly} more in part" if partly else ""
    return f"{yes} of the {len(kinds)} questions that agents ask first have an answer{part}."


def answer_lines(reply: Reply, fix: ContentProblem | None) -> list[str]:
    """Return what chat says to a question; if that is nothing, what `check` says to write."""
    if reply.answered is Answered.NO:
        return [_UNFOUND if fix is None else str(fix)]
    return [line for line in reply.text.splitlines() if line]


async def _reply(chat: ChatPipeline, question: str) -> Reply:
    """Return what chat answers. Raises: ModelError, AiUnavailableError."""
    asked, texts, answered = ChatInput(query=question), list[str](), Answered.NO
    async with aclosing(chat.stream(request_of(question, []), asked.top_k)) as events:
        async for event in events:
            if event.data is not None:
                texts.append(event.data.token)
            elif event.complete is not None:
                answered = event.complete.answered
    return Reply(answered, "".join(texts))


def _publication(
    own: Settings, apart: Settings
) -> tuple[tuple[str, ...], tuple[ContentProblem, ...], Difference | None]:
    """Return the faults and warnings of a publication, as `check` has them, and its changes."""
    try:
        app = make_application(apart, preview=True)
        try:
            difference = difference_between(published_in(own), said_by(app.current()))
            faults, warnings = faults_and_warnings(own, app.current.revision)
        finally:
            asyncio.run(app.services.close())
    except (StudiographError, OSError) as error:
        return _faults_of(error), (), None
    return tuple(map(str, faults)), tuple(warnings), difference


def _faults_of(error: Exception | None) -> tuple[str, ...]:
    if isinstance(error, ContentError):
        return tuple(map(str, error.problems))
    return () if error is None else (str(error),)


def _wrong(before: Seen | None, now: Seen) -> Iterator[str]:
    """Yield all faults, the warnings that are new, and what follows from the faults."""
    old = before.warnings if before is not None else ()
    known = {(warning.file, warning.key, warning.rule) for warning in old}
    yield from now.faults
    for warning in now.warnings:
        if (warning.file, warning.key, warning.rule) not in known:
            yield f"{warning} (a warning)"
    if now.is_kept:
        yield "The last good content is served until this is mended."
    elif now.faults:
        yield "It is shown here all the same; a publication is refused until this is mended."
    elif before is not None and before.faults:
        yield "The content is valid again."


TOKEN_BYTES = 24
LOOPBACK = IPv4Network("127.0.0.0/8")
STYLE = """
:root { color-scheme: light dark; --edge: #8884; --soft: #8881; --good: #18794e; --bad: #c62a2f; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff8589; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem; }
h3 { font-size: .875rem; margin: 0 0 .5rem; }
p, ul { margin: 0 0 .5rem; }
pre { font: .8125rem/1.5 ui-monospace, monospace; margin: 0; max-height: 26rem; overflow: auto;
  overflow-wrap: anywhere; white-space: pre-wrap; }
.side { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
section { background: var(--soft); border: 1px solid var(--edge); border-radius: .5rem;
  min-width: 0; padding: .75rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; }
input, button { border: 1px solid var(--edge); border-radius: .375rem; font: inherit;
  padding: .375rem .75rem; }
input { flex: 1 1 16rem; min-width: 0; }
nav { display: flex; flex-wrap: wrap; gap: .25rem .75rem; margin: 0 0 .75rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
dl { font-size: .875rem; margin: 0; max-height: 26rem; overflow: auto; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; white-space: pre-wrap; }
"""
_HASH = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
}
"""Those of this page alone; the request guard adds what all answers of a preview have."""
_JSON_AND_EVENTS = "application/json, text/event-stream"


@dataclass
class PreviewPage:
    """The page as an ASGI application."""

    saves: Saves
    service: ASGIApp
    """The preview itself, which is asked as an agent asks it."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))

    @property
    def path(self) -> str:
        """The one path that is answered."""
        return f"/{self.token}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises: NotFoundError."""
        if not hmac.compare_digest(scope["path"].encode(), self.path.encode()):
            raise NotFoundError("There is nothing here.")
        if scope["method"] != "GET":
            await Response(status_code=405, headers={"allow": "GET"})(scope, receive, send)
            return
        asked = Request(scope).query_params
        page = await self._page(asked.get("q", "").strip(), asked.get("read", ""))
        html = f"<!doctype html>{ET.tostring(page, encoding='unicode', method='html')}"
        await HTMLResponse(html, headers=HEADERS)(scope, receive, send)

    async def _page(self, question: str, read: str) -> ET.Element:
        name, paths = self.saves.app.current().data.studio.name, self._sections()
        read = read if read in paths else paths[0]
        if not question and self.saves.own.ai_llm != "openai-like":  # nobody asked it to be asked
            question = FIRST_QUESTIONS[0].text
        page = ET.Element("html", lang="en")
        head = _add(page, "head")
        _add(head, "meta", charset="utf-8")
        _add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
        _add(head, "title", f"Preview of {name}")
        _add(head, "style", STYLE)
        body = _add(page, "body")
        _add(body, "h1", f"Preview of {name}")
        _add(body, "p", "Nothing here is published. Reload this page after a save.")
        self._add_wrong(body)
        _add(body, "h2", "What is answered")
        form = _add(body, "form", method="get")
        _add(form, "input", type="hidden", name="read", value=read)
        label = {"aria-label": "A question", "name": "q", "value": question}
        _add(form, "input", type="search", **label)
        _add(form, "button", "Ask chat, search and MCP")
        if question:
            await self._add_answers(_add(body, "div", **_SIDE), question)
        _add(body, "h2", "What is asked first, and what a publication would change")
        side = _add(body, "div", **_SIDE)
        self._add_first_questions(_add(side, "section"))
        self._add_difference(_add(side, "section"))
        _add(body, "h2", "What is read", id="read")
        nav = _add(body, "nav")
        for path in paths:
            address = httpx.QueryParams(q=question, read=path)
            _add(nav, "a", path.removeprefix("/api/"), href=f"?{address}#read")
        await self._add_reads(_add(body, "div", **_SIDE), read)
        return page

    def _sections(self) -> list[str]:
        snapshot = self.saves.app.current()
        return [
            operation.rest.path
            for operation in content_reads(snapshot.operations)
            if operation.rest is not None
            and not operation.path_variables
            and is_answered(operation, snapshot)
        ]

    def _add_wrong(self, body: ET.Element) -> None:
        """Add the faults and warnings, as `check` says them."""
        if (seen := self.saves.seen) is None:
            return
        wrong = [(fault, "bad") for fault in seen.faults]
        wrong += [(f"{warning} (a warning)", "") for warning in seen.warnings]
        if not wrong:
            _add(body, "p", "The content is valid.", **{"class": "good"})
            return
        kept = ": this page shows the last good content" if seen.is_kept else ""
        section = _add(body, "section")
        _add(section, "h3", f"Faults{kept}" if seen.faults else "Warnings")
        items = _add(section, "ul")
        for text, kind in wrong:
            _add(items, "li", text, **{"class": kind})

    async def _add_answers(self, side: ET.Element, question: str) -> None:
        query = httpx.QueryParams(query=question)
        for title, path in (("Chat", "/api/chat"), ("Search", "/api/search")):
            answer = await self._ask(f"{path}?{query}", "text/markdown")
            _add_text(side, f"{title}: GET {path}?query=", _told(answer))
        called = await self._mcp("tools/call", name="ask", arguments={"query": question})
        texts = [part.get("text", "") for part in called.get("content", ())]
        _add_text(side, "MCP: the tool ask", "\n".join(texts) or json.dumps(called))

    def _add_first_questions(self, section: ET.Element) -> None:
        replies, fixes = self.saves.replies, self.saves.fixes()
        _add(section, "h3", "First questions")
        if not replies:
            off = self.saves.own.ai_llm == "none"
            _add(section, "p", "Chat is switched off." if off else "They are being asked.")
            return
        _add(section, "p", counted(replies))
        answers = _add(section, "dl", tabindex="0")
        kinds = {Answered.NO: "bad", Answered.YES: "good"}
        for answered, mark in MARKS.items():  # those without an answer first
            for text, reply in replies.items():
                if reply.answered is answered:
                    kind = kinds.get(answered, "")
                    _add(answers, "dt", f"{text} ({mark})", **{"class": kind})
                    _add(answers, "dd", "\n".join(answer_lines(reply, fixes.get(text))))

    def _add_difference(self, section: ET.Element) -> None:
        _add(section, "h3", "Since the last publication, without drafts")
        seen = self.saves.seen
        difference = seen.difference if seen is not None else None
        if difference is None:
            why = "It is being compared." if seen is None else "The faults must be mended first."
            _add(section, "p", why)
            return
        if not difference.published:
            _add(section, "p", "Nothing is published yet: all of it is new.")
        lines = lines_of(difference)
        said = _add(section, "pre", tabindex="0")
        for line in lines or ["Nothing would change."]:
            kind = {"+": "good", "-": "bad"}.get(line.strip()[:1], "")
            _add(said, "span", f"{line}\n", **{"class": kind})

    async def _add_reads(self, side: ET.Element, read: str) -> None:
        for path in ("/", "/llms.txt", read):
            answer = await self._ask(path, "text/markdown")
            _add_text(side, f"A crawler: GET {path} as markdown", _told(answer))
        section = _add(side, "section")
        _add(section, "h3", "An MCP client: its tools")
        tools = _add(section, "dl", tabindex="0")
        for tool in (await self._mcp("tools/list")).get("tools", ()):
            _add(tools, "dt", tool["name"])
            _add(tools, "dd", tool.get("description", ""))

    async def _ask(
        self, path: str, accept: str, body: dict[str, Any] | None = None
    ) -> httpx.Response:
        """Return what the preview answers to a caller of its own, whom no rate limit knows yet."""
        caller = str(LOOPBACK[secrets.randbelow(LOOPBACK.num_addresses)])
        transport = httpx.ASGITransport(self.service, client=(caller, 0))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            method = "GET" if body is None else "POST"
            return await client.request(method, path, json=body, headers={"accept": accept})

    async def _mcp(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a call of MCP, or its error."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = (await self._ask(MCP_PATH, _JSON_AND_EVENTS, message)).json()
        result: dict[str, Any] = answer.get("result", answer)
        return result


_SIDE = {"class": "side"}


def _told(answer: httpx.Response) -> str:
    """Return a body, after its status where that is no success."""
    return answer.text if answer.is_success else f"{answer.status_code}\n{answer.text}"


def _add_text(side: ET.Element, title: str, text: str) -> None:
    section = _add(side, "section")
    _add(section, "h3", title)
    _add(section, "pre", text, tabindex="0")


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element whose text and attributes are escaped where it is written."""
    added = ET.SubElement(parent, tag, {name: value for name, value in attributes.items() if value})
    added.text = text
    return added
