import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.names import find_names, is_coined


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


def test_a_plain_acronym_is_not_coined_and_a_mixed_name_is() -> None:
    assert not is_coined("GPU")
    assert not is_coined("LLMs")
    assert is_coined("TabFlex")
    assert is_coined("SDP-CROWN")
    assert is_coined("FP8")


@given(st.text())
def test_a_name_stands_in_the_text(text: str) -> None:
    assert all(name in text for name in find_names(text))
