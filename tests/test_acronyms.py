import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.acronyms import find_acronyms


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Deep state space models (SSMs) are fast.", "SSM", "state space models"),
        ("We use Low-Rank Adaptation (LoRA).", "LoRA", "Low-Rank Adaptation"),
        ("The key-value (KV) cache grows.", "KV", "key-value"),
        ("A Mixture of Experts (MoE) layer.", "MoE", "Mixture of Experts"),
        ("for Black-Box Discrete Prompt Learning (BDPL)", "BDPL", "Black-Box Discrete Prompt Learning"),
        ("deep vein thrombosis (DVT) was rare", "DVT", "deep vein thrombosis"),
        ("given to CAD (coronary artery disease) patients", "CAD", "coronary artery disease"),
    ],
)
def test_an_acronym_is_found_with_what_it_is_short_for(text: str, short: str, long: str) -> None:
    assert find_acronyms(text) == ((short, long),)


@pytest.mark.parametrize(
    "text", ["a result (ABC) of nothing", "see Section (A)", "TabFlex is fast (FAST)", "(SSM) alone", "no brackets SSM"]
)
def test_letters_that_nothing_spells_out_are_no_acronym(text: str) -> None:
    assert find_acronyms(text) == ()


@given(st.text(alphabet="aAbB -()s", max_size=80))
def test_what_is_found_in_any_text_stands_in_it(text: str) -> None:
    for short, long in find_acronyms(text):
        assert short in text
        assert long in text
        assert long[0].casefold() == short[0].casefold()
