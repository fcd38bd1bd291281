"""Whatever the owner of a studio may write, every document keeps its form."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from abnf import grammar
from discovery_claims import (
    AGENT,
    AI_CATALOG,
    API_CATALOG,
    ARD,
    SECURITY,
    SKILLS,
    SURFACES,
    named_by,
)
from llms_txt.miniparse import parse_llms_txt
from local_service import Ask, asking
from relax_ng import schema
from repository import SAMPLE, VECTORS

from content.checking.errors import ContentError
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

HOME = "https://agents.example"
SCHEMAS = {
    AGENT: "agent.schema.json",
    AI_CATALOG: "ai-catalog-1.0.schema.json",
    ARD: "ai-catalog-1.0.schema.json",
    SKILLS: "agent-skills-0.2.0.schema.json",
    API_CATALOG: "api-catalog.schema.json",
    "/api/feed.json": "json-feed-1.1.schema.json",
}
XML = {
    "/sitemap.xml": "sitemap-0.9.rng",
    "/license.xml": "rsl-1.0.rng",
    "/feed.xml": "atom.rng",
}
URI = "rfc3986-uri.abnf"
TEXTS = {
    "/robots.txt": ((URI, "robots.abnf"), "robotstxt"),
    SECURITY: ((URI, "security-txt.abnf"), "unsigned"),
    "/llms.txt": (("llms-txt.abnf",), "llms-txt"),
}

Edit = Callable[[Path], None]


def put(file: str, key: str, value: str) -> Edit:
    """Replace the first value of a key in a file."""

    def edit(content: Path) -> None:
        path = content / file
        text, count = re.subn(
            rf"(?m)^{key} = .*$", lambda _: f"{key} = {value}", path.read_text(), count=1
        )
        assert count == 1
        path.write_text(text)

    return edit


STRANGE = r'"a < b & c \"d\" [e](f) ](g) `h` *i* \\ \U0001f6a2 e\u0301: j; k"'
STUDIOS: dict[str, tuple[tuple[Edit, ...], str]] = {
    "the sample": ((), HOME),
    "addresses with IPv6 hosts, and no language": (
        (
            put("studio.toml", "url", '"https://[2001:db8::2]/"'),
            put("studio.toml", "languages", "[]"),
        ),
        "http://[2001:db8::1]:8000",
    ),
    "a name without a Latin letter": (
        (put("studio.toml", "name", '"\u5317\u6597"'),),
        "https://agents.example:8443",
    ),
    "strange characters everywhere": (
        (
            put("studio.toml", "name", STRANGE),
            put("studio.founder.toml", "name", STRANGE),
            put("changelog.toml", "title", STRANGE),
            put("projects.toml", "name", STRANGE),
            put("studio.toml", "email", '"a^b%c{d}|`\'&e=f@x.example"'),
            put("licensing.toml", "licenseUrl", '"https://a.example/b?c=d&e=(f)\'"'),
        ),
        HOME,
    ),
}


NO_CHARACTERS = ("\\uFFFE", "\\uFFFF")
"""What Unicode has no character for, TOML allows and XML 1.0 forbids (section 2.2)."""


def serve(operations: Operations, folder: Path, edits: tuple[Edit, ...], base: str) -> Ask:
    """The service of the sample with edits. Raises: ContentError."""
    content = folder / "content"
    content.mkdir()
    for file in SAMPLE.glob("*.toml"):
        (content / file.name).write_bytes(file.read_bytes())
    for edit in edits:
        edit(content)
    settings = Settings(content=content, data=folder / "data", base_url=base)
    return asking(build(settings, operations=operations))


@pytest.fixture(scope="module", params=STUDIOS)
def odd(
    request: pytest.FixtureRequest,
    operations: Operations,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Ask, str]:
    edits, base = STUDIOS[request.param]
    return serve(operations, tmp_path_factory.mktemp("odd"), edits, base), base


@pytest.mark.parametrize("path", SCHEMAS)
def test_a_document_in_json_keeps_its_schema(path: str, odd: tuple[Ask, str]) -> None:
    rules = json.loads((VECTORS / SCHEMAS[path]).read_text())
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.validate(odd[0](path).json(), rules, format_checker=checker)


@pytest.mark.parametrize("path", XML)
def test_a_document_in_xml_keeps_its_schema(path: str, odd: tuple[Ask, str]) -> None:
    assert schema(XML[path]).fits(odd[0](path).content)


@pytest.mark.parametrize("path", TEXTS)
def test_a_document_in_text_keeps_its_grammar(path: str, odd: tuple[Ask, str]) -> None:
    names, rule = TEXTS[path]
    assert grammar(*names).fits(rule, odd[0](path).content)


def test_the_reference_parser_finds_every_link_of_llms_txt(odd: tuple[Ask, str]) -> None:
    ask, base = odd
    text = ask("/llms.txt").text
    sections: Any = parse_llms_txt(text)["sections"]
    links = [link["url"] for links in sections.values() for link in links]
    assert len(links) == text.count(f"]({base}/")


def test_every_address_answers(odd: tuple[Ask, str]) -> None:
    ask, base = odd
    named = {address for path in SURFACES for address, _ in named_by(path, ask, base)}
    for address in named:
        assert address.startswith(base)
        path = address.removeprefix(base) or "/"
        assert (ask(path).status_code, path) == (200, path)


@pytest.mark.parametrize("character", NO_CHARACTERS)
def test_no_character_breaks_a_document_in_xml(
    character: str, operations: Operations, tmp_path: Path
) -> None:
    name = f'"a{character}b"'
    edits = put("studio.founder.toml", "name", name), put("changelog.toml", "title", name)
    try:
        ask = serve(operations, tmp_path, edits, HOME)
    except ContentError:
        return  # a file that cannot be published everywhere may be refused
    for path, name in XML.items():
        assert schema(name).fits(ask(path).content)
