"""Whatever a resume or a folder of markdown says, `init` makes content that `check` accepts."""

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from content.importing.imported import Imported
from content.importing.markdown_folder import read_folder
from content.importing.resume import read_resume
from content.importing.starter import studio_text
from content.reading.reader import load

ANSWERS = {
    "name": "Saltmarsh",
    "url": "https://own.example",
    "one_line": "Tide tables.",
    "founder": "Ana Silva",
    "email": "own@own.example",
}
ODD = """a|2014|2014-05|March 2015|x\ny|<b>x</b>|<|&lt;p&gt;|![a](b)|[a](javascript:1)|[[a|# h|---
```\nx|~~~|\x00\x0b|\ud800|C#|+++|\u4f60\u597d|\u2028|\ue0000\ue001|%%x|{{x}}|{%x%}|<!-- x|a\n===
[x]: y|[^1]|[^1]: z|\"""|'''|\\|"|#tag|//x|/path|[x](/path)|[x](//h)|https://a.example/?utm_x=1|ftp://x|a@b
https://a.example:99999/|project/x|en|250 EUR|true"""
TEXTS = st.sampled_from([*ODD.split("|"), "word " * 5_000])
KEYS = st.sampled_from(
    [
        *("name", "label", "email", "url", "summary", "location", "city", "phone", "profiles"),
        *("network", "username", "work", "position", "company", "startDate", "endDate", "date"),
        *("highlights", "institution", "area", "studyType", "certificates", "issuer", "skills"),
        *("keywords", "level", "projects", "entity", "roles", "publications", "publisher"),
        *("languages", "language", "fluency", "awards", "awarder", "title", "volunteer", "hidden"),
        *("sections", "items", "basics", "content", "education", "interests", "references"),
    ]
)
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
HEADS = st.dictionaries(
    st.sampled_from(
        [
            *("title", "date", "lastmod", "tags", "draft", "slug", "status", "url", "ownership"),
            *("startedAt", "lastUpdated", "domain", "relatedProjects", "highlights", "client"),
            *("category", "active", "evidence", "q", "a", "related", "period", "reinforces", "id"),
            *("kind", "publishedAt", "refs", "description", "summary", "image", "contact"),
        ]
    ),
    VALUES,
    max_size=5,
)
PLACES = st.sampled_from(
    [
        *("index.md", "about.md", "faq.md", "faq/a.md", "projects.md", "projects/x/index.md"),
        *("projects/_index.md", "services.md", "prices.md", "prices/x.md", "glossary.md"),
        *("journey.md", "convictions.md", "certifications/x.md", "works/a.md", "contact.md"),
        *("posts/2020-01-01-a.md", "changelog/a.md", "domains.md", "headlineNumbers/x.md"),
        *("social.md", "currentlyStudying/a.md", "other.md", "de/index.md", "business.md"),
    ]
)
LINES = st.tuples(st.sampled_from(["# ", "## ", "- ", "| ", "> ", "    ", ""]), TEXTS)
BODIES = st.lists(LINES.map("".join), max_size=8).map("\n\n".join)
HOMES = BODIES.filter(lambda body: "\0" not in body)
"""First pages: one that is no text says nothing, and then `init` has nothing to write."""


def check(found: Imported) -> None:
    """Write what was found as `init` does, and read it as `check` does."""
    found.settle(
        {
            "name": ANSWERS["name"],
            "url": ANSWERS["url"],
            "oneLiner": ANSWERS["one_line"],
            "contact": {"email": ANSWERS["email"]},
            "founder": {"name": ANSWERS["founder"]},
        }
    )
    texts = found.texts()
    more = {"more": texts.pop("studio", ""), "of_founder": texts.pop("studio.founder", "")}
    texts["studio"] = studio_text(**ANSWERS, **more)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, f"{name}.toml").write_text(text, encoding="utf-8")
        load(Path(folder))
    assert list(found.report())


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(KEYS, VALUES | st.lists(st.dictionaries(KEYS, VALUES), max_size=3)))
def test_any_resume(document: dict[str, object]) -> None:
    check(read_resume(json.loads(json.dumps(document))))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(PLACES, st.tuples(HEADS, BODIES), min_size=1, max_size=5), HOMES)
def test_any_folder(pages: dict[str, tuple[dict[str, object], str]], home: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for place, (head, body) in {"home.md": ({}, home), **pages}.items():
            file = Path(folder, place)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(f"{json.dumps(head)}\n{body}".encode("utf-8", "surrogatepass"))
        check(read_folder(Path(folder)))
