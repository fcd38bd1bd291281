"""The page of a preview: for its owner's browser alone, and whatever it shows stays text."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from minimal_studio import WORDS, write_minimal_studio
from running_server import Running, eventually, running

HOSTILE = (
    """</textarea></title></pre><script>alert(1)</script>'"><img src=x onerror=alert(1)>&lt;"""
)
OWN = """url = "https://saltmarsh.example"
name = 'R&D "Salt" <3 marsh'
oneLiner = "It draws `<script>alert(1)</script>` & `<img src=x onerror=alert(1)>` for 5 < 6 tides"
"""
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "form", "input"),
    *("button", "div", "section", "pre", "span", "dl", "dt", "dd", "ul", "li", "nav", "a"),
}
ATTRIBUTES = {
    *("lang", "charset", "name", "content", "class", "method", "type", "value", "aria-label"),
    *("href", "tabindex", "id"),
}
HEADERS = {
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-preview": "not published",
    "content-type": "text/html; charset=utf-8",
}


class Read(HTMLParser):
    """What a browser makes of a page: its tags, their attributes, and its texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag and its attributes."""
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.text += data


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one file of a studio with odd words, which the content may have."""
    folder = write_minimal_studio(tmp_path_factory.mktemp("page") / "content")
    (folder / "studio.toml").write_text(OWN + "".join(WORDS.partition("\n[founder]")[1:]))
    return folder / "studio.toml"


@pytest.fixture(scope="module")
def preview(studio: Path) -> Iterator[Running]:
    """A preview of it, whose page has an address."""
    (studio.parents[1] / ".env").write_text("STUDIOGRAPH_AI_EMBEDDER=hash\n")
    with running(studio.parent, command="preview") as started:
        eventually(lambda: address_of(started))
        yield started


def address_of(preview: Running) -> str:
    """Return the address of the page, once it was printed."""
    found = re.search(r"browser: (http://127\.0\.0\.1:\d+/\S+/)\n", "".join(preview.output))
    return found[1] if found else ""


def test_the_page_is_read_by_get_under_its_address_and_by_names_of_this_machine_alone(
    preview: Running, studio: Path
) -> None:
    address, words = address_of(preview), studio.read_text()
    origin, _, token = address.rstrip("/").rpartition("/")
    assert len(token) >= 32
    assert origin != preview.address
    with httpx.Client(headers={"origin": "https://evil.example"}) as client:
        answers = dict[int, list[httpx.Response]]({404: [], 405: [], 421: [], 200: []})
        other = token.swapcase()
        for path in (
            "/",
            "",
            "/favicon.ico",
            "/healthz",
            "/%00",
            "/%ff",
            f"/{other}/",
            f"/{token}",
        ):
            answers[404].append(client.get(f"{origin}{path}?q=tides"))
        answers[404].append(client.get(f"{address}x"))
        for method in ("HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            asks = {"access-control-request-method": method}
            answers[405].append(client.request(method, address, headers=asks))
            answers[404].append(client.request(method, f"{origin}/{other}/", headers=asks))
        for host in ("evil.example", "saltmarsh.example", "127.0.0.2", "localhost.evil.example"):
            answers[421].append(client.get(address, headers={"host": host}))
        for host in ("localhost", "127.0.0.1:1", "[::1]:8000", httpx.URL(origin).netloc.decode()):
            answers[200].append(client.get(address, headers={"host": host}))
    for status, group in answers.items():
        assert [answer.status_code for answer in group] == [status] * len(group)
        for answer in group:
            assert not any(name.startswith("access-control") for name in answer.headers)
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert (token in answer.text) is False
    (page, *_) = answers[200]
    assert {name: page.headers[name] for name in HEADERS} == HEADERS
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert page.headers.get_list("content-security-policy") == [
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ]
    assert studio.read_text() == words


@pytest.mark.parametrize("query", [{}, {"q": HOSTILE, "read": HOSTILE}])
def test_what_the_page_shows_stays_text(preview: Running, query: dict[str, str]) -> None:
    page = Read(httpx.get(address_of(preview), params=query, timeout=60).text)
    assert page.tags <= TAGS
    assert page.attributes.keys() <= ATTRIBUTES
    assert all(value.startswith("?") for value in page.attributes["href"])
    assert 'Preview of R&D "Salt" <3 marsh' in page.text
    assert "+ studio.oneLiner: It draws `<script>alert(1)</script>` &" in page.text
    if query:
        assert HOSTILE in page.attributes["value"]
        assert "about" in "".join(page.attributes["value"])  # what is read is none of the caller's


def test_the_page_shows_what_agents_get_and_what_a_publication_would_change(
    preview: Running, studio: Path
) -> None:
    def shown(**query: str) -> str:
        return Read(httpx.get(address_of(preview), params=query, timeout=60).text).text

    eventually(lambda: "questions that agents ask first have an answer" in shown())
    (studio.parent / "faq.toml").write_text(
        '[[faq]]\nq = "Which tides?"\na = "Only those of Porto."\ntags = []\n'
    )
    asked = {"q": "Which tides are drawn?", "read": "/api/faq"}
    # by chat, and by the tool of MCP, as soon as the models have read it
    eventually(lambda: shown(**asked).count("Only those of Porto. [1]") == 2)
    eventually(lambda: "Which tides?" in shown().partition("Since the last publication")[2])
    page = shown(**asked)
    for path in ("/", "/llms.txt", "/api/faq"):
        told = preview.get(path, "Accept: text/markdown").body.decode()
        assert f"A crawler: GET {path} as markdown{told}" in page
    assert "Chat: GET /api/chat?query=" in page
    assert "Search: GET /api/search?query=" in page
    assert "list_projectsAll projects" in page
    assert "Nothing is published yet: all of it is new." in page
    assert "new      faq/which-tides\n  + a: Only those of Porto.\n" in page
    assert "What does a project cost? (no answer)" in page
    assert 'nothing answers "What does a project cost?", which agents ask. Fix: write' in page
    assert "The content is valid." in page
    for _ in range(20):  # as many questions as the rate limit allows in an hour, and more
        page = shown(q="Which tides are drawn?")
    assert page.count("Only those of Porto. [1]") == 2
    studio.write_text(f"{studio.read_text()}\nodd = ")
    eventually(lambda: "this is no value: `odd =`. Fix: " in shown())
    assert "Faults: this page shows the last good content" in shown()
