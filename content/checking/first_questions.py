"""Thirty questions that agents ask of any studio first, and what in the content answers each.

A question is answered if one of its fields has a value, or if an entry of the FAQ has its words in
the question or the tags. No model is asked, so this says what is written down, not how well.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from content.checking.errors import Finding
from schema.site import Site

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class FirstQuestion:
    """A question, and what would answer it."""

    text: str
    fields: tuple[str, ...] = ()
    """Paths in the content, of which one must have a value; in a list, that of any entry."""
    words: str = ""
    """Words of an entry of the FAQ, with commas, of which one must fit. Several between two commas
    must all be there; `price*` fits all words that begin so."""

    @property
    def alternatives(self) -> list[str]:
        """The words between the commas."""
        return self.words.split(", ") if self.words else []


FIRST_QUESTIONS = (
    FirstQuestion("What is this studio, in one sentence?", ("studio.oneLiner",)),
    FirstQuestion("Who is behind it?", ("studio.founder.name",)),
    FirstQuestion("Since when does it exist?", ("studio.founded",)),
    FirstQuestion("Where is it based?", ("studio.founder.based",)),
    FirstQuestion("Does it take on new work now?", ("status.studio.openToWork",)),
    FirstQuestion(
        "From when could it begin?",
        ("business.availability",),
        words="when begin*, when start*, soon start*, lead time, waiting, booked",
    ),
    FirstQuestion(
        "What does a project cost?",
        ("prices",),
        words="price*, pricing, cost*, charge*, fee, fees, quote*, budget*",
    ),
    FirstQuestion("What is the day rate?", words="day rate*, daily rate*, hourly, rate* hour"),
    FirstQuestion("How is it hired?", ("engagement.preferredChannel",)),
    FirstQuestion("What must a first message say?", ("studio.contact.programmaticEmailHint",)),
    FirstQuestion("To which e-mail address does one write?", ("studio.contact.email",)),
    FirstQuestion("How soon is a message answered?", ("engagement.responseSla",)),
    FirstQuestion(
        "When does it work, and in which time zone?",
        ("studio.scheduling.workingHours", "studio.scheduling.timezone"),
    ),
    FirstQuestion("In which languages does it work?", ("studio.languages",)),
    FirstQuestion(
        "Does it work remotely or on site?",
        words="remote*, on site, onsite, travel*, visit*, meetings person",
    ),
    FirstQuestion("What work does it take on?", ("engagement.scope",)),
    FirstQuestion("What does it refuse?", ("engagement.notInScope",)),
    FirstQuestion("Which client fits best?", ("studio.lookingFor",)),
    FirstQuestion("Which services does it offer?", ("studio.practice",)),
    FirstQuestion("Which projects has it made?", ("projects",)),
    FirstQuestion("What proves that it can do this?", ("studio.practice.evidence",)),
    FirstQuestion("Which figures show what it has done?", ("headlineNumbers",)),
    FirstQuestion(
        "Which education and certificates does the founder have?",
        ("studio.founder.formation", "studio.certifications"),
    ),
    FirstQuestion("What is new?", ("changelog",)),
    FirstQuestion(
        "May its texts be used for training, and how is it named?", ("licensing.training",)
    ),
    FirstQuestion(
        "On which terms is it paid?",
        words="pay, paid, payment*, invoice*, invoicing, deposit*, instalment*, contract",
    ),
    FirstQuestion(
        "Who owns the result?",
        words="owns, ownership, intellectual property, copyright work, rights result*",
    ),
    FirstQuestion(
        "Is it confidential?", words="confidential*, nda, non disclosure, secret*, secrecy"
    ),
    FirstQuestion(
        "Does it work for agencies, or with others?",
        words="agency, agencies, subcontract*, freelance*, partner*, white label*",
    ),
    FirstQuestion("How small may a job be?", words="minimum, smallest, too small"),
)


def unanswered_questions(site: Site) -> Iterator[Finding]:
    """Yield a finding for each question that the content does not answer."""
    tree = site.to_json()
    entries = [_words(" ".join([entry.q, *entry.tags])) for entry in site.faq]
    for question in FIRST_QUESTIONS:
        if any(_has_value(tree, path.split(".")) for path in question.fields):
            continue
        if any(_fits(text, words) for text in question.alternatives for words in entries):
            continue
        path = "faq" if question.words else question.fields[0]
        rule = f'nothing answers "{question.text}", which agents ask'
        yield Finding(tuple(path.split(".")), rule, _fix(question))


def _has_value(value: Any, path: list[str]) -> bool:
    """Return whether there is a value at a path; in a list, at that of any item."""
    if isinstance(value, list) and path:
        return any(_has_value(item, path) for item in value)
    if not path:
        return value not in (None, "", [])
    return isinstance(value, Mapping) and _has_value(value.get(path[0]), path[1:])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _fits(text: str, words: list[str]) -> bool:
    """Return whether all words of a text are among others."""
    return all(
        any(word.startswith(part[:-1]) if part.endswith("*") else word == part for word in words)
        for part in text.split()
    )


def _fix(question: FirstQuestion) -> str:
    keys = (path.replace("status.studio.", "status.") for path in question.fields)
    fields = f"fill in {' or '.join(keys)}"
    if not question.words:
        return fields
    *texts, last = (f'"{text.replace("*", "")}"' for text in question.alternatives)
    entry = f"write an entry with {', '.join(texts)} or {last} in its question or tags"
    return f"{entry}, or {fields}" if question.fields else entry
