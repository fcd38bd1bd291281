"""Answers without a language model: what fields and the owner's sentences say, each cited.

Besides the owner's words it writes only fixed phrases, and one word of a question of which nothing
is said. Beyond that a caller's text can change what is said, but never appears in the answer.
The fixed phrases stand in `resolvers/chat/conversation.py`; what is said of a field that is not
published is declared as `unpublished` with its type in `schema/`.
"""

from dataclasses import dataclass, replace

from resolvers.chat.conversation import GREETING, REFUSAL, ChatRequest, Source, near_miss_reply
from resolvers.embeddings.tokenizer import tokenize
from resolvers.facts.answers import FactAnswer
from resolvers.facts.lines import Line
from resolvers.search.index import Band
from resolvers.search.sentences import split_sentences

MODEL = "extractive-v2"
BANDS: dict[str, Band] = {"yes": "answer", "partly": "closest", "no": "refuse"}
"""What `retrieval.band` says for each value of `answered`."""
_GREETINGS = frozenset(
    {"hello", "hi", "hey", "good", "morning", "afternoon", "evening", "day", "greetings", "there"}
)


@dataclass(frozen=True)
class QuotedAnswer:
    """The text of an answer and the sources that it cites."""

    text: str
    sources: tuple[Source, ...]


def quote(question: ChatRequest, facts: FactAnswer, limit: int) -> QuotedAnswer:
    """Return the answer with its marks [n], from at most `limit` entries."""
    sources: dict[tuple[str, str], Source] = {}
    entries: set[tuple[str, str]] = set()
    rows: list[str] = []
    for line in facts.lines:
        if (line.kind, line.slug) not in entries and len(entries) == limit:
            continue
        entries.add((line.kind, line.slug))
        key = (line.url, line.pointer)
        source = source_of_line(line, len(sources) + 1)
        if key in sources:
            source = replace(sources[key], text=f"{sources[key].text}\n\n{line.text}")
        sources[key] = source
        rows.append(" ".join(f"{part} [{source.n}]" for part in split_sentences(line.text)))
    if not rows:
        return QuotedAnswer(GREETING if is_greeting(question.text) else REFUSAL, ())
    if facts.answered != "yes" and not facts.says_unpublished:
        rows.insert(0, near_miss_reply(facts.missing, facts.lacks))
    return QuotedAnswer("\n\n".join(rows), tuple(sources.values()))


def source_of_line(line: Line, n: int = 0) -> Source:
    """Return what a line cites as a source, whose text is the line."""
    text, pointer = line.text, line.pointer
    return Source(n, line.kind, line.slug, line.title, line.url, line.score, text, pointer)


def is_greeting(text: str) -> bool:
    """Return whether a text only greets."""
    words = tokenize(text)
    return bool(words) and all(word in _GREETINGS for word in words)
