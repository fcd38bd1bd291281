"""What each save changes, in words: what is said, what is wrong, and what is answered now."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from content.checking.errors import ContentError, ContentProblem
from content.checking.first_questions import FIRST_QUESTIONS, unanswered_questions
from resolvers.chat.conversation import request_of
from resolvers.chat.pipeline import ChatPipeline
from resolvers.embeddings.errors import ModelError
from schema.services.chat import Answered, ChatInput
from sdl.errors import AiUnavailableError, StudiographError
from studiograph.application import Application, make_application
from studiograph.commands.studio.check import faults_and_warnings
from studiograph.commands.studio.diff import (
    Difference,
    Said,
    difference_between,
    lines_of,
    published_in,
    said_by,
)
from studiograph.settings import Settings

LOOK_SECONDS = 0.1
"""How often it is looked whether the models have read what was saved."""

Say = Callable[[Iterable[str]], None]
"""Prints lines."""


@dataclass(frozen=True)
class Reply:
    """What chat says to a question."""

    answered: Answered
    text: str


@dataclass(frozen=True)
class Publication:
    """What would become of a publication now, which drafts are no part of."""

    faults: tuple[str, ...] = ()
    warnings: tuple[ContentProblem, ...] = ()
    difference: Difference | None = None
    """What it would change; None if it would be refused."""


@dataclass(frozen=True)
class Seen:
    """What was found after a save."""

    said: Said
    """What the preview serves: the last good content, drafts included."""
    faults: tuple[str, ...]
    is_kept: bool
    """Whether that is older than the folder, because of the faults."""
    publication: Publication


@dataclass
class Saves:
    """Says what each save changes, from the start of a preview to its end."""

    app: Application
    """What the preview serves."""
    own: Settings
    """The owner's settings, by which it is published."""
    apart: Settings
    """The same without a way to any store: what is tried with these leaves nothing anywhere."""
    say: Say
    seen: Seen | None = None
    replies: dict[str, Reply] = field(default_factory=dict)
    """What chat says to the first questions, by their text; empty until they were asked."""
    _asked_of: str = ""
    """The revision that answered."""

    async def follow(self) -> None:
        """Say what is wrong and what is answered, and after each save what has changed."""
        self.seen = await self._look()
        self.say(_wrong(None, self.seen))
        await self._ask_first_questions()
        looked, is_first = self.app.current.looked, True
        while await looked.wait():
            looked.clear()
            before, self.seen = self.seen, await self._look()
            if self.seen != before or not is_first:  # at first nobody need have saved anything
                if not self.seen.is_kept:
                    changed = lines_of(difference_between(before.said, self.seen.said))
                    self.say(changed or ["Nothing that is said changes."])
                self.say(_wrong(before, self.seen))
            is_first = False
            await self._ask_first_questions()

    async def _look(self) -> Seen:
        current = self.app.current
        error, said = current.error, said_by(current())
        publication = await asyncio.to_thread(_publication, self.own, self.apart)
        faults = dict.fromkeys([*_faults_of(error), *publication.faults])
        return Seen(said, tuple(faults), error is not None, publication)

    async def _ask_first_questions(self) -> None:
        """Ask them all, and say what is answered otherwise; a new save ends that.

        A language model is not asked thirty times for each save: it would write from these lines.
        """
        current, models = self.app.current, self.app.services.models
        if self.own.ai_llm == "none":
            return
        digest, replies = current.revision.digest, dict[str, Reply]()
        if digest == self._asked_of:
            return
        while (engine := models.engine_of(digest)) is None:
            if current.looked.is_set():
                return
            await asyncio.sleep(LOOK_SECONDS)
        chat = replace(engine.chat, writing=None)
        try:
            for question in FIRST_QUESTIONS:
                if current.looked.is_set():
                    return
                replies[question.text] = await _reply(chat, question.text)
        except (ModelError, AiUnavailableError) as error:
            self.say([f"The first questions were not asked: {error}"])
            return
        before, self.replies, self._asked_of = self.replies, replies, digest
        if before:
            self.say(self._otherwise(before))
        self.say([counted(replies)])

    def _otherwise(self, before: Mapping[str, Reply]) -> Iterator[str]:
        """Yield each first question that is answered otherwise than before, and how."""
        fixes = self.fixes()
        for text, reply in self.replies.items():
            if reply != before[text]:
                yield f'"{text}" ({MARKS[reply.answered]})'
                yield from (f"  {line}" for line in answer_lines(reply, fixes.get(text)))

    def fixes(self) -> dict[str, ContentProblem]:
        """Return what `check` says of first questions that nothing answers, by their text."""
        revision = self.app.current.revision
        problems = revision.locate(unanswered_questions(revision.site))
        return {
            question.text: problem
            for question in FIRST_QUESTIONS
            for problem in problems
            if f'"{question.text}"' in problem.rule
        }


_UNFOUND = (
    "Chat finds no answer, though something is written about it. Fix: answer it in faq.toml, in an"
    " entry that asks it in these words."
)
MARKS = {Answered.NO: "no answer", Answered.PARTLY: "in part", Answered.YES: "answered"}


def counted(replies: Mapping[str, Reply]) -> str:
    """Return how many of the first questions have an answer."""
    kinds = [reply.answered for reply in replies.values()]
    yes, partly = kinds.count(Answered.YES), kinds.count(Answered.PARTLY)
    part = f", {partly} more in part" if partly else ""
    return f"{yes} of the {len(kinds)} questions that agents ask first have an answer{part}."


def answer_lines(reply: Reply, fix: ContentProblem | None) -> list[str]:
    """Return what chat says to a question; if that is nothing, what `check` says to write."""
    if reply.answered is Answered.NO:
        return [_UNFOUND if fix is None else str(fix)]
    return [line for line in reply.text.splitlines() if line]


async def _reply(chat: ChatPipeline, question: str) -> Reply:
    """Return what chat answers. Raises: ModelError, AiUnavailableError."""
    asked, texts, answered = ChatInput(query=question), list[str](), Answered.NO
    async with aclosing(chat.stream(request_of(question, []), asked.top_k)) as events:
        async for event in events:
            if event.data is not None:
                texts.append(event.data.token)
            elif event.complete is not None:
                answered = event.complete.answered
    return Reply(answered, "".join(texts))


def _publication(own: Settings, apart: Settings) -> Publication:
    """Return what a publication would say, and what is wrong with it, as `check` says it."""
    try:
        app = make_application(apart, preview=True)
        try:
            difference = difference_between(published_in(own), said_by(app.current()))
            faults, warnings = faults_and_warnings(own, app.current.revision)
        finally:
            asyncio.run(app.services.close())
    except (StudiographError, OSError) as error:
        return Publication(_faults_of(error))
    return Publication(tuple(map(str, faults)), tuple(warnings), difference)


def _faults_of(error: Exception | None) -> tuple[str, ...]:
    if isinstance(error, ContentError):
        return tuple(map(str, error.problems))
    return () if error is None else (str(error),)


def _wrong(before: Seen | None, now: Seen) -> Iterator[str]:
    """Yield all faults, the warnings that are new, and what follows from the faults."""
    old = before.publication.warnings if before is not None else ()
    known = {(warning.file, warning.key, warning.rule) for warning in old}
    yield from now.faults
    for warning in now.publication.warnings:
        if (warning.file, warning.key, warning.rule) not in known:
            yield f"{warning} (a warning)"
    if now.is_kept:
        yield "The last good content is served until this is mended."
    elif now.faults:
        yield "It is shown here all the same; a publication is refused until this is mended."
    elif before is not None and before.faults:
        yield "The content is valid again."
