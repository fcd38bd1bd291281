"""Vectors of other people's models are ordered, checked, and of the one length that is used."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from model_behaviours import (
    Habit,
    answers,
    embeds,
    embeds_so,
    refuses,
    resets,
    silent,
    vector_of,
)
from model_server import ModelServer, closed_port, model_server

from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.embedder import DIMENSIONS
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.remote import MAX_TEXTS, LocalEmbedder, RemoteEmbedder

SECRET = "sk-secret"  # noqa: S105 - it opens nothing
TEXTS = ("the price is fixed", "the audit takes weeks", "a\nline, and another")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server with a model of 768 dimensions."""
    with model_server() as made:
        yield made


def choice(url: str, **changes: Any) -> EmbedderConfig:
    """A model at an address."""
    return replace(EmbedderConfig("openai-like", url, SECRET, "Some/Model:1"), **changes)


def unit(text: str) -> Any:
    """The vector that the server has for a text, of unit length."""
    made = vector_of(text)
    return made / np.linalg.norm(made)


@pytest.mark.parametrize("codes", [True, False], ids=["base64", "numbers"])
def test_each_text_has_its_vector_of_unit_length(server: ModelServer, codes: bool) -> None:  # noqa: FBT001 - a case
    server.embeddings = embeds(codes=codes)
    embedder = RemoteEmbedder(choice(server.url))
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert np.allclose(vector, unit(text), atol=1e-6)
    assert np.allclose(embedder.embed_query(TEXTS[0]), vectors[0], atol=1e-6)
    assert (embedder.model, embedder.mode, embedder.dimensions) == ("Some/Model:1", "semantic", 768)


def test_texts_are_sent_unchanged_in_batches(server: ModelServer) -> None:
    texts = [f"text\n{number}" for number in range(2 * MAX_TEXTS + 3)]
    vectors = RemoteEmbedder(choice(server.url)).embed_documents(texts)
    assert len(vectors) == len(texts)
    assert [len(call.texts) for call in server.calls] == [MAX_TEXTS, MAX_TEXTS, 3]
    assert [text for call in server.calls for text in call.texts] == texts


def test_dimensions_are_asked_for_where_they_are_set(server: ModelServer) -> None:
    server.embeddings = embeds(1536, shortens=True)
    with pytest.raises(ModelError, match="returns 1536 dimensions; 768 are needed"):
        RemoteEmbedder(choice(server.url)).embed_query("a")
    RemoteEmbedder(choice(server.url, dimensions=768)).embed_query("a")
    assert [call.body.get("dimensions") for call in server.calls] == [None, 768]


@pytest.mark.parametrize(("key", "sent"), [(SECRET, SECRET), ("", "none")], ids=["set", "none"])
def test_the_key_is_sent_or_a_placeholder(server: ModelServer, key: str, sent: str) -> None:
    RemoteEmbedder(choice(server.url, api_key=key)).embed_query("a")
    (call,) = server.calls
    assert call.headers["authorization"] == f"Bearer {sent}"
    assert not [name for name in call.headers if name.startswith(("x-", "openai-"))]


Data = list[dict[str, Any]]


def of_first(value: float) -> Habit:
    """Vectors of which one holds a number that is none."""

    def change(data: Data) -> Data:
        data[0]["embedding"][3] = value
        return data

    return embeds_so(change)


def test_vectors_in_another_order_are_put_in_that_of_the_texts(server: ModelServer) -> None:
    server.embeddings = embeds_so(lambda data: data[::-1])
    vectors = RemoteEmbedder(choice(server.url)).embed_documents(TEXTS)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert np.allclose(vector, unit(text), atol=1e-6)


ODD: dict[str, tuple[Habit, str]] = {
    "401": (refuses(401), "rejects the key (401); check STUDIOGRAPH_AI_EMBED_API_KEY."),
    "500": (refuses(500), "failed (500)"),
    "reset": (resets(), "closed the connection"),
    "silence": (silent(), "takes too long"),
    "cut": (
        lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n["],
        "closed the connection",
    ),
    "garbage": (answers(b"{nope"), "invalid response"),
    "too much": (answers(b'"' + b" " * 17 * 2**20 + b'"'), "more than the limit"),
    "too few": (embeds_so(lambda data: data[:-1]), "invalid response"),
    "one twice": (embeds_so(lambda data: [data[0], *data[:-1]]), "invalid response"),
    "text in place of a vector": (
        embeds_so(lambda data: [{**e, "embedding": "_"} for e in data]),
        "returns 1 dim",
    ),
    "no number": (of_first(math.nan), "not finite"),
    "zero": (embeds_so(lambda data: [{**e, "embedding": [0] * 768} for e in data]), "is zero"),
    "short": (embeds(512), "returns 512 dimensions; 768 are needed"),
    "long": (embeds(1024), "set STUDIOGRAPH_AI_EMBED_DIMENSIONS=768 if the model can shorten"),
}


@pytest.mark.parametrize(("habit", "told"), ODD.values(), ids=ODD)
def test_what_is_no_answer_is_a_fault_of_ours(server: ModelServer, habit: Habit, told: str) -> None:
    server.embeddings = habit
    embedder = RemoteEmbedder(choice(server.url), timeout_seconds=1)
    with pytest.raises(ModelError, match=re.escape(told)) as caught:
        embedder.embed_documents(TEXTS)
    assert SECRET not in str(caught.value)
    assert len(server.calls) == 1
    embedder.close()


def test_a_server_that_is_not_there_is_a_fault() -> None:
    embedder = RemoteEmbedder(choice(f"http://127.0.0.1:{closed_port()}/v1"))
    with pytest.raises(ModelError, match="cannot be reached; check STUDIOGRAPH_AI_EMBED_BASE_URL"):
        embedder.embed_query("a")


def test_the_id_changes_with_all_that_changes_vectors_and_with_nothing_else() -> None:
    made = choice("http://a.example/v1")
    same = [made, replace(made, api_key="other"), replace(made, base_url="http://a.example/v2")]
    other = [
        replace(made, base_url="http://b.example/v1"),
        replace(made, model="some/model:2"),
        replace(made, dimensions=768),
        replace(made, query_prefix="q "),
        replace(made, doc_prefix="d "),
    ]
    ids = [RemoteEmbedder(each).id for each in (*same, *other)]
    assert len({*ids[:3]}) == 1
    assert len({*ids[2:]}) == len(other) + 1
    for name in ids:
        assert re.fullmatch(r"some-model-[12]-[0-9a-f]{8}-768", name)


# Models that run here ---------------------------------------------------------------------------


class Counting:
    """A model of the shape that the extra has, which counts words."""

    def __init__(self, name: str) -> None:
        assert name == "Some/Model:1"

    def encode(self, texts: Sequence[str], batch_size: int) -> Any:
        """The vectors of texts."""
        assert batch_size == MAX_TEXTS
        return np.array([vector_of(text) for text in texts])


def test_a_model_that_runs_here_is_checked_alike() -> None:
    made = replace(choice(""), kind="huggingface", query_prefix="q ", doc_prefix="d ")
    embedder = LocalEmbedder(made, lambda _: SimpleNamespace(SentenceTransformer=Counting))
    vectors = embedder.embed_documents(["a"] * (MAX_TEXTS + 1))
    assert vectors.shape == (MAX_TEXTS + 1, DIMENSIONS)
    assert np.allclose(vectors[0], unit("d a"), atol=1e-6)
    assert np.allclose(embedder.embed_query("a"), unit("q a"), atol=1e-6)
    assert embedder.embed_documents([]).shape == (0, DIMENSIONS)
    assert re.fullmatch(r"some-model-1-[0-9a-f]{8}-768", embedder.id)


def test_an_extra_that_is_not_installed_is_named() -> None:
    def load(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    with pytest.raises(ModelError, match="pip install sentence-transformers"):
        LocalEmbedder(choice(""), load)
