"""A paper without a title is called by what it brings: a name and what that is, or the shortest honest phrase."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus import find_files, read_papers
from assistant.domain import Paper
from assistant.text.labels import label
from assistant.text.markup import strip_markup
from tests.fakes import make_paper

SEEDS = Path(__file__).parent.parent / "seeds"
PAPERS = {paper.id: paper for path in find_files([SEEDS]) for paper in read_papers(path) if isinstance(paper, Paper)}


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        (
            "000_7fa5d757957c3112#1",
            "RCSC: Robust Consensus anchors learning for efficient multi-view Subspace Clustering",
        ),
        ("000_7fa5d757957c3112#2", "ANN-to-SNN conversion framework based on error compensation learning"),
        ("000_7fa5d757957c3112#4", "Effects of FP quantization targets, exponent bits, mantissa bits"),
        ("000_7fa5d757957c3112#6", "ZapFormat: dynamic pruning strategy based on the Earley algorithm"),
        ("000_7fa5d757957c3112#7", "Sparse Dimension Tuning (SDT): PEFT method tailored for SSM modules"),
        (
            "000_7fa5d757957c3112#9",
            "SDP-CROWN: hybrid verification framework that combines the tightness of SDP relaxations",
        ),
        ("000_7fa5d757957c3112#10", "Spiking Fourier Network (SpikF): attention-free framework"),
        ("000_7fa5d757957c3112#15", "HDT: history-driven target framework in Markov Chain Monte Carlo (MCMC)"),
        (
            "001_0cc1cb446cb33a97#1",
            "Improving the efficiency of SFT by selecting an informative subset of training examples",
        ),
        ("001_0cc1cb446cb33a97#2", "TabFlex: efficiently handles tabular datasets"),
        ("001_0cc1cb446cb33a97#9", "On-device learning: shortcut approach as an alternative"),
        ("001_0cc1cb446cb33a97#15", "FedSMU: FL algorithm"),
        ("002_47430e0cfb4f44fb#2", "Residual Matrix Transformer (RMT)"),
        ("002_47430e0cfb4f44fb#10", "SST: Sparse Spectral Training to optimize memory usage for pre-training"),
        ("002_47430e0cfb4f44fb#11", "SOAR framework for imitation learning"),
        ("002_47430e0cfb4f44fb#13", "Compositional generalization is driven by data diversity, not mere data scale"),
        ("002_47430e0cfb4f44fb#14", "xLSTM 7B: 7-billion-parameter LLM that combines xLSTM’s architectural benefits"),
        ("002_47430e0cfb4f44fb#19", "SKIM: Scaled K-means clustering wIth Mixed precision"),
    ],
)
def test_the_seeds_are_called_by_what_they_bring(id: str, expected: str) -> None:
    assert label(PAPERS[id]) == expected


def test_each_seed_has_a_label_of_its_own() -> None:
    assert len({label(paper) for paper in PAPERS.values()}) == 55


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.id)
def test_the_words_of_a_label_stand_in_the_abstract(paper: Paper) -> None:
    """All but the form of the verb in "Improving ..." and the capital at the front."""
    known = set(re.findall(r"\w+", strip_markup(paper.abstract).lower()))
    words = re.findall(r"\w+", label(paper).lower())
    assert [word for word in words if word not in known and not word.endswith("ing")] == []


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        ("We present Bib, a new tool that reads lists.", "Bib: tool that reads lists"),
        ("We propose a novel tool, called Bib, which reads.", "Bib: tool"),
        ("We propose a fast reading tool dubbed **Bib** for lists.", "Bib: fast reading tool"),
        ("We introduce Bib (Better Index of Books), a tool for lists.", "Bib: tool for lists"),
        ("We introduce the Better Index Book (BIB) for lists.", "BIB: Better Index Book for lists"),
        ("We study lists with large language models (LLMs).", "Lists with large language models (LLMs)"),
        ("A quick index of books is proposed in this paper.", "Quick index of books"),
        ("OBJECTIVE: To measure the growth of mice.", "Measuring the growth of mice"),
        ("We show that mice grow at night.", "Mice grow at night"),
        ("We release our code. Mice grow at night.", "We release our code"),
        ("mT5 is large.", "mT5 is large"),
        ("小鼠在夜间生长。", "小鼠在夜间生长。"),
        ("2024 saw mice", "2024 saw mice"),
    ],
)
def test_the_ways_to_say_it(abstract: str, expected: str) -> None:
    assert label(make_paper(abstract=abstract)) == expected


def test_an_acronym_of_what_it_is_about_is_not_its_name() -> None:
    paper = make_paper(abstract="We propose a core kernel for multiple kernel clustering (MKC) algorithms.")
    assert label(paper) == "Core kernel for multiple kernel clustering (MKC) algorithms"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A plain title.", "A plain title"),
        ("Do mice age?", "Do mice age?"),
        ("The $\\ell_1$ norm of **bold**\nlines", "The ℓ1 norm of bold lines"),
        ("iPhone notes", "iPhone notes"),
    ],
)
def test_a_title_is_kept_without_its_markup(title: str, expected: str) -> None:
    assert label(make_paper(title=title)) == expected


@pytest.mark.parametrize("title", ["", " ", "untitled", "[Untitled]", "--", "N/A"])
def test_a_title_that_is_none_is_not_shown(title: str) -> None:
    assert label(make_paper(title=title)) == "Sparrow: sparse attention method"


def test_a_very_long_title_is_cut_between_words() -> None:
    found = label(make_paper(title="many words " * 100))
    assert len(found) <= 200
    assert found.endswith("words")


def test_a_paper_without_words_is_called_by_its_id() -> None:
    assert label(make_paper(id="list#1", abstract="...")) == "list#1"


SHARDS = st.sampled_from(
    [
        "We propose ",
        "Bib",
        "BIB-2",
        " (BIB)",
        ", a ",
        "new ",
        "method ",
        "called ",
        "that ",
        ". ",
        "$x_1$",
        "**",
        "(",
        "\n",
        "\u2028",
        "and ",
    ]
)


@given(abstract=st.lists(SHARDS, max_size=40).map("".join) | st.text(max_size=300))
def test_every_label_is_one_short_line(abstract: str) -> None:
    found = label(make_paper(abstract=abstract))
    assert found
    assert len(found) <= 90
    assert len(found.splitlines()) == 1
    assert found == found.strip()
    assert not found.endswith((",", ";", ":", "("))


@pytest.mark.parametrize(
    "shard",
    [
        "We propose ",
        "We propose A (B C), ",
        "we propose a, b, c, ",
        "(((( ",
        "$",
        "**",
        "\\frac{",
        "[a](",
        "we x and ",
        "a. ",
    ],
)
def test_a_hostile_abstract_is_read_in_time(shard: str) -> None:
    started = time.process_time()
    assert label(make_paper(abstract=shard * 100_000))
    assert time.process_time() - started < 2
