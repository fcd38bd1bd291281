"""Every word that is a GraphQL scalar, by its GraphQL name."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from schema.chain_words import Address, Wei
from schema.json_values import JsonObject, Vector
from schema.texts import IdempotencyKey
from schema.words import (
    DATE_RULE,
    INSTANT_RULE,
    ChangeId,
    Date,
    DateOrDateTime,
    Digest,
    Email,
    Instant,
    LanguageCode,
    Markdown,
    Path,
    Reference,
    Slug,
    TimeZone,
    Url,
    Word,
    YearMonth,
    breach,
)


@dataclass(frozen=True)
class Scalar:
    """A word as a GraphQL scalar: `key` is the Python type it stands for, `word` checks it."""

    key: type
    word: Any
    description: str
    rule: str
    """What a value must be."""


_WORDS: tuple[type[Word], ...] = (
    *(Slug, Reference, ChangeId, YearMonth, DateOrDateTime, Url, Path, Email, Digest, Wei),
    *(Address, LanguageCode, TimeZone, Markdown, IdempotencyKey),
)

SCALARS: dict[str, Scalar] = {
    "Date": Scalar(date, Date, "A day of the calendar: YYYY-MM-DD.", breach(*DATE_RULE).message()),
    "DateTime": Scalar(
        datetime,
        Instant,
        "An instant: RFC 3339, written in UTC with seconds.",
        breach(*INSTANT_RULE).message(),
    ),
    "JsonObject": Scalar(
        JsonObject, JsonObject, "A JSON object, whatever its members.", "must be a JSON object"
    ),
    "Vector": Scalar(
        Vector, Vector, "A vector of unit length, as a list of numbers.", "must be numbers"
    ),
    **{
        word.__name__: Scalar(
            word,
            word,
            f"{word.__doc__} Written as {word.rule}.",
            breach(word.rule, word.example).message(),
        )
        for word in _WORDS
    },
}
