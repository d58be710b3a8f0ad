"""The stand-ins keep the promises of the ports that they stand for."""

import numpy as np

from assistant.ports import Answerer, Embedder, Index, Library
from tests.fakes import FakeAnswerer, FakeEmbedder, FakeIndex, FakeLibrary, make_holding, make_paper

EMBEDDER = FakeEmbedder()
HOLDINGS = (
    make_holding(make_paper(), EMBEDDER),
    make_holding(make_paper("list#2", "Graph networks predict the folding of proteins."), EMBEDDER),
)


def test_each_fake_has_the_shape_of_its_port() -> None:
    embedder: Embedder = EMBEDDER
    library: Library = FakeLibrary(HOLDINGS)
    index: Index = FakeIndex(HOLDINGS)
    answerer: Answerer = FakeAnswerer()
    assert all((embedder, library, index, answerer))


def test_vectors_have_length_one_and_are_the_same_each_time() -> None:
    first, again = FakeEmbedder(), FakeEmbedder()
    vectors = first.embed(["sparse attention", "", "the of and"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors, again.embed(["sparse attention", "", "the of and"]))
    assert first.embedded == 3


def test_a_paper_is_found_by_its_words_and_by_its_meaning() -> None:
    library, index = FakeLibrary(HOLDINGS), FakeIndex(HOLDINGS)
    assert [hit.paper_id for hit in library.match(("protein", "fold"), 5)] == ["list#2"]
    assert index.search(EMBEDDER.embed(["sparse attention memory"])[0], 1)[0].paper_id == "list#1"
    assert library.count_holding(("protein", "absent")) == (1, 0)


def test_holdings_come_in_the_order_of_the_ids_that_exist() -> None:
    holdings = FakeLibrary(HOLDINGS).fetch(("list#2", "gone", "list#1"))
    assert [holding.paper.id for holding in holdings] == ["list#2", "list#1"]


def test_sentences_are_the_exact_words_of_the_abstract() -> None:
    paper = HOLDINGS[0].paper
    assert [paper.abstract[sentence.start : sentence.end] for sentence in HOLDINGS[0].sentences] == [
        "We propose Sparrow, a sparse attention method.",
        "It halves the memory of training.",
    ]
