"""Readers of the discovery documents: the addresses and media types that each names."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
from relax_ng import xml

ATOM = "{http://www.w3.org/2005/Atom}"
RSL = "{https://rslstandard.org/rsl}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"

AGENT = "/.well-known/agent.json"
AI_CATALOG = "/.well-known/ai-catalog.json"
API_CATALOG = "/.well-known/api-catalog"
ARD = "/.well-known/ard.json"
SKILLS = "/.well-known/agent-skills/index.json"
SECURITY = "/.well-known/security.txt"

_LINK = re.compile(r"(?m)^- \[[^\]]*\]\(([^)]+)\)")
_POINTER = re.compile(r"<([^>]*)>((?:; ?[a-z]+=\"[^\"]*\")*)")

Named = Iterator[tuple[str, str | None]]
"""Addresses, each with the media type that is promised of it, where one is."""


@dataclass(frozen=True)
class Pointer:
    """One element of a Link header."""

    target: str
    rel: str
    media_type: str


def pointers(response: httpx.Response) -> list[Pointer]:
    """The elements of the Link header."""
    found = []
    for target, parameters in _POINTER.findall(response.headers.get("link", "")):
        given = dict(re.findall(r"; ?([a-z]+)=\"([^\"]*)\"", parameters))
        found.append(Pointer(target, given.get("rel", ""), given.get("type", "")))
    return found


def of_markdown(response: httpx.Response) -> Named:
    """The links, and the index that the first line names."""
    if pointer := re.match(r"> .*: (/\S+)\n", response.text):
        yield pointer[1], None
    for address in _LINK.findall(response.text):
        yield address, "text/markdown" if address.endswith(".md") else None


def of_index(response: httpx.Response) -> Named:
    for section in response.json()["sections"]:
        for link in section["links"]:
            yield link["url"], None


def of_sitemap(response: httpx.Response) -> Named:
    for location in xml(response.content).iter(f"{SITEMAP}loc"):
        yield str(location.text), None


def of_api_catalog(response: httpx.Response) -> Named:
    for context in response.json()["linkset"]:
        yield context.pop("anchor"), None
        for targets in context.values():
            yield from ((target["href"], target.get("type")) for target in targets)


def of_agent(response: httpx.Response) -> Named:
    agent = response.json()
    for address in (agent["url"], agent["documentationUrl"], agent["licensing"]["url"]):
        yield address, None
    yield from ((endpoint["url"], endpoint["type"]) for endpoint in agent["endpoints"])
    yield from ((address, None) for address in agent["links"].values())


def of_ai_catalog(response: httpx.Response) -> Named:
    catalog = response.json()
    yield catalog["host"]["documentationUrl"], None
    yield catalog["host"]["identifier"], None
    for entry in catalog["entries"]:
        yield entry["url"], entry["type"].partition(";")[0]


def of_skills(response: httpx.Response) -> Named:
    for skill in response.json()["skills"]:
        yield skill["url"], "text/markdown"


def of_robots(response: httpx.Response) -> Named:
    kinds = {
        "License": "application/rsl+xml",
        "Sitemap": "application/xml",
        "Agentmap": "application/json",
    }
    for name, address in re.findall(r"(?m)^(License|Sitemap|Agentmap): (\S+)$", response.text):
        yield address, kinds[name]


def of_licence(response: httpx.Response) -> Named:
    for terms in xml(response.content).iter(f"{RSL}terms"):
        yield str(terms.text), None


def of_security(response: httpx.Response) -> Named:
    for address in re.findall(r"(?m)^Canonical: (\S+)$", response.text):
        yield address, "text/plain"


def of_feed(response: httpx.Response) -> Named:
    yield response.json()["feed_url"], "application/feed+json"


def of_atom(response: httpx.Response) -> Named:
    for link in xml(response.content).findall(f"{ATOM}link[@rel='self']"):
        yield link.attrib["href"], link.attrib["type"]


def of_pulse(response: httpx.Response) -> Named:
    yield response.json()["next"], None


def of_openapi(response: httpx.Response) -> Named:
    yield from ((f"{server['url']}/", None) for server in response.json()["servers"])


SURFACES: dict[str, Callable[[httpx.Response], Named]] = {
    "/": of_markdown,
    "/index.json": of_index,
    "/llms.txt": of_markdown,
    "/sitemap.xml": of_sitemap,
    "/openapi.json": of_openapi,
    API_CATALOG: of_api_catalog,
    AGENT: of_agent,
    ARD: of_ai_catalog,
    AI_CATALOG: of_ai_catalog,
    SKILLS: of_skills,
    "/agents.md": of_markdown,
    "/robots.txt": of_robots,
    "/license.xml": of_licence,
    SECURITY: of_security,
    "/api/feed.json": of_feed,
    "/feed.xml": of_atom,
    "/api/agent-pulse": of_pulse,
}

Get = Callable[[str], httpx.Response]


def named_by(path: str, get: Get, base: str) -> list[tuple[str, str | None]]:
    """What a surface names, as absolute addresses."""
    found = SURFACES[path](get(path))
    return [(urljoin(f"{base}/", address), kind) for address, kind in found]


def below(base: str, addresses: Iterable[str]) -> set[str]:
    """The paths of addresses, with their queries; all of them must be below the base."""
    strangers = [address for address in addresses if not address.startswith((f"{base}/", base))]
    assert strangers == []
    return {address.removeprefix(base) or "/" for address in addresses}


SUFFIXES = {"json": "application/json", "md": "text/markdown", "jsonld": "application/ld+json"}


class Described:
    """What OpenAPI says of paths."""

    def __init__(self, text: str) -> None:
        told = json.loads(text)
        self.paths: dict[str, Any] = told["paths"]
        self.parameters: dict[str, Any] = told["components"]["parameters"]
        self.templates = {
            re.compile(re.sub(r"\\{\w+\\}", r"[^/]+", re.escape(path))): path for path in self.paths
        }

    def path(self, address: str) -> str | None:
        """The path of the description that an address is at."""
        path = urlsplit(address).path or "/"
        if path in self.paths:
            return path
        return next((known for t, known in self.templates.items() if t.fullmatch(path)), None)

    def plain(self, address: str) -> str:
        """The path of the description, also for an address with the suffix of one form."""
        stem = re.sub(r"(?:(?<=/)index)?\.(?:md|jsonld|json)$", "", urlsplit(address).path)
        return self.path(address) or self.path(stem) or ""

    def readable(self) -> set[str]:
        """Every path that can be asked for as it stands, in whichever form."""
        free = {
            path
            for path, item in self.paths.items()
            if "{" not in path and not any(self._required(item["get"]))
        }
        return {self.plain(path) for path in free}

    def _required(self, operation: dict[str, Any]) -> Iterator[bool]:
        for parameter in operation.get("parameters", ()):
            name = parameter.get("$ref", "").rpartition("/")[2]
            yield self.parameters.get(name, parameter).get("required", False)

    def media_types(self, address: str) -> list[str]:
        """What is answered there."""
        path = self.path(address)
        if path is not None:
            return self._forms(path)
        stem, form = self.plain(address), SUFFIXES[urlsplit(address).path.rpartition(".")[2]]
        return [form] if stem and form in self._forms(stem) else []

    def addresses(self) -> Iterator[str]:
        """Every path, and those under the suffixes of its forms."""
        yield from self.paths
        for path, item in self.paths.items():
            forms = self._forms(path) if "get" in item else []
            if {SUFFIXES["json"], SUFFIXES["md"]} <= {*forms}:
                stem = f"{path}index" if path.endswith("/") else path
                yield from (f"{stem}.{suffix}" for suffix in SUFFIXES if SUFFIXES[suffix] in forms)

    def _forms(self, path: str) -> list[str]:
        return [*self.paths[path]["get"]["responses"]["200"]["content"]]


def essence(response: httpx.Response) -> str:
    """The media type without its parameters."""
    return str(response.headers["content-type"]).partition(";")[0]
