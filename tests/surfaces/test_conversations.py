"""A question is answered in its own conversation, also where its words are those of another one."""

from local_service import Ask, until_it_answers


def test_the_same_words_mean_what_each_conversation_speaks_of(ask: Ask) -> None:
    def answer(*turns: str) -> str:
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(turns)]
        body = ask("/api/chat", "POST", json={"messages": messages}).json()
        assert body["citations"], body
        return str(body["answer"])

    until_it_answers(ask)
    names = ("Tidebook", "Harborlight")
    said = [answer(f"What is {name}?", f"{name} [1].", "Which version is it at?") for name in names]
    assert said[0] != said[1]
    for name, text in zip(names, said, strict=True):
        assert name in text
        assert answer(f"What is {name}?", f"{name} [1].", "Which version is it at?") == text
