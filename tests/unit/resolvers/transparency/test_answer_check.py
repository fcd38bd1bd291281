"""A proof and an answer are checked offline, and whatever is altered in them is refused."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proof_alterations import KEY, NOW, OTHER_KEY, OWNER, TEXTS, altered, words_of
from third_verifier import RefusedError
from third_verifier import check_answer as check_by_third
from verifier_scripts import both, wrong

from resolvers.db.database import Database
from resolvers.signing.keys import key_ring_at
from resolvers.signing.verify import VerificationError
from resolvers.transparency.answer_check import check_answer, check_proof, standing
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree
from schema.signatures import KeySet
from sdl.canonical_json import digest_of

ANSWER = {
    "answer": "The client does. [1] No part of it is kept. [1]\n\n"
    "Working hours: 08:30 to 17:30. [2]",
    "citations": [
        {"n": 1, "url": f"/api/{OWNER}", "pointer": "/a", "score": 0.5},
        {"n": 2, "url": "/api/scheduling", "pointer": "/workingHours", "score": 0.4},
    ],
}


@pytest.fixture(scope="module")
def keys() -> KeySet:
    return key_ring_at([KEY], NOW).key_set


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return words_of(tmp_path_factory.mktemp("words"), KEY).proof(OWNER).to_json()


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    words = words_of(tmp_path_factory.mktemp("words"), KEY)
    names = (OWNER, "scheduling")
    return {**ANSWER, "proofs": [json.dumps(words.proof(name).to_json()) for name in names]}


def test_a_proof_gives_what_was_said(proof: dict[str, Any], keys: KeySet) -> None:
    assert check_proof("p", proof, keys) == TEXTS[OWNER]


REASONS = {
    "name": "the statement has another name",
    "statement": "leafHash is not that of the statement",
    "leafHash": "leafHash is not that of the statement",
    "index": "path does not lead from the statement to contentRoot",
    "size": "contentRoot or size differs from revisionLeaf",
    "path": "path does not lead from the statement to contentRoot",
    "contentRoot": "contentRoot or size differs from revisionLeaf",
    "revisionLeaf": "log.path does not lead from revisionLeaf to the checkpoint",
    "log.origin": "log.origin or log.size differs from the checkpoint",
    "log.index": "log.path does not lead from revisionLeaf to the checkpoint",
    "log.size": "log.origin or log.size differs from the checkpoint",
    "log.path": "log.path does not lead from revisionLeaf to the checkpoint",
    "log.checkpoint": "no key of the key set has signed the checkpoint",
}


@pytest.mark.parametrize("member", REASONS)
def test_whatever_is_altered_in_a_proof_is_refused_with_its_reason(
    member: str, proof: dict[str, Any], keys: KeySet
) -> None:
    for seed in range(150):
        chance = random.Random(f"{member} {seed}")  # noqa: S311 - a choice, no secret
        with pytest.raises(VerificationError) as refused:
            check_proof("p", altered(proof, member, chance), keys)
        assert refused.value.why in (REASONS[member], "is not a proof of a statement")


def test_the_proof_of_another_studio_is_refused(tmp_path: Path, keys: KeySet) -> None:
    with pytest.raises(VerificationError, match="no key of the key set has signed"):
        check_proof("p", words_of(tmp_path, OTHER_KEY).proof(OWNER).to_json(), keys)


def test_an_answer_says_of_each_sentence_how_it_stands(
    answer: dict[str, Any], keys: KeySet
) -> None:
    assert check_answer("a", answer, keys) == [
        f"a: {OWNER} was published",
        "a: scheduling was published",
        f"a: [1] word for word in {OWNER}",
        f"a: [1] word for word in {OWNER}",
        "a: [2] scheduling/workingHours stands in it; the words around it are not proven",
    ]
    more = {**answer, "answer": f"{answer['answer']} It is sunny."}
    last = check_answer("a", more, keys)[-1]
    assert last == "a: not proven, as it cites nothing: It is sunny."


@pytest.mark.parametrize(("word", "is_open"), [("Yes", True), ("No", False)])
def test_a_field_that_is_true_or_false_says_yes_or_no(word: str, *, is_open: bool) -> None:
    statement = {"open": is_open}
    citation = {"url": "/api/status", "pointer": "/open"}
    sentence = f"{word}, the studio is open."
    assert standing(sentence, citation, {"status": statement}).startswith("status/open is ")
    assert standing(sentence, citation, {"status": {"open": not is_open}}) == ""
    assert standing("Maybe.", citation, {"status": statement}) == ""


def mutations(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts in which a word is dropped, doubled or another one, and the word."""
    for match in re.finditer(r"[A-Za-z0-9:]+(?!\])", text.partition("\n\n")[0]):
        for other in ("", f"{match[0]} {match[0]}", "never"):
            if not match[0].isdigit():
                yield text[: match.start()] + other + text[match.end() :], match[0]


def test_no_word_of_a_quoted_sentence_can_be_another(answer: dict[str, Any], keys: KeySet) -> None:
    cases = [*mutations(str(answer["answer"]))]
    assert len(cases) > 20
    for text, _ in cases:
        with pytest.raises(VerificationError, match="is not in what it cites: "):
            check_answer("a", {**answer, "answer": text}, keys)
    with pytest.raises(VerificationError, match=r"is not in what it cites: Working hours: 08:31"):
        check_answer("a", {**answer, "answer": "Working hours: 08:31 to 17:30. [2]"}, keys)


def test_the_single_files_check_proofs_and_refuse_what_is_altered(
    proof: dict[str, Any], keys: KeySet, tmp_path: Path
) -> None:
    file, jwks = tmp_path / "proof.json", tmp_path / "jwks.json"
    jwks.write_text(json.dumps(keys.to_json()))
    file.write_text(json.dumps(proof))
    assert both(file, jwks) == (0, ["ok  jwks.json", "ok  proof.json"])
    assert wrong(file).endswith("needs a key set")
    for member in REASONS:
        for seed in range(12):
            chance = random.Random(f"{member} {seed}")  # noqa: S311 - a choice, no secret
            file.write_text(json.dumps(altered(proof, member, chance)))
            assert wrong(file, jwks).startswith(f"WRONG  {file}: ")
    other = key_ring_at([OTHER_KEY], NOW).key_set
    file.write_text(json.dumps(proof))
    jwks.write_text(json.dumps(other.to_json()))
    assert wrong(file, jwks).endswith("key is not in the key set")


def test_the_single_files_check_answers_and_say_what_is_not_proven(
    answer: dict[str, Any], keys: KeySet, tmp_path: Path
) -> None:
    file, jwks = tmp_path / "answer.json", tmp_path / "jwks.json"
    jwks.write_text(json.dumps(keys.to_json()))
    file.write_text(json.dumps({**answer, "answer": f"{answer['answer']} It is sunny."}))
    said = ["in part  Working hours: 08:30 to 17:30.", "unproven  It is sunny."]
    assert both(file, jwks) == (0, ["ok  jwks.json", "ok  answer.json", *said])
    assert wrong(file).endswith("needs a key set")
    over_mcp = [
        {**citation, "url": f"https://quillmere.example{citation['url']}"}
        for citation in answer["citations"]
    ]
    file.write_text(json.dumps({**answer, "citations": over_mcp}))
    assert both(file, jwks)[0] == 0
    assert check_answer("a", {**answer, "citations": over_mcp}, keys)


def altered_answers(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield answers with another word, citation, pointer, or proof."""
    for text, _ in mutations(str(answer["answer"])):
        yield {**answer, "answer": text}
    yield {**answer, "answer": "Working hours: 08:31 to 17:30. [2]"}
    yield {**answer, "answer": "The client does. [2]"}
    yield {**answer, "answer": "client does. [1]"}
    yield {**answer, "answer": "The client [1]"}
    yield {**answer, "answer": "The client does. [01]"}
    yield {**answer, "citations": []}
    yield {**answer, "citations": [{**answer["citations"][0], "url": "/api/scheduling"}]}
    for pointer in ("/", "/days/2", "/days/01", "/days/length", "/a~1b", "/q/0"):
        cited = {**answer["citations"][1], "pointer": pointer}
        yield {**answer, "citations": [answer["citations"][0], cited]}
    yield {**answer, "proofs": answer["proofs"][:1]}
    for member in REASONS:
        for seed in range(4):
            chance = random.Random(f"{member} {seed}")  # noqa: S311 - a choice, no secret
            other = altered(json.loads(answer["proofs"][1]), member, chance)
            yield {**answer, "proofs": [answer["proofs"][0], json.dumps(other)]}


def test_all_verifiers_refuse_the_same_answers(
    answer: dict[str, Any], keys: KeySet, tmp_path: Path
) -> None:
    file, jwks = tmp_path / "answer.json", tmp_path / "jwks.json"
    jwks.write_text(json.dumps(keys.to_json()))
    cases = [*altered_answers(answer)]
    for case in cases:
        with pytest.raises(VerificationError) as refused:
            check_answer("a", case, keys)
        with pytest.raises(RefusedError) as refused_too:
            check_by_third(case, keys.to_json())
        file.write_text(json.dumps(case))
        line = wrong(file, jwks)
        if "cites: " in refused.value.why:
            assert line == f"WRONG  {file}: {refused.value.why}"
            assert str(refused_too.value) == refused.value.why
    assert len(cases) > 90


YES = [
    ("/open", "Yes, it is open. [1]"),
    ("/days", "Open on 2 days. [1]"),
    ("/a~1b", "12 m. [1]"),
    ("", "The last one: Friday. [1]"),
    ("/note", "Doors: Open to all. [1]"),
]
NO = [
    ("/open", "No, it is closed. [1]"),
    ("/days", "Open on 3 days. [1]"),
    ("/a~1b", "1 m. [1]"),
    ("", "The last one: Sunday. [1]"),
    ("/note", "Doors: Open to some. [1]"),
    ("/note", "Doors: to all. [1]"),
]


@pytest.mark.parametrize(("pointer", "text"), [*YES, *NO])
def test_a_value_that_is_pointed_at_is_one_to_all_verifiers(
    pointer: str, text: str, keys: KeySet, tmp_path: Path
) -> None:
    said = {"open": True, "days": ["Monday", "Friday"], "a/b": 12, "none": None}
    said["note"] = "Open to all. Closed in May."
    tree = ContentTree(digest_of(b"status"), [("status", said)])
    store = ProofStore(Database(f"sqlite:///{tmp_path / 'words.db'}"))
    words = store.publish_words("o/words/1", tree, KEY, NOW)
    proof = json.dumps(words.proof("status").to_json())
    cited = [{"n": 1, "url": "/api/status", "pointer": pointer}]
    file, jwks = tmp_path / "answer.json", tmp_path / "jwks.json"
    answer = {"answer": text, "citations": cited, "proofs": [proof]}
    file.write_text(json.dumps(answer))
    jwks.write_text(json.dumps(keys.to_json()))
    sentence = text.removesuffix(" [1]")
    if (pointer, text) in YES:
        assert len(check_answer("a", answer, keys)) == 2
        assert check_by_third(answer, keys.to_json())
        assert both(file, jwks)[1][-1] == f"in part  {sentence}"
        return
    with pytest.raises(VerificationError, match="is not in what it cites: "):
        check_answer("a", answer, keys)
    with pytest.raises(RefusedError, match="is not in what it cites: "):
        check_by_third(answer, keys.to_json())
    assert wrong(file, jwks) == f"WRONG  {file}: is not in what it cites: {sentence}"


def test_what_ends_with_an_empty_line_cites_nothing(
    answer: dict[str, Any], keys: KeySet, tmp_path: Path
) -> None:
    file, jwks = tmp_path / "answer.json", tmp_path / "jwks.json"
    jwks.write_text(json.dumps(keys.to_json()))
    led = {**answer, "answer": f"Nearest:\n \n{answer['answer']}"}
    file.write_text(json.dumps(led))
    new = {*check_answer("a", led, keys)} - {*check_answer("a", answer, keys)}
    assert new == {"a: not proven, as it cites nothing: Nearest:"}
    assert "unproven  Nearest:" in both(file, jwks)[1]
    file.write_text(
        json.dumps({**led, "answer": led["answer"].replace("Nearest:", "Nearest: [1]")})
    )
    assert wrong(file, jwks).endswith("is not in what it cites: Nearest:")
