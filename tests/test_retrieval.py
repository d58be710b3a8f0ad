from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain import NO_FILTERS, Filters, QuestionTerm
from assistant.ports import Hit
from assistant.retrieval.fusion import Channel, fuse
from assistant.retrieval.hybrid import HybridRetriever, add, choose_terms
from assistant.retrieval.ranking import rarity
from tests.fakes import FakeEmbedder, FakeIndex, FakeLibrary, make_holding, make_paper

PAPERS = (
    make_paper("reefs#1", "Corals bleach in warm water. We present ReefNet, a forecast of bleaching. It is fast."),
    make_paper("reefs#2", "Sea urchins graze on algae. We count urchins by drone."),
    make_paper("reefs#3", "Deep sea vents host worms. We map vents by sonar."),
)


def make_retriever() -> HybridRetriever:
    embedder = FakeEmbedder()
    holdings = [make_holding(paper, embedder) for paper in PAPERS]
    return HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder)


class NoIndex:
    def search(self, vector: np.ndarray, k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        return ()

    def measure(self, vector: np.ndarray, paper_ids: Sequence[str]) -> dict[str, float]:
        return {}


def test_the_paper_that_both_channels_find_comes_first() -> None:
    evidence = make_retriever().retrieve("How do urchins graze?", 3)
    assert evidence.papers[0].paper.id == "reefs#2"


def test_a_paper_stands_in_the_evidence_once() -> None:
    evidence = make_retriever().retrieve("sea water bleaching", 10)
    ids = [found.paper.id for found in evidence.papers]
    assert len(ids) == len(set(ids)) == 3


def test_at_most_k_papers_are_found_best_first() -> None:
    evidence = make_retriever().retrieve("sea water bleaching", 2)
    assert len(evidence.papers) == 2
    assert evidence.papers[0].score >= evidence.papers[1].score


def test_sentences_stay_in_the_order_of_the_abstract_with_their_own_scores() -> None:
    found = make_retriever().retrieve("forecast of bleaching", 1).papers[0]
    assert [scored.sentence.text for scored in found.sentences] == [
        "Corals bleach in warm water.",
        "We present ReefNet, a forecast of bleaching.",
        "It is fast.",
    ]
    assert max(found.sentences, key=lambda scored: scored.score) is found.sentences[1]


def test_a_sentence_that_holds_every_term_is_covered_in_full() -> None:
    found = make_retriever().retrieve("ReefNet forecast bleaching", 1).papers[0]
    assert found.sentences[1].coverage == 1
    assert found.sentences[2].coverage == 0


def test_the_terms_of_the_question_carry_how_many_papers_hold_them() -> None:
    evidence = make_retriever().retrieve("Which papers map the sea with lasers?", 3)
    assert {term.stem: term.holding for term in evidence.terms} == {"map": 1, "sea": 2, "laser": 0}


def test_words_alone_find_a_paper_that_the_vectors_miss() -> None:
    embedder = FakeEmbedder()
    library = FakeLibrary(make_holding(paper, embedder) for paper in PAPERS)
    evidence = HybridRetriever(library, NoIndex(), embedder).retrieve("sonar", 3)
    assert evidence.papers[0].paper.id == "reefs#3"


def test_a_question_of_unknown_words_is_answered_by_the_vectors_alone() -> None:
    assert len(make_retriever().retrieve("zzz qqq", 2).papers) == 2


def test_an_empty_library_finds_nothing() -> None:
    retriever = HybridRetriever(FakeLibrary(()), FakeIndex(()), FakeEmbedder())
    assert retriever.retrieve("anything", 5).papers == ()


def test_bm25_counts_less_when_no_paper_holds_much_of_the_question() -> None:
    """Three unknown words beside one chance word: the vectors decide."""
    embedder = FakeEmbedder()
    near = make_paper("a#1", "Corals bleach in warm water.")
    chance = make_paper("a#2", "A drone film.")
    library = FakeLibrary(make_holding(paper, embedder) for paper in (near, chance))

    class Nearest:
        def search(self, vector: np.ndarray, k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
            return (Hit("a#1", 0.9), Hit("a#2", 0.1))

        def measure(self, vector: np.ndarray, paper_ids: Sequence[str]) -> dict[str, float]:
            return {}

    question = "drone whitening polyps heating oceans seasons"
    assert HybridRetriever(library, Nearest(), embedder).retrieve(question, 2).papers[0].paper.id == "a#1"


def test_each_paper_that_is_named_is_found_whatever_else_is_near() -> None:
    """Five forecasts of coral bleaching fill the list; the sonar that is named as well must be in it."""
    embedder = FakeEmbedder()
    forecasts = [make_paper(f"f#{n}", "We forecast coral bleaching with ReefNet in warm water.") for n in range(3)]
    sonar = make_paper("s#1", "We present VentMap. It listens to vents in the deep and draws what it hears.")
    holdings = [make_holding(paper, embedder) for paper in (*forecasts, sonar)]
    retriever = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder)
    evidence = retriever.retrieve("Compare the forecast of coral bleaching in warm water by ReefNet with VentMap", 2)
    assert [found.paper.id for found in evidence.papers] == ["f#0", "s#1"]


def test_a_rarer_term_weighs_more() -> None:
    assert rarity(1, 50) > rarity(10, 50) > rarity(50, 50) > 0


scores = st.dictionaries(st.sampled_from("abcdefg"), st.floats(-100, 100), max_size=7)


@given(scores, scores, st.floats(0.01, 1), st.floats(0.01, 1))
def test_fusion_orders_every_paper_once_between_0_and_1(
    one: dict[str, float], other: dict[str, float], weight: float, rest: float
) -> None:
    order = fuse((Channel(one, weight), Channel(other, rest)))
    assert {paper_id for paper_id, _ in order} == set(one) | set(other)
    assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in order)
    assert [score for _, score in order] == sorted((score for _, score in order), reverse=True)


@given(scores)
def test_one_channel_alone_keeps_its_order(one: dict[str, float]) -> None:
    order = [one[paper_id] for paper_id, _ in fuse((Channel(one, 0.5),))]
    assert all(first >= second - 1e-9 * 200 for first, second in pairwise(order))


def test_a_question_for_one_thing_or_another_finds_the_papers_on_each_by_how_well_they_fit() -> None:
    found = make_retriever().retrieve_topics("Which papers are on urchins or vents?", ("urchins", "vents"), 3)
    assert {paper.paper.id for paper in found.papers[:2]} == {"reefs#2", "reefs#3"}
    assert {term.stem for term in found.terms} == {"urchin", "vent"}
    assert found.papers[1].fit > 2 * found.papers[2].fit


def test_how_well_a_paper_fits_says_nothing_of_the_others() -> None:
    alone = make_retriever().retrieve("urchins", 1).papers[0].fit
    among = make_retriever().retrieve("urchins", 3).papers[0].fit
    assert alone == among > 0.5


def test_words_that_everybody_uses_are_left_out_first_when_too_much_would_be_read() -> None:
    terms = tuple(QuestionTerm(stem, holding, 1.0) for stem, holding in (("model", 79_000), ("reef", 9), ("sea", 900)))
    assert choose_terms(terms) == ["reef", "sea", "model"]
    assert choose_terms((QuestionTerm("model", 79_000, 0.1), QuestionTerm("data", 60_000, 0.1))) == ["data", "model"]
    assert choose_terms((*terms, QuestionTerm("data", 60_000, 0.1))) == ["reef", "sea", "data"]


def test_what_two_searches_by_words_find_is_the_sum_of_both() -> None:
    found = add((Hit("a", 3.0), Hit("b", 1.0)), (Hit("c", 2.0), Hit("b", 2.5)))
    assert found == (Hit("b", 3.5), Hit("a", 3.0), Hit("c", 2.0))
