import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.attributes import asked_attribute
from assistant.text.terms import stem


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which camera was used for ReefNet?", ("camera",)),
        ("What batch size did they train with?", ("batch",)),
        ("How many lines of Rust does it have?", ("lines", "rust")),
        ("Which method does it use?", ()),
        ("What three components does it introduce?", ()),
        ("Which cheaper variants do they offer?", ()),
        ("Why do corals bleach?", ()),
    ],
)
def test_the_thing_asked_for_is_named_unless_it_is_a_general_one(question: str, asked: tuple[str, ...]) -> None:
    assert asked_attribute(question) == tuple(map(stem, asked))


@given(st.text(max_size=4_000))
def test_any_text_is_read(text: str) -> None:
    assert all(asked_attribute(text))
