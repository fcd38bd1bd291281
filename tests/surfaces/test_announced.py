"""Nothing is announced that does not answer, and nothing answers that is not announced."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from discovery_claims import API_CATALOG, SURFACES, Described, essence, pointers
from local_service import Ask
from mcp_messages import BOTH, post, result

from mcp_bridge.protocol.jsonrpc import METHOD_NOT_FOUND
from mcp_bridge.protocol.protocol_versions import STATELESS

PROBED = """/ai.txt /agents.txt /AGENTS.md /agents.json /mcp.json /llms-full.md /ask /skill.md
/.well-known/mcp /.well-known/mcp-registry-auth /.well-known/agents.json /.well-known/agents.md
/.well-known/agent-card.json /.well-known/ai-plugin.json /.well-known/llms.txt /.well-known/did.json
/.well-known/skills/index.json /.well-known/agent-skills /.well-known/agent-skills/ /ard.json
/.well-known/openid-configuration /.well-known/oauth-protected-resource /.well-known/webfinger
/.well-known/http-message-signatures-directory /.well-known/nodeinfo /openapi.yaml /swagger.json
/favicon.ico /index.html /docs /graphql /api /api/ /server.json /mcp/ /.well-known/"""
"""Paths that crawlers and clients try on other hosts."""
METHODS_OF: dict[str, set[str]] = {
    "tools": {"tools/list", "tools/call"},
    "resources": {"resources/list", "resources/templates/list", "resources/read"},
    "prompts": {"prompts/list", "prompts/get"},
    "completions": {"completion/complete"},
    "extensions": {"skills/list", "skills/get"},
}
"""The methods of each capability of MCP."""
OF_HANDSHAKE = {"initialize", "ping"}
OF_STATELESS = {"server/discover", "subscriptions/listen"}
ARGUMENTS = {
    "tools/call": {"name": "get_status"},
    "resources/read": {"uri": "studio://status"},
    "prompts/get": {"name": "introduce_studio"},
}
LONGEST = 160
"""Of a first sentence: longer ones are cut by lists of tools and of search results."""
FOR_WHO_RUNS_IT = {"/healthz", "/readyz"}


@pytest.fixture(scope="module")
def described(ask: Ask) -> Described:
    return Described(ask("/openapi.json").text)


@pytest.fixture(scope="module")
def base(ask: Ask) -> str:
    return str(ask("/.well-known/agent.json").json()["url"]).rstrip("/")


def named(ask: Ask, base: str) -> Iterator[tuple[str, str, str | None]]:
    """Where an address is named, the address, and the media type that is promised of it."""
    for surface, addresses in SURFACES.items():
        for address, kind in addresses(ask(surface)):
            yield surface, urljoin(f"{base}/", address), kind


def fault(ask: Ask, base: str, address: str, kind: str | None) -> str | None:
    """What is wrong with the answer at an address that is named."""
    if not address.startswith(base):
        return "is on another host"
    answer = ask(address.removeprefix(base) or "/")
    if answer.status_code != 200:
        return f"answers {answer.status_code}"
    return None if kind in (None, essence(answer)) else f"is {essence(answer)}"


def test_every_address_that_a_document_names_answers_as_promised(ask: Ask, base: str) -> None:
    found = set(named(ask, base))
    faults = [(where, address, fault(ask, base, address, kind)) for where, address, kind in found]
    assert len(found) > 200
    assert [found for found in faults if found[2] is not None] == []


def test_every_link_header_of_everything_named_answers_as_promised(ask: Ask, base: str) -> None:
    paths = {urlsplit(address).path or "/" for _, address, _ in named(ask, base)}
    links = {(p.target, p.media_type) for path in paths for p in pointers(ask(path))}
    faults = {(target, fault(ask, base, urljoin(base, target), kind)) for target, kind in links}
    assert len(links) > 10
    assert [found for found in faults if found[1] is not None] == []


def test_everything_that_can_be_read_is_in_the_catalog(ask: Ask, described: Described) -> None:
    listed = {described.plain(urlsplit(a).path) for a, _ in SURFACES[API_CATALOG](ask(API_CATALOG))}
    assert described.readable() - FOR_WHO_RUNS_IT - listed == set()


def test_what_the_index_leaves_out_is_in_the_catalog_that_it_names(ask: Ask, base: str) -> None:
    index = ask("/llms.txt").text
    listed = {address for address, _ in SURFACES["/llms.txt"](ask("/llms.txt"))}
    assert base + API_CATALOG in listed
    links = [a for a, _ in SURFACES[API_CATALOG](ask(API_CATALOG))]
    absent = {a for a in links if not {a, f"{a}.md"} & listed}
    signed = {a.removeprefix(base) for a in absent if ".sig" in a}
    assert len(signed) == 17
    for path, _, section in (address.partition("=") for address in signed):
        assert path in index
        assert section in index


def test_every_path_that_the_instructions_of_the_index_name_answers(ask: Ask) -> None:
    head = ask("/llms.txt").text.partition("\n## ")[0]
    paths = re.findall(r"(?<![\w/:])/[\w./?=-]*\w=?", head)
    assert len(paths) > 8
    values = {"query=": "query=price", "goal=": "goal=ask+for+the+price", "section=": "section=faq"}
    for path in paths:
        stem, mark, name = path.partition("?")
        answer = ask(f"{stem}{mark}{values.get(name, name)}")
        assert answer.status_code == 200, path


@pytest.mark.parametrize("path", PROBED.split())
def test_a_path_that_others_try_is_described_or_does_not_answer(
    path: str, ask: Ask, described: Described
) -> None:
    assert ask(path).status_code in {308, 404} or described.plain(path)


@pytest.mark.parametrize("revision", BOTH)
def test_everything_that_mcp_lists_answers(ask: Ask, revision: str) -> None:
    for found in result(ask, "resources/list", revision)["resources"]:
        [content] = result(ask, "resources/read", revision, uri=found["uri"])["contents"]
        assert content["mimeType"] == found["mimeType"]
        assert content["text"]
    for found in result(ask, "resources/templates/list", revision)["resourceTemplates"]:
        missing = re.sub(r"\{\w+\}", "no-such", found["uriTemplate"])
        assert (
            "resources"
            in post(ask, "resources/read", revision, uri=missing).json()["error"]["data"]
        )
    for found in result(ask, "tools/list", revision)["tools"]:
        called = result(ask, "tools/call", revision, name=found["name"], arguments={"none": 1})
        assert called["isError"]
        assert "none" in called["content"][0]["text"]


@pytest.mark.parametrize("revision", BOTH)
def test_mcp_knows_the_methods_of_what_it_announces_and_no_others(ask: Ask, revision: str) -> None:
    if revision == STATELESS:
        announced, begun = result(ask, "server/discover", revision), OF_STATELESS
    else:
        asked = {"capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
        announced = result(ask, "initialize", revision, protocolVersion=revision, **asked)
        begun = OF_HANDSHAKE
    methods = {method for name in announced["capabilities"] for method in METHODS_OF[name]} | begun
    refused = post(ask, "no/such", revision).json()["error"]
    assert set(refused["data"]["methods"]) == methods
    for method in methods - {"subscriptions/listen"}:
        answer: httpx.Response = post(ask, method, revision, **ARGUMENTS.get(method, {}))
        assert answer.json().get("error", {}).get("code") != METHOD_NOT_FOUND, method


def test_every_path_and_address_that_a_description_names_is_there(
    ask: Ask, described: Described
) -> None:
    texts = [*words(ask("/openapi.json").json())]
    texts += [*words(result(ask, "tools/list")), *words(result(ask, "resources/list"))]
    named = {path for text in texts for path in re.findall(r"(?<![\w/.:<`])/api/[\w/-]*\w", text)}
    assert len(named) > 6
    assert {path for path in named if not described.plain(path)} == set()
    posts = [path for path, item in described.paths.items() if "post" in item and path != "/mcp"]
    see = {path for post_path in posts for path in ask(f"{post_path}.json").json().get("see", ())}
    assert len(see) > 5
    assert {path for path in see if ask(path).status_code != 200} == set()


def test_every_description_that_a_client_lists_begins_with_a_short_sentence(ask: Ask) -> None:
    openapi = ask("/openapi.json").json()
    texts = [*words(openapi["paths"]), *words(openapi["components"]), *words(openapi["webhooks"])]
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        texts += words(result(ask, method))
    firsts = [re.split(r"(?<=[.!?])\s(?=[A-Z`])", " ".join(text.split()))[0] for text in texts]
    assert len(firsts) > 800
    assert [first for first in firsts if len(first) > LONGEST] == []


def words(value: Any) -> Iterator[str]:
    """Every description and summary in a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from words(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in {"description", "summary"} and isinstance(inner, str):
                yield inner
            yield from words(inner)
