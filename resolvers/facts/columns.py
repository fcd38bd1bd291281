"""The typed values of the items of a list, and the words that a question calls them by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from resolvers.embeddings.tokenizer import STOP_WORDS, stem, tokenize
from resolvers.facts.fields import AskedField
from sdl.marks import Heading, RefersTo
from sdl.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

SHORT_VALUE = 60
"""The length up to which a text can be a filter. Units: characters."""
MIN_PREFIX = 5
"""The length from which the beginning of a word stands for it, as `postgres` for `PostgreSQL`."""
_MIN_ROOT = 3
_ENDINGS = ("ership", "ition", "ment", "ing", "ed", "er", "al")
_DATES = frozenset({"Date", "DateTime", "YearMonth", "DateOrDateTime"})
_BEGINNINGS = frozenset(
    tokenize("start begin began begun launch found creat issu publish mint regist open earn")
)
_OF_BEGINNINGS = _BEGINNINGS | frozenset(
    tokenize(
        "kick set commenc undertak undertaken build built come came went appear releas got award"
        " receiv pass held complet obtain gain acquir achiev old new young"
    )
)
"""What is said of the time at which something came to be, whatever the field is called."""
_CACHED_WORDS = 8192
Item = Mapping[str, Any]


@lru_cache(_CACHED_WORDS)
def root(word: str) -> str:
    """Return the word without endings: `owner`, `owned` and `ownership` are one."""
    plain = stem(word)
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= _MIN_ROOT:
            return plain.removesuffix(ending).removesuffix("e")
    return plain


@lru_cache(_CACHED_WORDS)
def roots(text: str) -> frozenset[str]:
    """Return the roots of the words of a text, without stop words."""
    return frozenset(root(word) for word in tokenize(text) if word not in STOP_WORDS)


def key_words(name: str) -> str:
    """Return a name of a field or type in words: `startedAt` is `started at`."""
    return re.sub(r"(?<!^)([A-Z])", lambda match: f" {match[1]}", name).lower()


@dataclass(frozen=True)
class Column:
    """One value of each item of a list, or the values of one member of it."""

    path: tuple[str, ...]
    """The keys from the item to the value, through objects and lists."""
    member: Field
    """The field of the item."""
    leaf: Field
    is_far: bool
    """Whether it stands in a list of objects, such as the figures of a project."""
    asked: AskedField | None
    """The questions for the member, of one item."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of the words that it is called by."""
        inner = self.member.shape
        kind = inner.type_name if isinstance(inner, ObjectShape) else ""
        return roots(" ".join(map(key_words, (*self.path, kind))))

    @cached_property
    def words(self) -> frozenset[str]:
        """The roots of the words that it is called, described or asked for by."""
        questions = self.asked.asked.questions if self.asked is not None else ()
        own = roots(" ".join((*questions, self.member.description, self.leaf.description)))
        words = own | self.names
        return words | _OF_BEGINNINGS if self.is_date and self.names & _BEGINNINGS else words

    @property
    def scalar(self) -> ScalarShape | None:
        """The type of its values."""
        inner = self.leaf.shape.item if isinstance(self.leaf.shape, ListShape) else self.leaf.shape
        return inner if isinstance(inner, ScalarShape) else None

    @property
    def is_date(self) -> bool:
        """Whether it holds days, months or times."""
        return self.scalar is not None and self.scalar.type_name in _DATES

    @property
    def is_flag(self) -> bool:
        """Whether it holds true or false."""
        return self.scalar is not None and self.scalar.type_name in {"Boolean", "Flag"}

    @property
    def is_choice(self) -> bool:
        """Whether it holds one of a few words."""
        return self.scalar is not None and self.scalar.words is not None

    @property
    def refers_to(self) -> str:
        """The kind of entries whose slugs it holds; an empty text for none."""
        marks = (mark for mark in self.member.marks if isinstance(mark, RefersTo))
        return next((mark.kind for mark in marks), "")

    def values(self, item: Item) -> list[Any]:
        """Return the values of an item."""
        found: list[Any] = [item]
        for key in self.path:
            inner = (value.get(key) for value in found if isinstance(value, Mapping))
            found = [v for value in inner for v in (value if isinstance(value, list) else [value])]
        return [value for value in found if value is not None and value != ""]


def columns_of(shape: ObjectShape, asked: Mapping[str, AskedField]) -> list[Column]:
    """Return the columns of the items of a list; `asked` are the questions for its members."""
    columns: list[Column] = []
    for member in shape.fields:
        is_list = isinstance(member.shape, ListShape)
        inner: Shape = member.shape.item if isinstance(member.shape, ListShape) else member.shape
        own = asked.get(member.key)
        if isinstance(inner, ObjectShape):
            for leaf in inner.fields:
                path = (member.key, leaf.key)
                if isinstance(leaf.shape, ScalarShape):
                    columns.append(Column(path, member, leaf, is_list, own))
        else:
            columns.append(Column((member.key,), member, member, is_far=False, asked=own))
    return columns


def heading_of(shape: ObjectShape) -> str:
    """Return the key of what names an object; an empty text if nothing does."""
    member = shape.field_marked(Heading)
    return member.key if member is not None else ""


def has_word(value: Any, word: str) -> bool:
    """Return whether a short text has the word, or a word that it begins."""
    if not isinstance(value, str) or len(value) > SHORT_VALUE:
        return False
    return stem(word) in _stems(value) or (
        len(word) >= MIN_PREFIX and any(part.startswith(word) for part in _parts(value))
    )


@lru_cache(_CACHED_WORDS)
def _parts(value: str) -> tuple[str, ...]:
    """Return the words of a short text of the content, which every question is compared with."""
    return tuple(tokenize(value))


@lru_cache(_CACHED_WORDS)
def _stems(value: str) -> frozenset[str]:
    return frozenset(map(stem, _parts(value)))
