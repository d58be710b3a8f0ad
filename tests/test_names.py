import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.names import find_names, find_titles, is_coined


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How does TabFlex differ from TabPFN?", ("TabFlex", "TabPFN")),
        ("What does SDP-CROWN bring together?", ("SDP-CROWN",)),
        ("How large is xLSTM 7B?", ("xLSTM",)),
        ("Does XAttention score blocks?", ("XAttention",)),
        ("the RCSC and H-Tuning methods for LLMs", ("RCSC", "H-Tuning", "LLMs")),
        ("an FFT-like sort", ("FFT",)),
        ("Which papers are about graphs?", ()),
        ("OK, and then?", ()),
    ],
)
def test_coined_names_are_found_as_written(text: str, names: tuple[str, ...]) -> None:
    assert find_names(text) == names


def test_a_question_in_capitals_names_nothing() -> None:
    assert find_names("WHAT IS FEDERATED LEARNING?") == ()


def test_a_name_in_capitals_that_stands_alone_is_a_name() -> None:
    assert find_names("NARD") == ("NARD",)


def test_an_address_names_nothing() -> None:
    assert find_names("see https://example.org/ReefNet/v2") == ()


def test_capitalised_words_inside_a_text_are_titles() -> None:
    assert find_titles("What is Star Attention, and who made Sorbet?") == ("Star Attention", "Sorbet")
    assert find_titles("Which papers are there?") == ()


def test_a_plain_acronym_is_not_coined_and_a_mixed_name_is() -> None:
    assert not is_coined("GPU")
    assert not is_coined("LLMs")
    assert is_coined("TabFlex")
    assert is_coined("SDP-CROWN")
    assert is_coined("FP8")


@given(st.text())
def test_a_name_stands_in_the_text(text: str) -> None:
    assert all(name in text for name in find_names(text))
