"""Markers as models write them, whole and in pieces."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.markers import MARKER, Numbering, defuse_markers

KNOWN = 4
MARKERS = (
    "[1]",
    "[4]",
    "[9]",
    "[0]",
    "[-1]",
    "[1.5]",
    "[2, 7]",
    "[1-3]",
    "[Smith 2031]",
    "[Source 2]",
    "【3】",
    "[CLS]",
)
REST = ("[", "]", "【", "】", "1", "2", " ", "  ", ", ", ";", "\n", "a", "Attention helps.", "(", "…", "99", "-", "é")
PIECES = st.sampled_from((*MARKERS, *REST))
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def number(text: str, known: int = KNOWN) -> tuple[str, tuple[int, ...], int]:
    numbering = Numbering(known)
    done = numbering.feed(text) + numbering.flush()
    return done, numbering.order, numbering.removed


@pytest.mark.parametrize(
    ("text", "expected", "order", "removed"),
    [
        ("A [3]. B [1]. C [3].", "A [1]. B [2]. C [1].", (3, 1), 0),
        ("A [2, 4].", "A [1][2].", (2, 4), 0),
        ("A [2][4], and B.", "A [1][2], and B.", (2, 4), 0),
        ("A [2], [4].", "A [1][2].", (2, 4), 0),
        ("A [2-4].", "A [1][2][3].", (2, 3, 4), 0),
        ("A [Source 2; Source 3].", "A [1][2].", (2, 3), 0),
        ("A 【4†L1-L3】.", "A [1].", (4,), 0),
        ("A [#2] and [^3].", "A [1] and [2].", (2, 3), 0),
        ("A [99], [0], [-1], [1.5], [Smith 2031], B [1].", "A, B [1].", (1,), 5),
        ("A [7].", "A.", (), 1),
        ("A [1, 7].", "A [1].", (1,), 1),
        ("A [Smith et al., 2031; Doe, 1999a].", "A.", (), 1),
        ("Scores lie in [0, 1] [2].", "Scores lie in [0, 1] [1].", (2,), 0),
        ("weights in [-1, 1]", "weights in [-1, 1]", (), 0),
        ("a rate in [0.5, 1] or [1, 1.5], from [0-1]", "a rate in [0.5, 1] or [1, 1.5], from [0-1]", (), 0),
        ("The model [released in 2023] wins [3].", "The model [released in 2023] wins [1].", (3,), 0),
        ("As of [May 2023] and [In 2019]", "As of [May 2023] and [In 2019]", (), 0),
        ("[the 2019 list] and [CLS 2 tokens]", "[the 2019 list] and [CLS 2 tokens]", (), 0),
        ("A [0]. B [-1]. C [1.5]. D [0, source 1].", "A. B. C. D [1].", (1,), 4),
        ("A [Smith et al.], [van der Berg and Doe (2020)], [J. Smith, 2031, p. 3].", "A.", (), 3),
        ("[1][1] [1], [1]", "[1]", (1,), 0),
        ("The token [CLS] and x[i] stay.", "The token [CLS] and x[i] stay.", (), 0),
        ("[[9]1]", "[…1]", (), 1),
        ("[[1]]", "[[1]]", (1,), 0),
        ("no markers", "no markers", (), 0),
        ("", "", (), 0),
    ],
)
def test_markers_are_numbered_by_first_appearance_and_unknown_ones_removed(
    text: str, expected: str, order: tuple[int, ...], removed: int
) -> None:
    assert number(text) == (expected, order, removed)


@given(TEXTS)
def test_every_marker_left_names_a_known_paper_and_numbers_rise_from_one(text: str) -> None:
    done, order, _ = number(text)
    found = [int(match) for match in MARKER.findall(done)]
    assert list(dict.fromkeys(found)) == list(range(1, len(order) + 1))
    assert set(order) <= set(range(1, KNOWN + 1))


@given(TEXTS, st.lists(st.integers(0, 120), max_size=12))
def test_a_text_in_pieces_comes_out_as_the_whole_does(text: str, cuts: list[int]) -> None:
    numbering = Numbering(KNOWN)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [numbering.feed(text[start:end]) for start, end in pairwise(places)]
    done = "".join(pieces) + numbering.flush()
    assert (done, numbering.order, numbering.removed) == number(text)


@given(st.text(alphabet=st.characters(exclude_characters="[]【】", exclude_categories=["Cs"]), max_size=200))
def test_text_without_brackets_is_unchanged(text: str) -> None:
    assert number(text) == (text, (), 0)


ORDINARY = ("[0, 1]", "[-1, 1]", "[0.5, 2]", "[released in 2023]", "[CLS]", "[i]", "[sic]", "words here", "a.", "b")


@given(st.lists(st.sampled_from(["[1]", "[3]", "[8]", "[2, 9]", *ORDINARY]), max_size=20))
def test_the_words_outside_the_markers_and_the_other_brackets_are_unchanged(parts: list[str]) -> None:
    done, _, _ = number(" ".join(parts))
    kept = re.sub(r"\[[0-9]\]|\s", "", done)
    assert kept == re.sub(r"\s", "", "".join(part for part in parts if part in ORDINARY))


@pytest.mark.parametrize(
    "flood",
    ["[1]", "[1", "[", "[ref 1,ref 1,", "[99] ", "a [1] ", " ", "[1]          ", "【1", "[Smith ", "[Smith, A, "],
)
def test_sixty_kilobytes_of_markers_take_no_time(flood: str) -> None:
    text = flood * (60_000 // len(flood))
    started = time.perf_counter()
    number(text)
    assert time.perf_counter() - started < 0.5


def test_a_flood_in_small_pieces_takes_no_time() -> None:
    numbering = Numbering(KNOWN)
    started = time.perf_counter()
    done = "".join(numbering.feed("[1]") for _ in range(20_000)) + numbering.flush()
    assert done == "[1]"
    assert time.perf_counter() - started < 1


@given(TEXTS)
def test_a_text_that_was_defused_has_nothing_that_is_read_as_a_marker(text: str) -> None:
    defused = defuse_markers(text)
    assert number(defused) == (defused, (), 0)
    assert len(defused) == len(text)
