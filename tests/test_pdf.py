"""Title and abstract of a paper's PDF, out of what its first pages say."""

import shutil
from pathlib import Path

import pytest

from assistant.corpus import pdf, read_papers
from assistant.corpus.pdf import find_abstract, find_title, join_lines
from assistant.corpus.pdf_pages import Pages, Piece
from assistant.domain import Paper
from assistant.errors import CorpusError

PAPER = Path(__file__).parent / "samples" / "papers" / "paper.pdf"
TEXT = "We measure tides with trees and find them good enough for boats."


def pages(title: str, *pieces: tuple[str, float]) -> Pages:
    runs = [Piece(text=text, size=size, upright=True) for text, size in pieces]
    return Pages(fault="", title=title, author="", texts=["\n".join(text for text, _ in pieces)], pieces=runs)


@pytest.mark.parametrize(
    "page",
    [
        f"Title\nAbstract\n{TEXT}\n1 Introduction\nMore.",
        f"Title\nABSTRACT. {TEXT}\nKeywords: sea",
        f"Title\nAbstract—{TEXT}\nIndex Terms—sea",
        f"A B S T R A C T\n{TEXT}\n1. Introduction\n",
        f"Summary: {TEXT}\nI. INTRODUCTION\n",
        f"Abstract {TEXT}\n1 Background\n",
        f"Abstract\n{TEXT}\nCCS Concepts\n",
        f"Abstract\n{TEXT}\n© 2020 The Authors\n",
    ],
)
def test_an_abstract_ends_where_the_next_heading_begins(page: str) -> None:
    assert find_abstract(page) == TEXT


@pytest.mark.parametrize(
    "page", ["", "Introduction\nWe begin.", "Abstract\n1 Introduction\n", "abstract algebra\n" * 30]
)
def test_a_page_without_an_abstract_has_none(page: str) -> None:
    assert find_abstract(page) == ""


def test_an_abstract_that_never_ends_is_none() -> None:
    assert find_abstract("Abstract\n" + "We go on and on.\n" * 1000) == ""


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        ("record-\nings of sea", "recordings of sea"),
        ("state-of-\nthe-art, state-of-the-art", "state-of-the-art, state-of-the-art"),
        ("from 3-\n4 words", "from 3- 4 words"),
        ("a\nb\n\nc", "a b c"),
    ],
)
def test_words_parted_at_the_end_of_a_line_are_whole(lines: str, joined: str) -> None:
    assert join_lines(lines) == joined


def test_the_title_is_the_one_in_the_properties_if_it_stands_on_the_page() -> None:
    found = pages("Tides by Trees", ("Journal of Large Letters", 20.0), ("Tides by", 18.0), ("Trees", 18.0))
    assert find_title(found) == "Tides by Trees"


@pytest.mark.parametrize("given", ["", "Microsoft Word - final.doc", "main.tex", "untitled", "Of Another Paper"])
def test_else_the_title_is_the_largest_text_of_the_first_page(given: str) -> None:
    found = pages(given, ("Vol. 3", 9.0), ("Tides by Regres-", 18.0), ("sion Trees", 18.0), ("Ann Bee", 11.0))
    assert find_title(found) == "Tides by Regression Trees"


def test_text_that_stands_on_its_side_is_no_title() -> None:
    found = pages("", ("Tides by Regression Trees", 18.0))
    found["pieces"].append(Piece(text="arXiv:2101.00001v1 [cs.XX] 4 Jan 2021", size=20.0, upright=False))
    assert find_title(found) == "Tides by Regression Trees"


def test_a_pdf_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "LONGEST_WAIT", 0.001)
    with pytest.raises(CorpusError, match=r"paper\.pdf: this PDF could not be read in 0 s\.$"):
        list(read_papers(PAPER))


def test_a_module_of_the_current_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pypdf.py").write_text("raise SystemExit('run')")
    (tmp_path / "json.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    shutil.copy(PAPER, tmp_path / "a.pdf")
    assert isinstance(next(read_papers(Path("a.pdf"))), Paper)
