import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.standalone import leans_back, make_standalone
from assistant.domain import Turn

HISTORY = (
    Turn("user", "What is ReefNet?"),
    Turn("assistant", "ReefNet forecasts bleaching from GPU-rendered maps. [1]"),
)


def test_a_first_question_is_left_alone() -> None:
    assert make_standalone("How fast is it?", ()) == "How fast is it?"


def test_a_pronoun_gets_the_name_that_the_talk_is_about() -> None:
    assert make_standalone("How fast is it?", HISTORY) == "ReefNet: How fast is it?"


def test_a_short_question_without_a_name_is_a_follow_up() -> None:
    assert make_standalone("And the error?", HISTORY) == "ReefNet: And the error?"


def test_a_new_topic_is_left_alone() -> None:
    question = "Which papers study the genome of sea urchins?"
    assert make_standalone(question, HISTORY) == question


def test_without_a_name_the_words_of_the_question_before_are_the_subject() -> None:
    history = (Turn("user", "How do corals survive warm water?"), Turn("assistant", "By heat shock proteins. [1]"))
    assert make_standalone("Why is that?", history) == "corals survive warm water: Why is that?"


def test_a_name_of_the_new_question_is_not_its_own_subject() -> None:
    assert make_standalone("Is it like ReefNet?", HISTORY) != "ReefNet: Is it like ReefNet?"


@pytest.mark.parametrize(
    "question",
    [
        "What is the method of CoralCast?",
        "Is there a paper that prunes language models?",
        "Which papers show that corals adapt?",
        "How fast is CoralCast, and is it free?",
    ],
)
def test_a_question_that_says_what_it_is_about_is_left_alone(question: str) -> None:
    assert make_standalone(question, HISTORY) == question


@pytest.mark.parametrize("question", ["What is the method?", "Who is behind that?", "Is that paper older?"])
def test_a_question_about_the_thing_before_gets_its_name(question: str) -> None:
    assert make_standalone(question, HISTORY) == f"ReefNet: {question}"


@pytest.mark.parametrize(
    "asked", ["What about CoralCast?", "and CoralCast", "How about CoralCast?", "Same for CoralCast?"]
)
def test_another_subject_takes_the_place_of_the_one_before(asked: str) -> None:
    assert make_standalone(asked, HISTORY) == "What is CoralCast?"


def test_another_subject_takes_its_place_in_a_question_that_was_a_follow_up_itself() -> None:
    history = (*HISTORY, Turn("user", "How fast is it?"), Turn("assistant", "ReefNet runs in 3 ms. [1]"))
    assert make_standalone("And Star Atlas?", history) == "Star Atlas: How fast is it?"


LISTED = (
    Turn("user", "Which papers forecast bleaching?"),
    Turn("assistant", "ReefNet: a net: We forecast. [1]\n\nCoralCast: We cast. [2]\n\nTideSet: We set. [3]"),
)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("How fast is the second one?", "CoralCast"),
        ("Tell me more about the last paper", "TideSet"),
        ("Is the first open source?", "ReefNet"),
    ],
)
def test_a_paper_of_a_list_can_be_counted_out(question: str, subject: str) -> None:
    assert make_standalone(question, LISTED).startswith(f"{subject}: ")


def test_these_two_are_the_last_two_that_were_asked_about() -> None:
    history = (*HISTORY, Turn("user", "What is CoralCast?"), Turn("assistant", "CoralCast casts. [1]"))
    assert make_standalone("Which of these two is faster?", history).startswith("CoralCast and ReefNet: ")


def test_a_name_in_an_address_is_no_subject() -> None:
    history = (Turn("user", "Where is the code?"), Turn("assistant", "See https://example.org/Ada-Smith/X. [1]"))
    assert "Ada-Smith" not in make_standalone("Is it free?", history)


def test_only_the_latest_exchange_counts() -> None:
    history = (Turn("user", "What is CoralCast?"), Turn("assistant", "CoralCast is a model."), *HISTORY)
    assert make_standalone("How fast is it?", history).startswith("ReefNet:")


@given(st.text(max_size=200), st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), st.text(max_size=200))))
def test_the_question_stands_at_the_end_whatever_was_said(question: str, history: list[Turn]) -> None:
    assert make_standalone(question, history).endswith(question)
    assert isinstance(leans_back(question), bool)


@pytest.mark.parametrize(
    "question", ["What is the trick?", "Are there experiments?", "Which models?", "What are the results?", "How fast?"]
)
def test_a_short_question_that_brings_no_topic_is_a_follow_up(question: str) -> None:
    assert make_standalone(question, HISTORY) == f"ReefNet: {question}"


@pytest.mark.parametrize(
    "question",
    ["How does Star Coral grow?", "Which paper maps vents?", "Are there papers on urchins?", "What is algae?"],
)
def test_a_short_question_with_a_topic_of_its_own_is_left_alone(question: str) -> None:
    assert make_standalone(question, HISTORY) == question
