import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.ports import Vectors
from assistant.retrieval.correction import Corrector
from tests.fakes import FakeEmbedder, FakeLibrary, make_holding, make_paper

PAPERS = (
    make_paper("a#1", "Spiking neural networks with error propagation. The quantization of attention layers is exact."),
    make_paper("a#2", "We call it TabFlex. Language models do graph condensation, and TabFlex verifies networks."),
)
REAL_WORDS = {"piano", "mural", "baking", "networking"}


class KnowingEmbedder(FakeEmbedder):
    """Knows real words as one piece, as a word-piece vocabulary does, and no others."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts)

    def count_pieces(self, text: str) -> int:
        return 1 if text in REAL_WORDS else 2


def make_corrector() -> Corrector:
    embedder = KnowingEmbedder()
    return Corrector(FakeLibrary(make_holding(paper, embedder) for paper in PAPERS), embedder)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("neurl netwroks", "neural networks"),
        ("error propogation", "error propagation"),
        ("quantizaton of langauge models", "quantization of language models"),
        ("how does tabflx work?", "how does tabflex work?"),
        ("Attenton layers", "attention layers"),
    ],
)
def test_a_mistyped_word_is_read_as_the_word_of_the_papers(typed: str, meant: str) -> None:
    assert make_corrector().correct(typed).question == meant


def test_what_was_read_differently_is_said_in_one_line() -> None:
    assert make_corrector().correct("neurl netwroks").notice == 'Read "neurl" as "neural", "netwroks" as "networks".'


@pytest.mark.parametrize(
    "question",
    [
        "a mural painting",  # a real word, one letter from "neural"
        "What does TabFlax do?",  # a coined name: another thing, maybe
        "photosynthesis of algae",  # unknown, and near to nothing
        "neural networks",
        "net",
        "",
        "神经网络 propogatoin3",
    ],
)
def test_other_words_stay_as_they_are(question: str) -> None:
    corrected = make_corrector().correct(question)
    assert corrected.question == question
    assert not corrected.notice


@given(st.text(max_size=60))
def test_any_question_can_be_read(question: str) -> None:
    corrected = make_corrector().correct(question)
    assert len(re.findall(r"\s", corrected.question)) == len(re.findall(r"\s", question))
