"""A page for the owner's own browser: what agents get of a preview, side by side.

It answers GET alone, on this machine alone, under an address that cannot be guessed. Every text of
the content and of the address goes through the serializer of `xml.etree`, which escapes it.
"""

import hashlib
import hmac
import json
import secrets
from base64 import b64encode
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Any
from xml.etree import ElementTree as ET

import httpx
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from content.checking.first_questions import FIRST_QUESTIONS
from mcp_bridge.description import PATH as MCP_PATH
from resolvers.transparency.statements import content_reads
from schema.services.chat import Answered
from sdl.errors import NotFoundError
from sdl.operations.catalog import is_answered
from studiograph.commands.studio.diff import lines_of
from studiograph.preview.saves import MARKS, Saves, answer_lines, counted

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
        wrong += [(f"{warning} (a warning)", "") for warning in seen.publication.warnings]
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
        difference = seen.publication.difference if seen is not None else None
        if difference is None:
            why = "It is being compared." if seen is None else "The faults must be mended first."
            _add(section, "p", why)
            return
        if not difference.published:
            _add(section, "p", "Nothing is published yet: all of it is new.")
        lines = lines_of(difference, whole=True)
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
