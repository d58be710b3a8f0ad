import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.topics import find_topic, split_topics


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Which papers deal with spiking neural networks?", "spiking neural networks"),
        ("Show me every paper in which knowledge distillation plays a role.", "knowledge distillation"),
        ("what do we have on coral reefs? list all of them", "coral reefs"),
        ("Where is tree rot studied or used? I need every paper.", "tree rot"),
        ("What is there on graphs?", "graphs"),
        ("Which papers mention ImageNet?", "ImageNet"),
    ],
)
def test_the_topic_is_what_is_left_without_the_words_that_ask(question: str, topic: str) -> None:
    assert find_topic(question) == topic


@pytest.mark.parametrize("question", ["list the papers", "which?", "", "?!"])
def test_a_question_of_asking_words_alone_is_its_own_topic(question: str) -> None:
    assert find_topic(question) == question


def test_each_of_two_things_is_a_topic_of_its_own_too() -> None:
    assert split_topics("Which papers deal with privacy or security?") == ("privacy or security", "privacy", "security")
    assert split_topics("Which papers are on cats and dogs?") == ("cats and dogs",)


def test_what_stands_in_brackets_is_no_topic_of_its_own() -> None:
    topics = split_topics("Which papers choose data (core sets, or examples) or weights?")
    assert topics[1:] == ("choose data", "weights")


@given(st.text(max_size=80))
def test_the_topic_of_any_question_stands_in_it(question: str) -> None:
    assert find_topic(question) in question
    assert all(topic in question or "(" in question for topic in split_topics(question))
