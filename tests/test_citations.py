"""Every marker of an answer has a citation, and every citation words that are in its paper."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.citations import find_claims, find_quotes, find_source, missing_figures, number_citations, split_answer
from assistant.domain import Evidence, FoundPaper
from assistant.markers import MARKER
from tests.evidence import ROBIN, SPARROW, WREN, make_evidence
from tests.fakes import make_paper

EVIDENCE = make_evidence()
PIECES = (
    "[1]",
    "[2]",
    "[3]",
    "[4]",
    "[0]",
    "[1, 3]",
    "[Smith 2031]",
    "Sparrow halves memory",
    ". ",
    "Wren prunes ",
    "\n",
    "[",
)


def quotes_of(text: str) -> list[tuple[int, str, list[str]]]:
    cited = number_citations(text, EVIDENCE)
    return [(found.number, found.paper.id, [quote.text for quote in found.quotes]) for found in cited.citations]


def test_a_citation_quotes_the_sentence_that_its_claim_is_from() -> None:
    assert quotes_of("Robin picks documents by novelty [2]. Sparrow needs half the memory in training [1].") == [
        (1, "list#2", ["Robin selects documents by their novelty before training."]),
        (2, "list#1", ["It halves the memory of training by 50%."]),
    ]


def test_a_claim_that_spans_two_sentences_of_a_paper_gets_both_in_their_order() -> None:
    assert quotes_of("On 12 translation tasks it takes half of the memory, 50%, in training [1].") == [
        (1, "list#1", ["It halves the memory of training by 50%.", "Sparrow was tested on 12 translation tasks."])
    ]


def test_each_clause_is_held_against_the_paper_that_it_cites() -> None:
    text = "Wren prunes edges while it learns [3], whereas Robin selects documents by their novelty [2]."
    assert quotes_of(text) == [
        (1, "list#3", ["Wren prunes edges while it learns."]),
        (2, "list#2", ["Robin selects documents by their novelty before training."]),
    ]


def test_a_figure_decides_between_sentences() -> None:
    assert quotes_of("The gain is 3.2 [2].") == [
        (1, "list#2", ["Experiments with 7B models confirm a gain of 3.2 points."])
    ]


def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    text = "Sparrow halves the memory. [1] Wren prunes the edges of graphs. [3]"
    assert [text[start:end] for start, end in split_answer(text)] == [
        "Sparrow halves the memory. [1]",
        "Wren prunes the edges of graphs. [3]",
    ]
    assert [claim.text for claim in find_claims(text)] == [
        "Sparrow halves the memory.",
        "Wren prunes the edges of graphs.",
    ]


@pytest.mark.parametrize("marker", ["[1]", "【1】", "[Source 1]", "[1], [2]", "\n[1]"])
def test_a_marker_of_any_form_after_the_full_stop_belongs_to_the_sentence_before(marker: str) -> None:
    text = f"Sparrow halves the memory. {marker} Wren prunes the edges of graphs."
    assert [text[start:end] for start, end in split_answer(text)] == [
        f"Sparrow halves the memory. {marker}",
        "Wren prunes the edges of graphs.",
    ]


@pytest.mark.parametrize("bracket", ["[CLS]", "[0, 1]", "[Released in 2023]"])
def test_a_bracket_that_is_no_marker_begins_its_own_sentence(bracket: str) -> None:
    text = f"Sparrow halves the memory. {bracket} stands for the range of it."
    assert [text[start:end] for start, end in split_answer(text)][1] == f"{bracket} stands for the range of it."


def test_a_marker_on_its_own_still_gets_a_quote() -> None:
    assert len(quotes_of("[2]")[0][2]) == 1


def test_a_paper_that_was_found_without_sentences_is_still_quoted() -> None:
    evidence = Evidence("q", (FoundPaper(SPARROW, 0.5, ()),))
    (citation,) = number_citations("It halves the memory of training [1].", evidence).citations
    assert [quote.text for quote in citation.quotes] == ["It halves the memory of training by 50%."]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_markers_and_citations_match_one_to_one_and_every_quote_is_verbatim(text: str) -> None:
    cited = number_citations(text, EVIDENCE)
    marked = list(dict.fromkeys(int(number) for number in MARKER.findall(cited.text)))
    assert marked == [citation.number for citation in cited.citations] == list(range(1, len(cited.citations) + 1))
    for citation in cited.citations:
        assert citation.quotes
        assert all(quote.text == citation.paper.abstract[quote.start : quote.end] for quote in citation.quotes)


def test_a_sentence_without_a_marker_is_traced_to_the_paper_that_it_is_clearly_from() -> None:
    assert find_source("Robin selects documents by their novelty.", EVIDENCE) == 2
    assert find_source("While it learns, Wren prunes the edges.", EVIDENCE) == 3


@pytest.mark.parametrize(
    "sentence",
    [
        "The moon is made of green cheese.",
        "Robin selects.",
        "Sparrow halves the memory of training by 70%.",
    ],
)
def test_a_sentence_that_is_not_clearly_from_a_paper_is_traced_to_none(sentence: str) -> None:
    assert find_source(sentence, EVIDENCE) == 0


def test_a_sentence_that_two_papers_hold_alike_is_traced_to_none() -> None:
    evidence = make_evidence(SPARROW, make_paper("list#9", SPARROW.abstract))
    assert find_source("Sparrow halves the memory of training.", evidence) == 0


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("It saves 50% of 12 and 99.9% of 10,000 [2].", ("99.9", "10000")),
        ("It saves 50 percent on twelve tasks.", ()),
        ("2. It was tested on 12 tasks.", ()),
        ("It was tested on 5 tasks.", ("5",)),
        ("Of the two papers, one tests it on 12 tasks.", ()),
        ("It saves some memory.", ()),
    ],
)
def test_the_figures_that_no_cited_paper_has_are_found(sentence: str, missing: tuple[str, ...]) -> None:
    assert missing_figures(sentence, make_evidence(SPARROW, WREN).papers) == missing


def test_a_figure_may_be_a_word_in_the_paper() -> None:
    papers = make_evidence(
        make_paper("list#1", "We test it on seven tasks at half the cost and twice the speed.")
    ).papers
    assert missing_figures("It was tested on 7 tasks at 50% of the cost and 2 times the speed.", papers) == ()


def test_quotes_of_a_claim_come_in_the_order_of_the_abstract() -> None:
    quotes = find_quotes(
        "A gain of 3.2 points with 7B models, as novelty selects documents", make_evidence(ROBIN).papers[0]
    )
    assert [quote.start for quote in quotes] == sorted(quote.start for quote in quotes)
    assert len(quotes) == 2


@pytest.mark.parametrize("flood", ["[1]", "a [1] ", "[9]", "Sparrow halves memory [1]. ", "word ", "[1], [2] and "])
def test_sixty_kilobytes_are_cited_in_no_time(flood: str) -> None:
    started = time.perf_counter()
    number_citations(flood * (60_000 // len(flood)), EVIDENCE)
    assert time.perf_counter() - started < 1.5
