"""The embedded model: what it says is what its weights say, computed another way."""

import logging
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_weights import WEIGHTS, needs_weights
from numpy_bert import forward, forward_tokens, tensors_of
from tokenizers import Tokenizer

from resolvers.embeddings.minilm import (
    BATCH_TEXTS,
    BATCH_TOKENS,
    MAX_TOKENS,
    MiniLM,
    batch_by_length,
)
from resolvers.embeddings.weights import Weights

TEXTS = [
    "This is an example sentence",
    "How do I verify a signed snapshot (RFC 8785, v2.1)?",
    "",
    "Zoë 東京 \N{WHITE SMILING FACE} e\u0301",
    "tide " * 60,
    "ledger " * 400,
]
KEPT = [0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374480, 0.0026528]
"""How the vector of the first text began when the graph was first made."""
STEM = "minilm-53aa5117-2-"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the graph is kept."""
    return tmp_path_factory.mktemp("models") / "made"


@pytest.fixture(scope="module")
def minilm(folder: Path) -> MiniLM:
    """The model, loaded."""
    return MiniLM(weights(), folder)


def weights() -> Weights:
    """The weights that this machine has."""
    assert WEIGHTS is not None
    return WEIGHTS


def graphs(folder: Path) -> list[Path]:
    """The graphs that are kept."""
    return sorted(folder.glob("*.onnx"))


def pieces_of(text: str) -> list[int]:
    """The word pieces of a text."""
    tokenizer = Tokenizer.from_file(str(weights().tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    ids: list[int] = tokenizer.encode(text).ids
    return ids


@needs_weights
def test_the_graph_says_what_the_weights_say_in_numpy(minilm: MiniLM) -> None:
    tensors = tensors_of(weights().model)
    expected = np.array([forward(tensors, pieces_of(text)) for text in TEXTS[:5]])
    assert np.abs(minilm.embed(TEXTS[:5]) - expected).max() <= 1e-5


@needs_weights
def test_each_token_has_the_vector_of_the_last_layer(minilm: MiniLM) -> None:
    tensors = tensors_of(weights().model)
    for text, read in zip(TEXTS[:5], minilm.embed_tokens(TEXTS[:5]), strict=True):
        pieces = pieces_of(text)
        inner = slice(1, -1) if text else slice(1, 2)  # an empty text has the mark of its end
        assert read.ids.tolist() == pieces[inner]
        expected = forward_tokens(tensors, pieces)[inner]
        assert np.abs(read.tokens - expected).max() <= 1e-4
        assert read.tokens.shape == (len(pieces[inner]), 384)


@needs_weights
def test_a_token_knows_where_it_stands(minilm: MiniLM) -> None:
    text = "Zoë checks a ledger\udc80."
    (read,) = minilm.embed_tokens([text])
    words = [text[begin:end] for begin, end in read.spans.tolist()]
    assert words == ["Zoë", "checks", "a", "ledger", "\udc80", "."]


@needs_weights
def test_with_its_tokens_a_text_has_the_same_vector_to_the_bit(minilm: MiniLM) -> None:
    read = minilm.embed_tokens(TEXTS)
    assert np.array_equal([text.vector for text in read], minilm.embed(TEXTS))


@needs_weights
def test_its_vectors_are_what_they_were(minilm: MiniLM) -> None:
    assert minilm.embed(TEXTS[:1])[0, :6] == pytest.approx(KEPT, abs=1e-5)


@needs_weights
def test_in_company_a_text_has_the_vector_it_has_alone(minilm: MiniLM) -> None:
    together = minilm.embed(TEXTS * 4)
    alone = np.vstack([minilm.embed([text]) for text in TEXTS] * 4)
    assert np.abs(together - alone).max() <= 1e-6


@needs_weights
def test_meaning_is_near_meaning_where_no_word_is_shared(minilm: MiniLM) -> None:
    asked, near, far = minilm.embed(
        ["What does it cost?", "Our prices are listed here.", "The tide rises at noon."]
    )
    assert float(asked @ near) > 2 * float(asked @ far)


@needs_weights
@given(st.lists(st.text(st.characters(), max_size=80), max_size=5))
def test_every_text_has_a_vector_of_unit_length(texts: list[str]) -> None:
    vectors = LOADED[0].embed([*texts, "\ud800"])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


LOADED: list[MiniLM] = []


@pytest.fixture(scope="module", autouse=True)
def _loaded(request: pytest.FixtureRequest) -> None:
    if WEIGHTS is not None:
        LOADED.append(request.getfixturevalue("minilm"))


@needs_weights
def test_no_text_is_an_empty_table(minilm: MiniLM) -> None:
    assert minilm.embed([]).shape == (0, 384)
    assert minilm.embed_tokens([]) == []


@needs_weights
def test_what_is_too_long_is_cut(minilm: MiniLM) -> None:
    long, longer = minilm.embed(["tide " * 254, "tide " * 400])
    assert np.abs(long - longer).max() <= 1e-6


@needs_weights
def test_threads_may_share_it(minilm: MiniLM) -> None:
    expected = minilm.embed(TEXTS[:4])
    wrong: list[float] = []

    def ask(text: str, row: int) -> None:
        for _ in range(10):
            far = np.abs(minilm.embed([text])[0] - expected[row]).max()
            if far > 1e-6:
                wrong.append(float(far))

    threads = [threading.Thread(target=ask, args=(TEXTS[n % 4], n % 4)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert wrong == []


@needs_weights
def test_the_graph_is_made_once(minilm: MiniLM, folder: Path) -> None:
    assert minilm is not None
    (graph,) = graphs(folder)
    assert graph.name.startswith(STEM)
    made = graph.stat().st_mtime_ns
    MiniLM(weights(), folder)
    assert [file.stat().st_mtime_ns for file in graphs(folder)] == [made]


@needs_weights
def test_a_damaged_graph_is_made_again(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (graph,) = graphs(folder)
    whole = graph.read_bytes()
    graph.write_bytes(whole[:1000] + b"?" + whole[1001:])
    again = MiniLM(weights(), folder)
    assert graphs(folder) == [graph]
    assert graph.read_bytes() == whole
    assert caplog.messages == [f"{graph} is damaged, or of another release, and is built again."]
    assert again.embed(TEXTS[:1])[0, :6] == pytest.approx(KEPT, abs=1e-5)


@needs_weights
def test_where_no_file_can_be_written_the_model_runs_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    minilm = MiniLM(weights(), tmp_path / "file" / "models")
    assert minilm.embed(TEXTS[:1])[0, :6] == pytest.approx(KEPT, abs=1e-5)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "so the model's graph is built at every start. Fix: " in caplog.text


@needs_weights
def test_of_two_processes_one_makes_the_graph(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from resolvers.embeddings.minilm import MiniLM;"
        " from resolvers.embeddings.weights import find_weights;"
        " data, folder = map(Path, sys.argv[1:]);"
        " print(MiniLM(find_weights(data), folder).embed(['tide']).tobytes().hex())"
    )
    data = str(weights().model.parents[2])
    words = [sys.executable, "-c", program, data, str(tmp_path)]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    vectors = {process.communicate(timeout=60)[0] for process in processes}
    assert len(vectors) == 1
    assert "" not in vectors
    assert len(graphs(tmp_path)) == 1


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([256, 2, 256, 3, 256], [[1, 3], [0, 2], [4]]),
        ([10] * 18, [[*range(16)], [16, 17]]),
        ([100, 1, 100, 1, 100, 1, 100, 1, 100, 1], [[1, 3, 5, 7, 9], [0, 2, 4, 6, 8]]),
    ],
)
def test_texts_of_like_length_are_looked_at_together(
    lengths: list[int], expected: list[list[int]]
) -> None:
    assert [*batch_by_length(lengths)] == expected


@given(st.lists(st.integers(1, MAX_TOKENS)))
def test_every_text_is_in_one_batch_and_no_batch_is_too_large(lengths: list[int]) -> None:
    made = [*batch_by_length(lengths)]
    assert sorted(place for batch in made for place in batch) == [*range(len(lengths))]
    for batch in made:
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) * max(lengths[place] for place in batch) <= BATCH_TOKENS
