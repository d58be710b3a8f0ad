import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.extractive import ExtractiveAnswerer
from assistant.domain import Answer, AnswerSentence, Draft, Evidence, Step
from assistant.retrieval.hybrid import HybridRetriever
from tests.fakes import FakeEmbedder, FakeIndex, FakeLibrary, make_holding, make_paper

PAPERS = (
    make_paper(
        "reefs#1",
        "Corals bleach in warm water. We present ReefNet (Reef Network), a forecast of coral bleaching. "
        "ReefNet lowers the forecast error by 31% on 12 reefs. Code is available at https://example.org/reefnet.",
    ),
    make_paper(
        "reefs#2",
        "Forecasts of coral bleaching need satellite maps. We introduce CoralCast, a cheap forecast of bleaching. "
        "CoralCast runs 4 times faster than a satellite pipeline.",
    ),
    make_paper("reefs#3", "Sea urchins graze on algae. We count urchins by drone at 40 sites."),
)


def ask(question: str) -> Answer:
    return last(events(question))


def events(question: str) -> list[object]:
    return list(ExtractiveAnswerer().answer(question, retrieve(question)))


def retrieve(question: str) -> Evidence:
    embedder = FakeEmbedder()
    holdings = [make_holding(paper, embedder) for paper in PAPERS]
    return HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder).retrieve(question, 5)


def last(seen: list[object]) -> Answer:
    answer = seen[-1]
    assert isinstance(answer, Answer)
    return answer


def test_a_figure_is_answered_by_the_sentence_that_states_it() -> None:
    answer = ask("By how much does ReefNet lower the forecast error?")
    assert answer.text == "ReefNet lowers the forecast error by 31% on 12 reefs. [1]"
    assert answer.citations[0].paper.id == "reefs#1"


def test_a_definition_is_the_sentence_that_spells_the_name_out() -> None:
    assert ask("What is ReefNet?").text.startswith("We present ReefNet (Reef Network)")


def test_a_comparison_has_a_part_for_each_side() -> None:
    answer = ask("Compare ReefNet with CoralCast: which error and which speed?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1", "reefs#2"}
    assert answer.text.count("\n\n") == 1


def test_two_names_of_different_papers_are_compared() -> None:
    answer = ask("ReefNet or CoralCast: who is faster?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1", "reefs#2"}


def test_a_clause_that_only_asks_is_no_side_of_a_comparison() -> None:
    answer = ask("Compare the forecasts of coral bleaching: how many sites and which algae does each one count?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1", "reefs#2"}


def test_a_name_in_small_letters_says_which_paper_is_meant() -> None:
    assert ask("is coralcast faster than a satellite pipeline").citations[0].paper.id == "reefs#2"


def test_naming_two_papers_sets_them_side_by_side_without_a_word_for_it() -> None:
    answer = ask("How well do ReefNet and CoralCast forecast?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1", "reefs#2"}


def test_unknown_words_beside_a_known_name_do_not_make_it_unknown() -> None:
    assert ask("unriddle ReefNet").citations[0].paper.id == "reefs#1"


def test_two_names_of_one_paper_are_a_matter_of_that_paper() -> None:
    answer = ask("Is ReefNet (Reef Network) better than a reef network?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1"}


def test_a_survey_lists_the_papers_on_the_topic_and_no_others() -> None:
    answer = ask("Which papers are about coral bleaching?")
    assert {citation.paper.id for citation in answer.citations} == {"reefs#1", "reefs#2"}


def test_a_summary_leaves_out_where_the_code_is() -> None:
    answer = ExtractiveAnswerer().answer("Summarise the ReefNet paper.", retrieve("Summarise the ReefNet paper."))
    assert "31%" in last(list(answer)).text


def test_every_quote_is_verbatim_and_every_marker_has_a_citation() -> None:
    for question in ("What is ReefNet?", "Which papers are about coral bleaching?", "Compare ReefNet and CoralCast."):
        answer = ask(question)
        markers = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
        assert markers == {citation.number for citation in answer.citations}
        for citation in answer.citations:
            assert citation.quotes
            for quote in citation.quotes:
                assert citation.paper.abstract[quote.start : quote.end] == quote.text
                assert quote.text in answer.text


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("How fast is WhaleNet?", "WhaleNet"),
        ("Who are the authors of ReefNet?", "authors"),
        ("What is the DOI of ReefNet?", "identifiers"),
        ("At which university was ReefNet developed?", "affiliations"),
        ("How many volcanoes does ReefNet forecast?", "volcanoes"),
        ("Why does ReefNet always need satellites?", "always"),
        ("Which camera was used for ReefNet?", "does not say"),
        ("Is there a paper on volcanic ash?", "volcanic or ash"),
        ("Which papers talk about cooking?", "cooking"),
        ("fairness", "fairness"),
        ("Do lorries queue at borders while clerks stamp forms in ink all night long?", "close"),
    ],
)
def test_what_the_corpus_does_not_say_is_said_not_to_be_there(question: str, why: str) -> None:
    answer = ask(question)
    assert answer.abstained
    assert why in answer.reason
    assert answer.reason in answer.text
    assert answer.citations == ()


def test_a_new_topic_in_a_conversation_is_not_answered_from_the_old_one() -> None:
    evidence = retrieve("ReefNet: Who won the rowing regatta in Boston?")
    answer = last(list(ExtractiveAnswerer().answer("Who won the rowing regatta in Boston?", evidence)))
    assert answer.abstained


def test_a_follow_up_on_the_same_topic_is_answered() -> None:
    evidence = retrieve("ReefNet: By how much does it lower the forecast error?")
    answer = last(list(ExtractiveAnswerer().answer("By how much does it lower the forecast error?", evidence)))
    assert "31%" in answer.text


def test_what_the_record_of_a_paper_says_is_told_with_a_citation() -> None:
    embedder = FakeEmbedder()
    paper = make_paper("r#1", "We present ReefNet, a forecast.", authors=("A. Li", "B. Roy"), year=2031, venue="Reefs")
    holdings = [make_holding(paper, embedder)]
    retriever = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder)
    told = {}
    for question in (
        "Who wrote the ReefNet paper?",
        "In which year was ReefNet published?",
        "Which venue is ReefNet in?",
    ):
        answer = last(list(ExtractiveAnswerer().answer(question, retriever.retrieve(question, 5))))
        assert answer.citations[0].quotes[0].text == "We present ReefNet, a forecast."
        told[question.split()[0]] = answer.text
    assert "A. Li, B. Roy. [1]" in told["Who"]
    assert "2031. [1]" in told["In"]
    assert "Reefs. [1]" in told["Which"]


def test_a_topic_that_sounds_like_a_field_is_a_topic() -> None:
    assert "authors" not in ask("Which papers count urchins for a university course?").reason


def test_an_abstention_shows_the_nearest_sentence_as_a_lead() -> None:
    answer = ask("Which camera was used for the forecast of coral bleaching by ReefNet?")
    assert "Closest: \u201cWe present ReefNet" in answer.text


def test_bracketed_numbers_of_an_abstract_are_no_markers() -> None:
    embedder = FakeEmbedder()
    paper = make_paper("r#1", "ReefNet beats the older method [2] by 31%, as told in [3, 4].")
    holdings = [make_holding(paper, embedder)]
    evidence = HybridRetriever(FakeLibrary(holdings), FakeIndex(holdings), embedder).retrieve("What beats ReefNet?", 5)
    answer = last(list(ExtractiveAnswerer().answer("What does ReefNet beat?", evidence)))
    assert answer.text == "ReefNet beats the older method (2) by 31%, as told in (3, 4). [1]"
    assert answer.citations[0].quotes[0].text == paper.abstract


def test_an_abstention_still_names_what_was_found() -> None:
    assert ask("How fast is WhaleNet?").retrieved


def test_nothing_found_is_an_abstention() -> None:
    assert last(list(ExtractiveAnswerer().answer("What is ReefNet?", Evidence("What is ReefNet?", ())))).abstained


def test_the_answer_comes_after_steps_drafts_and_sentences() -> None:
    seen = events("By how much does ReefNet lower the forecast error?")
    assert [type(event) for event in seen] == [Step, Draft, AnswerSentence, Answer]
    sentence = seen[2]
    assert isinstance(sentence, AnswerSentence)
    assert sentence.verdict == "supported"
    assert sentence.numbers == (1,)


def test_the_drafts_together_are_the_text() -> None:
    seen = events("Which papers are about coral bleaching?")
    drafts = "".join(event.text for event in seen if isinstance(event, Draft))
    assert drafts.strip() == last(seen).text


@pytest.mark.parametrize("said", ["Hi!", "thank you very much", "What can you do?", "help", "bye"])
def test_what_asks_nothing_of_the_papers_gets_a_plain_reply(said: str) -> None:
    answer = ask(said)
    assert answer.text
    assert not answer.abstained
    assert answer.citations == answer.retrieved == ()


def test_a_question_that_begins_with_a_greeting_is_a_question() -> None:
    assert ask("Hi, by how much does ReefNet lower the forecast error?").citations


@given(st.text(max_size=300))
def test_any_question_gets_an_answer_with_verbatim_quotes(question: str) -> None:
    answer = ask(question)
    assert answer.text
    assert not (answer.abstained and answer.citations)
    assert all(
        citation.paper.abstract[quote.start : quote.end] == quote.text
        for citation in answer.citations
        for quote in citation.quotes
    )
