import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.terms import stem, terms, topic_terms, words

ENDINGS = ("ations", "ization", "izing", "ities", "ally", "ational", "ized", "ively", "eness", "ators", "ements", "es")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$\\ell_1$-multicalibration", "l1 multicalibration"),
        ("the $\\mathcal{O}(n \\log n)$ bound", "the O(n log n) bound"),
        ("\u221an", "sqrt n"),
        ("2.5\u00d7 faster", "2.5x faster"),
        ("1,200 models", "1200 models"),
        ("na\u00efve Bayes", "naive bayes"),
        ("*all* functions", "all functions"),
        ("Sparse networks", "sparse network"),
        ("the model's size", "the model size"),
        ("LLMs and GNNs on GPUs", "an LLM and a GNN on a GPU"),
        ("many losses", "many loss"),
    ],
)
def test_two_spellings_of_the_same_thing_have_the_same_terms(one: str, other: str) -> None:
    assert topic_terms(one) == topic_terms(other)
    assert set(topic_terms(one)) <= set(terms(one)) & set(terms(other))


def test_figures_and_names_stay_whole() -> None:
    assert terms("94.75% on CIFAR-10 with C++ and xLSTM 7B") == (
        "94.75%",
        "cifar",
        "10",
        "c++",
        "xlstm",
        "7b",
        "cifar10",
    )


def test_words_that_carry_no_meaning_are_no_terms() -> None:
    assert terms("what is it that they do with this") == ()


def test_words_that_only_ask_say_nothing_of_the_topic() -> None:
    assert topic_terms("Which papers discuss spiking neural networks?") == terms("spiking neural networks")


def test_a_question_of_asking_words_alone_keeps_them() -> None:
    assert topic_terms("list the papers") == terms("list the papers")


def test_chinese_words_are_kept() -> None:
    assert "图像" in words("图像 steganography")


@given(st.text())
def test_no_term_of_any_text_is_empty_or_has_white_space(text: str) -> None:
    assert all(term and not any(character.isspace() for character in term) for term in terms(text))
    assert len(topic_terms(text)) <= len(words(text))


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_case_does_not_matter(text: str) -> None:
    assert terms(text.upper()) == terms(text.lower()) or "\\" in text


def test_threads_do_not_spoil_each_others_stems() -> None:
    inflected = [f"{start}{end}" for start in ("gener", "optim", "normal", "relat", "univers") for end in ENDINGS]
    stem.cache_clear()
    wanted = [stem(word) for word in inflected]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            stem.cache_clear()
            with ThreadPoolExecutor(8) as pool:
                found = list(
                    pool.map(lambda shift: [stem(word) for word in inflected[shift:] + inflected[:shift]], range(8))
                )
            assert found == [wanted[shift:] + wanted[:shift] for shift in range(8)]
    finally:
        sys.setswitchinterval(interval)
