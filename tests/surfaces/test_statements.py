"""The statements of the log of words are what the surfaces say."""

from hashlib import sha256
from typing import Any

from mcp_messages import Ask, result
from offenders import offenders
from outside_reader import canonical

LISTS = {
    "tools": ("tools/list", "tool", "name"),
    "prompts": ("prompts/list", "prompt", "name"),
    "resources": ("resources/list", "resource", "uri"),
    "resourceTemplates": ("resources/templates/list", "resource", "uriTemplate"),
}


def published(ask: Ask) -> dict[str, str]:
    """The hash of each statement, by name."""
    return {each["name"]: each["leafHash"] for each in ask("/api/words").json()["statements"]}


def hash_of(name: str, data: Any) -> str:
    """The hash of a statement."""
    digest = sha256(b"\x00" + canonical({"data": data, "name": name})).hexdigest()
    return f"sha256:{digest}"


def test_each_statement_of_the_content_is_what_its_read_answers(ask: Ask) -> None:
    kinds = ("operation/", "fragment/", "tool/", "prompt/", "resource/", "document/")
    content = {name: said for name, said in published(ask).items() if not name.startswith(kinds)}
    read = {name: ask(f"/api/{name}") for name in content}
    found = {name: answer.json() for name, answer in read.items() if answer.status_code == 200}
    assert len(found) > 100
    wrong = [name for name, data in found.items() if hash_of(name, data) != content[name]]
    assert wrong == []


def test_each_entry_of_the_lists_of_mcp_is_a_statement(ask: Ask) -> None:
    listed = published(ask)

    def check(name: str, method: str, kind: str, key: str) -> None:
        entries = result(ask, method, "2025-11-25")[name]
        assert entries
        for entry in entries:
            statement = f"{kind}/{entry[key]}"
            assert hash_of(statement, entry) == listed[statement], statement

    assert offenders(check, [(name, *how) for name, how in LISTS.items()]) == []


def test_the_whole_site_holds_each_text_of_each_statement(ask: Ask) -> None:
    def texts(value: Any) -> list[str]:
        if isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            return [text for each in inner for text in texts(each)]
        return [value] if isinstance(value, str) else []

    def flat(text: str) -> str:
        return " ".join(text.replace("\\", "").split())

    whole = flat(ask("/llms-full.txt").text)
    for name in ("faq", "projects", "glossary", "practice", "engagement", "scheduling"):
        missing = [text for text in texts(ask(f"/api/{name}").json()) if flat(text) not in whole]
        assert missing == [], name
