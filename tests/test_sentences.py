"""The sentences of an abstract: honest boundaries, exact spans."""

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.sentences import split_sentences

SEEDS = Path(__file__).parent.parent / "seeds"


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "marked",
    [
        "We study this. | It works.",
        "Does it work? | It does! | We are glad.",
        "Models, e.g. BERT and i.e. others, work. | See Fig. 3 and Eq. (2) for more.",
        "It beats BERT (89 vs. 85) on the set. | Smith et al. show the same, cf. Jones et al. (2021).",
        "We follow Vaswani et al. | In contrast, Shaw et al. Transformer-XL do not.",
        "It is robust w.r.t. noise, resp. blur. | It takes approx. 3 hours, ca. 5 at most.",
        "Dr. J. R. Smith wrote it. | Bacteria such as E. coli and S. Typhimurium grow.",
        "We use vitamin C. | The dose was small.",
        "It ran on No. 5 of them. | Is it fast? | No. | We stop.",
        "The value is 3.14 at 0.5. | 12 patients were seen in 2020. | 900 videos follow.",
        "Code is at https://example.org/a.b?c=d. | We thank all.",
        "It took 35 ms. | The other took max. 3 sec. | Levels were 2 mg/L. | Rates of 2:1. | Good.",
        "Data, models, ... and code are open. | It goes on ... | We stop here.",
        'They ask "why?" and go on. | They say "no." | “Yes,” we say. | (All of it is true.)',
        "Let $f(x) = 0. Then g$ be one. | It is $O(n).$ | We bound $\\ell_2$.",
        "It grows as $n^2$. | $\\alpha$-CROWN is faster. | \\textbf{Ours} is best.",
        "We ask: (i) Is it fast? (ii) Is it right? | Both hold.",
        "Two techniques: 1. A greedy search, and 2. A vector. | They help.",
        "We do this: 1. We read. 2. We write. 3. We stop.",
        "We do this: (1) We read. (2) We write. (3) We stop.",
        "There are three parts. | (1) We read. | (2) We write.",
        "We use it. | xLSTM is fast. | mT5 is slow. | p53 is a gene. | t-SNE draws. | α-amylase cuts.",
        "This ends here[1,2]. | So does this.[3] | It is known.",
        "A long aside (see Lee. It has more. Much more) ends here. | So it goes.",
        "It gets better.¦This is so. | We use torch.Tensor here.",
        "该方法有效。¦它很快！¦“为什么？”¦好。",
        "他们问（为什么？不知道）了。 | Then English. | 完。",
        "**Bold claim.** | *Slanted claim.* | `Code` follows.",
        "no punctuation at all here",
        "BACKGROUND: Mice age. | METHODS: We counted mice | RESULTS: Ten. | Conclusions. Mice age.",
        "It lives in the U.S. and the U.K. today. | Samples are i.i.d. and few. | They use dogs, cats, etc.",
    ],
)
def test_a_text_is_cut_where_its_sentences_end(marked: str) -> None:
    """In the examples | marks a boundary, ¦ one without a space."""
    text = marked.replace(" | ", " ").replace("¦", "")
    assert sentences(text) == marked.replace("¦", " | ").split(" | ")


def test_a_line_break_alone_ends_no_sentence() -> None:
    assert sentences("A wrapped\nline goes\r\non. It ends.") == ["A wrapped\nline goes\r\non.", "It ends."]


def test_an_empty_line_and_a_bullet_end_a_sentence() -> None:
    assert sentences("We do\n\n  this\n- read\n* write\n2. stop") == ["We do", "this", "- read", "* write", "2. stop"]


def test_a_rule_of_dashes_is_not_a_sentence() -> None:
    assert sentences("We do this.\n\n-----\n\nAnd that.") == ["We do this.\n\n-----", "And that."]


@pytest.mark.parametrize("text", ["", " ", "\n\t\u2003"])
def test_a_blank_text_has_no_sentence(text: str) -> None:
    assert split_sentences(text) == ()


def test_sums_of_money_do_not_hide_boundaries() -> None:
    assert len(split_sentences("It costs $5 today. We paid $6 then. They paid $7.")) == 3


def test_each_sentence_of_the_seeds_begins_and_ends_like_one() -> None:
    found = [
        sentence
        for path in sorted(SEEDS.glob("*.txt"))
        for abstract in path.read_text(encoding="utf-8").split("\n\n")[1:]
        for sentence in sentences(abstract)
    ]
    assert len(found) == 426
    assert all(sentence[0].isupper() or sentence.startswith("xLSTM") for sentence in found)
    assert [sentence for sentence in found if not sentence.endswith((".", "?", ")", "H-Tuning"))] == []


SHARDS = st.sampled_from(
    [*"abAZ019 \n\t.?!…。！？$()[]{}\"'“”*_`-•\\:;,%/", "e.g. ", "(1) ", "2. ", "We ", "\n\n", "\n- "]
)


@given(st.lists(SHARDS, max_size=120).map("".join) | st.text(max_size=200))
def test_spans_are_in_order_trimmed_and_hold_every_character(text: str) -> None:
    spans = split_sentences(text)
    assert all(start < end and text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    held = "".join(text[start:end] for start, end in spans)
    assert "".join(text.split()) == "".join(held.split())


SLOW = [*"$.([\n。", ". ", "a. ", "A. ", "1. ", "2. We ", "$ ", "\\(", "\\[", "()", "[1] ", '."', " \n", "\n-", "(1) "]


@pytest.mark.parametrize("shard", [*SLOW, "e.g. ", "METHODS: ", "a.A", "word ", "….", "\n" + "\t" * 50, "Fig. A "])
def test_the_time_grows_with_the_length_only(shard: str) -> None:
    text = shard * (100_000 // len(shard))
    start = time.process_time()
    split_sentences(text)
    assert time.process_time() - start < 1
