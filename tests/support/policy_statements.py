"""Readers of the usage policy in robots.txt, the licence and the agent document.

Each reader gives `yes`, `no` or `attribution` for each use, and omits a use that is not mentioned.
Source: RFC 9309, contentsignals.org, draft-ietf-aipref-attach, RSL 1.0.
"""

import re

from relax_ng import xml

RSL = "{https://rslstandard.org/rsl}"
ALL = ("search", "ai-index", "ai-input", "ai-train")
COLLECTIVE = {"all": ALL, "ai-all": ALL[1:]}

Said = dict[str, str]
"""What is said of each use."""


def said_by_robots(text: str) -> Said:
    """What the one group says that is meant for everybody."""
    rules = re.findall(r"(?mi)^(allow|disallow|content-signal|content-usage): *(.+)$", text)
    said: Said = {}
    for name, value in rules:
        match name.lower():
            case "allow" | "disallow":
                assert value == "/"
                _say(said, "crawl", "yes" if name.lower() == "allow" else "no")
            case "content-signal":
                for signal in value.split(","):
                    use, _, answer = signal.strip().partition("=")
                    _say(said, use, answer)
            case "content-usage":
                path, _, preferences = value.partition(" ")
                assert path == "/"
                for preference in preferences.split(", "):
                    label, _, answer = preference.partition("=")
                    use = {"train-ai": "ai-train", "search": "search"}[label]
                    _say(said, use, {"y": "yes", "n": "no"}[answer])
    return said


def _say(said: Said, use: str, answer: str) -> None:
    """One more statement, which must not gainsay another."""
    assert said.setdefault(use, answer) == answer, (use, answer, said)


def said_by_licence(data: bytes) -> Said:
    """What each use costs: every licence is an offer, and a prohibition outweighs all of them.

    A licence without a list of permitted uses offers every use that it does not prohibit, and one
    without a payment is free (RSL 1.0, sections 3.1.1, 3.5 to 3.7).
    """
    (content,) = xml(data).iter(f"{RSL}content")
    assert content.get("url") == "/"
    offers: dict[str, set[str]] = {use: set() for use in ALL}
    prohibited: set[str] = set()
    for licence in content.iter(f"{RSL}license"):
        permits, prohibits = (
            _uses(licence.findtext(f"{RSL}{n}")) for n in ("permits", "prohibits")
        )
        assert permits or prohibits
        assert not (permits or set()) & (prohibits or set())
        prohibited |= prohibits or set()
        payment = licence.find(f"{RSL}payment")
        for use in (set(ALL) if permits is None else permits) - (prohibits or set()):
            offers[use].add("free" if payment is None else payment.attrib["type"])
    assert all(offers[use] or use in prohibited for use in ALL)
    return {use: _price(offers[use], prohibited=use in prohibited) for use in ALL}


def _uses(words: str | None) -> set[str] | None:
    if words is None:
        return None
    return {use for word in words.split() for use in COLLECTIVE.get(word, (word,))}


def _price(offers: set[str], *, prohibited: bool) -> str:
    if prohibited:
        return "no"
    return "yes" if "free" in offers else "attribution"


PERMISSIONS = {"allowed": "yes", "with-attribution": "attribution", "not-allowed": "no"}
"""The content's words, as the readers' answers."""
USES = {
    "crawling": ("crawl", "search", "ai-index"),
    "summarization": ("ai-input",),
    "training": ("ai-train",),
    "redistribution": ("copy",),
}
"""The uses that each permission of the content is about."""


def expected_of_robots(policy: dict[str, str]) -> Said:
    """Return what robots.txt must say: yes or no, and nothing where there is a condition."""
    expected = {
        use: PERMISSIONS[policy[name]]
        for name in ("crawling", "summarization", "training")
        for use in USES[name]
        if policy[name] != "with-attribution" and use != "ai-index"
    }
    return {"crawl": "yes", **expected}


def expected_of_licence(policy: dict[str, str]) -> Said:
    """Return what each use must cost by the licence."""
    return {
        use: PERMISSIONS[policy[name]]
        for name in ("crawling", "summarization", "training")
        for use in USES[name]
        if use != "crawl"
    }


def assert_no_use_both_permitted_and_prohibited(data: bytes) -> None:
    """Fail if a licence permits a use twice, or permits what another one prohibits."""
    lists: dict[str, list[str]] = {"permits": [], "prohibits": []}
    for node in xml(data).iter():
        kind = node.tag.rpartition("}")[2]
        if kind in lists:
            lists[kind] += (node.text or "").split()
    assert set(lists["permits"]) & set(lists["prohibits"]) == set()
    assert len(lists["permits"]) == len(set(lists["permits"]))
