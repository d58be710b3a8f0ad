import pytest

from assistant.text.terms import terms


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("tumour behaviour", "tumor behavior"),
        ("optimisation and quantised weights", "optimization and quantized weights"),
        ("we analyse fibres", "we analyze fibers"),
        ("leukaemia, oestrogen, foetal haemoglobin", "leukemia, estrogen, fetal hemoglobin"),
        ("dialogues and programmes", "dialogs and programs"),
        ("neighbourhood labelling", "neighborhood labeling"),
        ("an artefact of ageing", "an artifact of aging"),
    ],
)
def test_british_and_american_spellings_have_the_same_terms(british: str, american: str) -> None:
    assert terms(british) == terms(american)


def test_greek_letters_are_their_names() -> None:
    assert terms("TGF-β1 and the ϵ-net") == terms("TGF-beta1 and the $\\epsilon$-net")


@pytest.mark.parametrize(
    "word", ["four", "hours", "source", "raise", "noise", "does", "poem", "phase", "course", "acre"]
)
def test_words_that_only_look_british_keep_their_stem(word: str) -> None:
    from snowballstemmer import stemmer

    assert terms(f"x {word}")[1:] in ((stemmer("english").stemWord(word),), ())


def test_a_hyphenated_word_is_found_without_its_hyphen() -> None:
    assert "pretrain" in terms("pre-training")
    assert "l1multicalibration" in terms("$\\ell_1$-multicalibration")


def test_words_in_a_chain_of_hyphens_are_not_put_together() -> None:
    assert terms("state-of-the-art") == ("state", "art")
