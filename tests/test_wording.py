from assistant.retrieval.hybrid import HybridRetriever
from tests.fakes import FakeEmbedder, FakeIndex, FakeLibrary, make_holding, make_paper

PAPERS = (
    make_paper("a#1", "State space models (SSMs) read long texts. We tune them."),
    make_paper("a#2", "Our SSM forgets less than others do."),
    make_paper("a#3", "We present state space models of the weather."),
    make_paper("a#4", "Urchins graze on algae. A model counts them in space."),
)


def find(question: str) -> dict[str, float]:
    embedder = FakeEmbedder()
    holdings = [make_holding(paper, embedder) for paper in PAPERS]
    evidence = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder).retrieve(question, 4)
    return {found.paper.id: max(scored.coverage for scored in found.sentences) for found in evidence.papers}


def test_an_acronym_finds_papers_that_only_spell_it_out() -> None:
    found = find("Which papers use SSMs?")
    assert found["a#3"] == 1
    assert set(list(found)[:3]) == {"a#1", "a#2", "a#3"}


def test_a_long_form_finds_papers_that_only_have_the_acronym() -> None:
    assert find("Which papers use state space models?")["a#2"] == 1
    embedder = FakeEmbedder()
    holdings = [make_holding(paper, embedder) for paper in PAPERS]
    ranking = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder).rank("state space models")
    assert "a#2" in {hit.paper_id for hit in ranking.lexical}


def test_words_of_a_long_form_that_stand_apart_do_not_stand_for_the_acronym() -> None:
    assert find("a model of space and state")["a#2"] == 0


def test_a_question_without_acronyms_keeps_its_terms() -> None:
    embedder = FakeEmbedder()
    holdings = [make_holding(paper, embedder) for paper in PAPERS]
    evidence = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder).retrieve("urchins", 1)
    assert [term.forms for term in evidence.terms] == [()]
