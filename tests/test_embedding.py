"""Fingerprints of embedders, and LangChain objects as embedders."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from assistant.embedding import fingerprint, same_embedder
from assistant.errors import EmbedderError
from assistant.models.embedding import LangChainEmbedder
from assistant.ports import Fingerprint
from tests.fakes import DIMENSION, FakeEmbedder

PRINT = Fingerprint("model", 2, "digest", ((1.0, 0.0), (0.0, 1.0)))


@pytest.mark.parametrize(
    "other",
    [
        replace(PRINT, model="another"),
        replace(PRINT, digest="another"),
        replace(PRINT, dimension=3, probes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
        replace(PRINT, probes=((1.0, 0.0), (0.3, 0.95))),
        replace(PRINT, probes=((1.0, 0.0),)),
    ],
    ids=["model", "digest", "dimension", "one probe below .98", "probes"],
)
def test_what_differs_in_one_point_is_another_embedder(other: Fingerprint) -> None:
    assert not same_embedder(PRINT, other)


def test_an_embedder_on_another_machine_is_the_same_one() -> None:
    assert same_embedder(PRINT, replace(PRINT, probes=((0.995, 0.0999), (-0.0999, 0.995))))


def test_a_fingerprint_is_made_of_plain_numbers() -> None:
    mine = fingerprint(FakeEmbedder())
    assert (mine.model, mine.dimension, mine.digest) == ("fake/bag-of-terms", DIMENSION, "fake-1")
    assert {type(value) for probe in mine.probes for value in probe} == {float}


@dataclass
class Scripted:
    """Returns the rows that it is given, whatever the texts."""

    rows: object
    model_name: str = "scripted-1"
    asked: list[list[str]] = field(default_factory=list)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows  # type: ignore[return-value]


def test_vectors_are_brought_to_length_1() -> None:
    model = Scripted([[3, 4], [0, 0.5]])
    vectors = LangChainEmbedder(model).embed(("a", "b"))
    assert vectors.tolist() == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))
    assert model.asked == [["a", "b"]]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1.0, 2.0]], "returned 1x2 numbers for 2 texts"),
        ([1.0, 2.0], "returned 2 numbers for 2 texts"),
        ([[], []], "returned 2x0 numbers for 2 texts"),
        ([[1.0], [1.0, 2.0]], "no list of vectors of one length"),
        ([["a"], ["b"]], "no list of vectors of one length"),
        (None, "returned no numbers for 2 texts"),
        ([[10**400], [1]], "no list of vectors of one length"),
        ([[1.0, float("nan")], [1.0, 1.0]], "a value that is no number"),
        ([[1.0, float("inf")], [1.0, 1.0]], "a value that is no number"),
        ([[1e300, 1e300], [1.0, 1.0]], "a value that is no number"),
        ([[0.0, 0.0], [1.0, 1.0]], "a vector of zeros"),
    ],
)
def test_what_is_no_vector_is_refused_in_one_line(rows: object, reason: str) -> None:
    with pytest.raises(EmbedderError, match=reason) as caught:
        LangChainEmbedder(Scripted(rows)).embed(["a", "b"])
    assert str(caught.value).startswith("Scripted/scripted-1: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (ValueError("the key sk-secret is wrong\n"), "did not embed 1 texts (ValueError). Check the model."),
        ([["sk-secret"]], "returned no list of vectors of one length. Check the model."),
    ],
)
def test_a_failing_model_is_named_and_its_words_are_not_told_not_even_in_a_traceback(rows: object, told: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        LangChainEmbedder(Scripted(rows)).embed(["a"])
    assert str(caught.value) == f"Scripted/scripted-1: {told}"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert "sk-secret is" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: LangChainEmbedder(Scripted([])), "Scripted/scripted-1"),
        (lambda: LangChainEmbedder(Scripted([], model_name="")), "Scripted"),
        (lambda: LangChainEmbedder(Scripted([]), name="mine"), "mine"),
    ],
)
def test_the_name_is_the_one_given_or_found(make: Callable[[], LangChainEmbedder], name: str) -> None:
    assert make().name == name


def test_word_pieces_are_counted_by_characters() -> None:
    assert [LangChainEmbedder(Scripted([])).count_pieces("x" * count) for count in (0, 1, 4, 5)] == [0, 1, 1, 2]
