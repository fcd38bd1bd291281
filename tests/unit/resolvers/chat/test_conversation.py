"""Dialogues: which message is the question, what is kept beside it, and what is looked up."""

import pytest

from resolvers.chat.conversation import (
    HISTORY_CHARACTERS,
    ChatRequest,
    Message,
    request_of,
)


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


def test_a_query_is_the_whole_question() -> None:
    assert request_of("What is Tidebook?", []) == ChatRequest("What is Tidebook?")


def test_the_last_user_message_is_the_question_and_the_others_are_history() -> None:
    first, said, last, after = user("One?"), assistant("1."), user("Two?"), assistant("Well,")
    assert request_of(None, [first, said, last, after]) == ChatRequest("Two?", (first, said, after))


def test_what_a_system_message_says_is_a_preference_and_no_history() -> None:
    question = request_of(None, [Message("system", "Be brief."), user("Two?")])
    assert question == ChatRequest("Two?", (), ("Be brief.",))


def test_without_a_user_message_nothing_is_asked() -> None:
    with pytest.raises(ValueError, match="no user message"):
        request_of(None, [Message("system", "Be brief."), assistant("Yes?")])


def test_a_long_conversation_loses_its_oldest_turns_whole() -> None:
    turns = [user(f"{place}" * 4_000) for place in range(5)]
    question = request_of(None, [*turns, user("Now?")])
    assert question.history == tuple(turns[-3:])
    assert sum(len(turn.content) for turn in question.history) + 4 <= HISTORY_CHARACTERS


def test_preferences_take_their_part_of_the_room() -> None:
    wish = Message("system", "x" * 4_000)
    turns = [user("y" * 4_000) for _ in range(3)]
    kept = request_of(None, [wish, *turns, user("z" * 4_000)])
    assert (kept.preferences, len(kept.history)) == ((), 3)


@pytest.mark.parametrize("length", [HISTORY_CHARACTERS, HISTORY_CHARACTERS + 1])
def test_a_question_that_fills_the_room_is_kept_alone(length: int) -> None:
    question = request_of(None, [user("before"), user("q" * length)])
    assert question == ChatRequest("q" * length)


def test_a_turn_that_just_fits_is_kept() -> None:
    turn = user("a" * (HISTORY_CHARACTERS - 4))
    assert request_of(None, [turn, user("Now?")]).history == (turn,)
    assert request_of(None, [turn, user("Now??")]).history == ()
