"""What every embedder does, whichever it is: one contract, three embedders."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from assistant.embedding import PROBES, fingerprint, same_embedder
from assistant.models.embedding import LangChainEmbedder
from assistant.models.minilm import SHA256, MiniLM
from assistant.ports import Embedder
from assistant.resources import data_folder
from tests.fakes import FakeEmbedder

EMBEDDER = data_folder("embedder")
TEXTS = [
    "A sparse attention method.",
    "Mice aged.",
    "",
    "A sparse attention method.",
    "word " * 2000,
    "\ud83d 句子 \x00",
]


class Letters:
    """A LangChain object by shape: counts letters."""

    model = "letters-1"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, *(float(text.count(letter)) for letter in "aeinorst")] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


EMBEDDERS: Sequence[Embedder] = (MiniLM(), LangChainEmbedder(Letters()), FakeEmbedder())


@pytest.fixture(params=EMBEDDERS, ids=lambda embedder: embedder.name)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    found = request.param
    assert isinstance(found, MiniLM | LangChainEmbedder | FakeEmbedder)
    return found


def test_there_is_one_row_of_length_1_a_text(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape[0] == len(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_has_the_same_bytes_alone_and_among_others(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = [embedder.embed([text])[0] for text in TEXTS]
    assert [row.tobytes() for row in together] == [row.tobytes() for row in alone]


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert len(embedder.embed([])) == 0


def test_the_vectors_can_be_written_to(embedder: Embedder) -> None:
    assert embedder.embed(["Mice aged."]).flags.writeable


def test_longer_texts_have_more_pieces(embedder: Embedder) -> None:
    counts = [embedder.count_pieces(text) for text in ("", "Mice.", "Mice aged fast.", "Mice aged fast. " * 300)]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] >= 900


def test_an_embedder_is_itself_and_no_other(embedder: Embedder) -> None:
    mine = fingerprint(embedder)
    assert same_embedder(mine, fingerprint(embedder))
    assert [other.name for other in EMBEDDERS if same_embedder(mine, fingerprint(other))] == [embedder.name]
    assert len(mine.probes) == len(PROBES)
    assert {len(probe) for probe in mine.probes} == {mine.dimension}


def test_each_embedder_has_a_name_of_its_own_and_the_carried_one_a_hash_of_its_files() -> None:
    files = [hashlib.sha256((EMBEDDER / name).read_bytes()).hexdigest() for name in SHA256]
    assert [(embedder.name, embedder.digest) for embedder in EMBEDDERS] == [
        ("all-MiniLM-L6-v2-int8", hashlib.sha256("".join(files).encode()).hexdigest()),
        ("Letters/letters-1", ""),
        ("fake/bag-of-terms", "fake-1"),
    ]
