"""Lists what the service missed, with its answers: of the half to tune on, and of no other."""

from collections.abc import Iterator

from evals.scores import is_routed, ndcg_of
from evals.trial import Chatted, Routed, Searched, Trial

LOW = 0.8
"""The nDCG@5 below which the results of a query are listed."""
FIRST = 5


def failures(trial: Trial) -> Iterator[str]:
    """Yield a few lines for each question and goal that was missed."""
    yield from (_chat(chat) for chat in trial.chatted if chat.missed)
    yield from (_search(search) for search in trial.searched if ndcg_of(search) < LOW)
    for routed in trial.routed:
        is_wrong = routed.ready is not None and routed.asked.tells_request and not routed.is_exact
        if is_wrong or not is_routed(routed):
            yield _goal(routed)


def _chat(chat: Chatted) -> str:
    asked, answer = chat.asked, chat.answer
    turns = [f"{role}: {text}" for role, text in asked.history]
    return "\n  ".join(
        [
            f"chat, {asked.style}, {chat.author}: {' / '.join([*turns, asked.text])}",
            f"missed: {'; '.join(chat.missed)}",
            f"answered {answer.answered}, expected {asked.answered}; basis {answer.basis}; "
            f"cited {', '.join(answer.cited) or 'nothing'}",
            answer.words,
        ]
    )


def _search(search: Searched) -> str:
    relevant = (f"{name} ({grade})" for name, grade in search.asked.relevant.items())
    return "\n  ".join(
        [
            f"search, {search.asked.style}, {search.author}: {search.asked.text}",
            f"nDCG@5 {ndcg_of(search):.2f}; relevant: {', '.join(relevant)}",
            f"found: {', '.join(search.found.entries[:FIRST]) or 'nothing'}",
        ]
    )


def _goal(routed: Routed) -> str:
    goal = routed.asked
    expected = [*goal.operations, goal.path, goal.body]
    return "\n  ".join(
        [
            f"intent, {routed.author}: {goal.text}",
            f"expected: {' '.join(str(part) for part in expected if part is not None)}",
            *(
                f"{'ready: ' if item.ready else ''}{item.operation} {item.path} {item.body or ''}"
                for item in routed.recommended[:FIRST]
            ),
        ]
    )
