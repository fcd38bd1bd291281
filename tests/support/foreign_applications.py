"""Foreign applications, served by one statement and asked what their owners expect.

`foreign_applications.py NAME` prints what an application answers otherwise; with `serve` before the
name it is served on a port of its own. Each is a folder of `tests/conformance/foreign`: its schema
with what else is given to `Surfaces`, its operations, and what its owner expects.
"""

import asyncio
import json
import re
import socket
import sys
from collections.abc import Iterator
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import httpx
import jsonschema
from foreign_expectations import MCP, Call, Caller, Probe, Result, rpc
from openapi_spec_validator import validate

from surfaces import Surfaces
from surfaces.drafting import draft
from surfaces.facade import RESERVED
from surfaces.trying import try_examples

FOLDER = Path(__file__).parents[1] / "conformance/foreign"
HOST = "http://localhost"
INTERLEAVED = 100
CHECKED_ITEMS = 50
"""How many items of a list are checked against its schema; one of 5,000 takes seconds."""
DOCUMENTS = ("llms.txt", "sitemap.xml", "robots.txt", "openapi.json", "mcp", "llms-full.txt")
KNOWN = ("api-catalog", "agent.json", "ard.json", "ai-catalog.json")
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
GONE = (404, 405)
SERVER_ERROR = 500


class Application:
    """One application, with what its owner expects."""

    def __init__(self, name: str, host: str = HOST) -> None:
        """Serve it at an address. Raises: what its own modules and `Surfaces` raise."""
        sys.path.append(str(FOLDER / name))
        own = import_module(f"{name}_app")
        self.expected = import_module(f"{name}_expected")
        self.base: str = getattr(own, "BASE", "")
        options = {"url": host + self.base, **own.OPTIONS}
        self.surfaces = Surfaces(own.schema, FOLDER / name / "operations", **options)
        self.app = own.mounted(self.surfaces) if hasattr(own, "mounted") else self.surfaces
        self.counts = dict.fromkeys(
            ("probes", "tools", "examples", "links", "answers", "drafts"), 0
        )

    async def otherwise(self) -> list[str]:
        """Return what is not as expected."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
            self.client = client
            self.faults: list[str] = []
            for part in (self.probes, self.tools, self.examples, self.links, self.callers):
                await part()
        self.drafts()
        tried = await try_examples(self.surfaces, {}, writes=False)
        self.expect("the surfaces agree", not tried.problems, [*map(str, tried.problems)])
        return self.faults

    async def asked(self, what: str, headers: Any = None, body: Any = None) -> httpx.Response:
        """Ask, as nobody before; what is answered must be declared."""
        method, _, path = what.partition(" ")
        self.client.cookies.clear()
        sent: dict[str, Any] = {"content": body} if isinstance(body, str) else {"json": body}
        answer = await self.client.request(
            method, path, headers=headers, **(sent if body is not None else {})
        )
        self.counts["answers"] += 1
        return answer

    async def tell(self, method: str, headers: Any = None, **params: Any) -> Result:
        """Send a message of MCP; return its result, or `{error}`."""
        answer = await self.asked(
            f"POST {self.base}/mcp", {**MCP, **(headers or {})}, rpc(method, **params)
        )
        said: Result = answer.json()
        result: Result = said.get("result", {"error": said})
        return result

    def expect(self, claim: str, holds: object, came: object = "") -> None:
        """Note a claim that does not hold."""
        if not holds:
            self.faults.append(f"{claim}: {str(came)[:400]}")

    def anew(self) -> None:
        """Put the owner's data back as it was."""
        getattr(self.expected, "before", bool)()

    async def probes(self) -> None:
        """Ask what the owner would ask over HTTP."""
        probes: list[Probe] = self.expected.PROBES
        document = (await self.asked(f"GET {self.base}/openapi.json")).json()
        validate(document)
        self.contract = Contract(document)
        for own in probes:
            self.counts["probes"] += 1
            self.anew()
            answer = await self.asked(own.asked, own.headers, own.body)
            holds = answer.status_code == own.status and holding(own.holds, answer)
            self.expect(own.title, holds is True, f"{answer.status_code} {holds} {answer.text}")
            if answer.status_code not in getattr(self.expected, "UNDECLARED", ()):
                self.promised(answer)

    def promised(self, answer: httpx.Response) -> None:
        """Note what an answer breaks of the OpenAPI description."""
        path = answer.request.url.path
        if path.startswith(self.base):
            for fault in self.contract.faults(path.removeprefix(self.base), answer):
                self.expect(f"{answer.request.method} {path}", holds=False, came=fault)

    async def tools(self) -> None:
        """Call what the owner would have called over MCP."""
        calls: list[Call] = self.expected.TOOLS
        listed = {tool["name"]: tool for tool in (await self.tell("tools/list"))["tools"]}
        declared = {own.mcp.tool for own in self.surfaces.operations if own.mcp is not None}
        self.expect("each tool is listed", declared == {*listed}, listed)
        for own in calls:
            self.counts["tools"] += 1
            self.anew()
            sent = {"name": own.tool, "arguments": own.arguments}
            result = await self.tell("tools/call", own.headers, **sent)
            holds = holding(own.holds, result)
            self.expect(f"{own.tool} {own.arguments}", holds is True, f"{holds} {result}")
            schema = listed.get(own.tool, {}).get("outputSchema")
            if schema and not result.get("isError") and "error" not in result:
                self.expect(own.tool, fits(schema, result["structuredContent"]), result)
        for own in (await self.tell("resources/list")).get("resources", ()):
            read = await self.tell("resources/read", uri=own["uri"])
            self.expect(own["uri"], read.get("contents"), read)

    async def examples(self) -> None:
        """Ask every example of an operation."""
        for own in self.surfaces.operations:
            if own.rest is None or (
                not own.is_query and own.node.operation.value == "subscription"
            ):
                continue
            for example in own.examples:
                self.counts["examples"] += 1
                self.anew()
                left = dict(example.variables)
                values = {name: left.pop(name) for name in own.path_variables}
                path = own.rest.path.format_map({n: quote(str(v)) for n, v in values.items()})
                left |= left.pop("input", {})
                body = left if own.rest.method not in ("GET", "DELETE") else None
                query = urlencode({n: as_text(v) for n, v in left.items()}) if body is None else ""
                headers = getattr(self.expected, "EXAMPLES", {}).get(own.name)
                answer = await self.asked(
                    f"{own.rest.method} {self.base}{path}{'?' * bool(query)}{query}", headers, body
                )
                holds = answer.status_code == example.status
                self.expect(f"{own.name} {path}", holds, f"{answer.status_code} {answer.text}")
                self.promised(answer)

    async def links(self) -> None:
        """Follow the links of all documents; none speaks of another's business."""
        own = {probe.asked: probe.status for probe in self.expected.PROBES}
        texts = {path: await self.asked(f"GET {self.base}/{path}") for path in DOCUMENTS}
        texts |= {p: await self.asked(f"GET {self.base}/.well-known/{p}") for p in KNOWN}
        found = {link for text in texts.values() for link in links_of(text)}
        self.counts["links"] = len(found)
        for link in sorted(found):
            answer = await self.asked(f"GET {link}")
            status = answer.status_code
            is_own = own.get(f"GET {answer.request.url.path}") == status
            self.expect(link, is_own or (status not in GONE and status < SERVER_ERROR), status)
        told = [json.dumps(await self.tell(method)) for method in LISTS]
        words = [*told, *(text.text for text in texts.values() if text.status_code < min(GONE))]
        self.expect("no studio", not any("studio" in text.lower() for text in words))

    def drafts(self) -> None:
        """Draft operations for the schema: they can be served."""
        schema = self.surfaces.live.schema
        with TemporaryDirectory() as place:
            folder = Path(place) / "operations"
            drafts = draft(schema._schema, folder, partial(Surfaces, schema), RESERVED)  # noqa: SLF001 - it has no public name
            served = Surfaces(schema, folder)
        self.counts["drafts"] = len(drafts.written)
        refused = [left for left in drafts.left if "it is deprecated" not in left]
        self.expect("each field is drafted", not refused and [*served.operations], refused)

    async def callers(self) -> None:
        """Let two callers ask at once: neither sees what is the other's."""
        callers: list[Caller] = self.expected.CALLERS

        async def ask(own: Caller) -> None:
            answer = await self.asked(own.asked, own.headers, own.body)
            text = answer.text
            self.expect(
                own.asked, answer.is_success and own.own in text and own.other not in text, text
            )

        many = (callers[i % len(callers)] for i in range(INTERLEAVED if callers else 0))
        await asyncio.gather(*map(ask, many))


class Contract:
    """The OpenAPI description of an application."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.components = document.get("components", {})

    @cached_property
    def paths(self) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
        """The patterns of paths with their items, those without variables first."""
        items = sorted(self.document["paths"].items(), key=lambda item: item[0].count("{"))
        return [(re.compile(re.sub(r"\\\{[^}]+\}", "[^/]+", re.escape(p))), i) for p, i in items]

    def faults(self, path: str, answer: httpx.Response) -> Iterator[str]:
        """Yield what an answer breaks of what is said of its path; nothing is of another path."""
        method, status = answer.request.method.lower(), str(answer.status_code)
        item = next((item for pattern, item in self.paths if pattern.fullmatch(path)), {})
        if method not in item:
            return
        declared = item[method]["responses"]
        found = (declared.get(key) for key in (status, f"{status[0]}XX", "default"))
        response = next(filter(None, found), None)
        if response is None:
            yield f"{status} is not declared"
            return
        if "$ref" in response:
            response = self.components["responses"][response["$ref"].rpartition("/")[2]]
        media = answer.headers.get("content-type", "").partition(";")[0]
        if "json" not in media:
            return
        if media not in response.get("content", {}):
            yield f"{status} is not declared as {media}"
            return
        body = answer.json()
        body = body[:CHECKED_ITEMS] if isinstance(body, list) else body
        schema = {**response["content"][media]["schema"], "components": self.components}
        if not fits(schema, body):
            yield f"{status} is not of its schema: {answer.text}"


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a value is of a schema."""
    return jsonschema.Draft202012Validator(schema).is_valid(value)


def holding(test: Any, came: object) -> object:
    """What an owner's test says, or what it raises."""
    try:
        return test(came)
    except Exception as error:  # noqa: BLE001 - it is told with what came
        return repr(error)


def links_of(answer: httpx.Response) -> set[str]:
    """What a document links to within its service, without templates."""
    found = re.findall(r"\]\(([^)\s]+)\)|<loc>([^<]+)|\"(https?://[^\"]+)\"", answer.text)
    found += re.findall(r"<(/[^>]+)>()()", answer.headers.get("link", ""))
    texts = {text.replace("&amp;", "&") for one in found for text in one if text}
    links = {urljoin(str(answer.request.url), text).partition("#")[0] for text in texts}
    return {link for link in links if link.startswith(f"{HOST}/") and not {*"{%"} & {*link}}


def as_text(value: object) -> str:
    """A variable as a query string has it."""
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def serve(name: str) -> int:
    """Serve an application on a port of its own, which is printed, until a signal comes."""
    uvicorn = import_module("uvicorn")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        app = Application(name, address).app
        sys.stdout.write(f"{name} listens on {address}; it stops by a signal\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])
    return 0


def main(name: str) -> int:
    """Print what is otherwise, and how much was asked; return how the program ends."""
    own = Application(name)
    faults = asyncio.run(own.otherwise())
    counted = ", ".join(f"{count} {what}" for what, count in own.counts.items())
    sys.stdout.write("\n".join([*faults, f"{name}: {counted}, {len(faults)} otherwise", ""]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit((serve if sys.argv[1] == "serve" else main)(sys.argv[-1]))
