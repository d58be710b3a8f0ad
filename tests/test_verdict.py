"""What a sentence claims is held to the words, figures, units and names of the papers that it cites."""

import gc
import time

import pytest

from assistant.answering.verdict import judge
from assistant.domain import Verdict
from tests.evidence import make_evidence
from tests.fakes import make_paper

TABFLEX = make_paper(
    "list#1",
    "We introduce TabFlex, which improves the scalability of TabPFN with linear attention. For instance, it processes "
    "the poker-hand dataset with over 1,000,000 samples in just 5 seconds, a 2.5x speedup over XGBoost-2 that costs "
    "26-66% less memory on 40 tables and 7 GPUs.",
    title="TabFlex: linear attention for tables",
)
REEFNET = make_paper("list#2", "Corals bleach in warm water. ReefNet forecasts the bleaching of corals by satellite.")
CITED = make_evidence(TABFLEX).papers


@pytest.mark.parametrize(
    "sentence",
    [
        "TabFlex processes the poker-hand dataset in 5 seconds [1].",
        "TabFlex needs 5 s for the million samples of poker-hand [1].",
        "With linear attention, TabFlex is 2.5 times as fast as XGBoost-2 [1].",
        "With a 2.5× speedup XGBoost2 is beaten on the tables [1].",
        "TabFlex takes 26 to 66 percent less memory on 40 tables [1].",
        "It runs on 7 GPUs [1].",
    ],
)
def test_what_the_paper_says_in_other_words_is_supported(sentence: str) -> None:
    assert judge(sentence, CITED) == "supported"


@pytest.mark.parametrize(
    "sentence",
    [
        "TabFlex cures cancer in mice and was funded by the moon [1].",
        "TabFlex processes the poker-hand dataset in 9 seconds [1].",
        "TabFlex processes the poker-hand dataset in 5 minutes [1].",
        "TabFlex processes the poker-hand dataset 2.5% faster [1].",
        "TabFlex takes 26 to 66 times less memory [1].",
        "TabFlex takes 26 to 66 percentage points less memory [1].",
        "TabFlex is faster than XGBoost-3 on the poker-hand dataset [1].",
        "ReefNet processes the poker-hand dataset in 5 seconds [1].",
    ],
)
def test_another_claim_figure_unit_or_name_is_not_supported(sentence: str) -> None:
    assert judge(sentence, CITED) == "not supported"


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("TabFlex cures cancer in mice and men.", "not supported"),
        ("In short:", "unchecked"),
        ("", "unchecked"),
    ],
)
def test_a_sentence_that_cites_nothing_is_not_supported_if_it_claims_anything(sentence: str, verdict: Verdict) -> None:
    assert judge(sentence, ()) == verdict


def test_a_sentence_that_a_paper_holds_in_part_is_supported_partly() -> None:
    assert judge("TabFlex processes tables, as sponsors in Ohio and its governor wanted [1].", CITED) == "partly"


def test_a_sentence_that_cites_two_papers_is_held_to_both_together() -> None:
    sentence = "TabFlex processes the poker-hand dataset, while ReefNet forecasts the bleaching of corals [1][2]."
    assert judge(sentence, make_evidence(TABFLEX, REEFNET).papers) == "supported"


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("TabFlex verarbeitet den Datensatz mit einer Million Zeilen sehr schnell [1].", "unchecked"),
        ("TabFlex verarbeitet den Datensatz in 9 Sekunden sehr schnell [1].", "not supported"),
    ],
)
def test_in_another_language_only_figures_and_names_are_compared(sentence: str, verdict: Verdict) -> None:
    assert judge(sentence, CITED) == verdict


@pytest.mark.parametrize("flood", ["5 s ", "9", "TabFlex-", "5 to 5 to ", "%", "A1 "])
def test_sixty_kilobytes_are_judged_in_no_time(flood: str) -> None:
    # What thousands of tests before this one left behind is not collected on its time.
    gc.collect()
    started = time.perf_counter()
    judge(flood * (60_000 // len(flood)), CITED)
    assert time.perf_counter() - started < 1
