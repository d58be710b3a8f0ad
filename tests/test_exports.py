"""What is exported is read back as the same papers."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assistant.corpus import read_papers
from assistant.corpus.entry import BadEntry, read_entry
from assistant.corpus.latex import decode_text
from assistant.domain import Paper, Skipped
from assistant.exports import FORMATS, write_bibtex, write_jsonl, write_ris, write_table
from assistant.exports.bibtex import write_text
from assistant.exports.ris import turn_name
from tests.fakes import make_paper

SUFFIX = {"jsonl": ".jsonl", "bibtex": ".bib", "ris": ".ris", "csv": ".csv"}
WHOLE = Paper(
    id="000_7fa5d757957c3112#6",
    abstract="We save 50% & more: $O(n_i^2)$ for {sets}, \\emph{not} ~10. #1!\n"
    "ER  - \nTY  - JOUR\n@article{x, title={y}}",
    title="A $k$-means for C_2 & {BibTeX} 100%",
    authors=("Ada Lovelace", "Jean-Luc van der Berg", "Institute of Physics and Chemistry", "Google, Inc."),
    year=2024,
    venue="Proceedings of the Conference on Signs & Wonders",
    url="https://example.org/a_b?c=%20d&e=1#f",
    doi="10.1234/ab_c(d)",
    source="list.txt",
    extra=(("arxiv", "2401.00001"), ("keywords", "sets; signs & wonders")),
)


def read_back(papers: list[Paper], form: str) -> list[Paper | Skipped]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"back{SUFFIX[form]}"
        path.write_text("".join(FORMATS[form](papers)), encoding="utf-8", newline="")
        return list(read_papers(path))


def flatten(paper: Paper) -> Paper:
    """Return a paper as formats have it that know lines of text and no file that it came from."""
    abstract = "\n".join(part for line in paper.abstract.split("\n") if (part := " ".join(line.split())))
    return replace(paper, abstract=abstract, source="")


@pytest.mark.parametrize("form", FORMATS)
def test_a_paper_full_of_signs_comes_back_as_it_was(form: str) -> None:
    (back,) = read_back([WHOLE], form)
    assert isinstance(back, Paper)
    assert flatten(back) == flatten(WHOLE)
    if form in {"jsonl", "csv"}:
        assert back.abstract == WHOLE.abstract


@pytest.mark.parametrize("form", FORMATS)
def test_many_papers_come_back_in_their_order(form: str) -> None:
    papers = [make_paper(f"p{n}", f"Abstract number {n} is short.", title=f"Title {n}") for n in range(50)]
    assert [replace(one, source="") for one in read_back(papers, form) if isinstance(one, Paper)] == papers


@pytest.mark.parametrize("form", FORMATS)
def test_the_seeds_come_back_as_they_are(form: str) -> None:
    papers = [one for path in sorted(Path("seeds").glob("*")) for one in _read_seed(path)]
    back = read_back(papers, form)
    assert [flatten(one) for one in back if isinstance(one, Paper)] == [flatten(paper) for paper in papers]


def _read_seed(path: Path) -> list[Paper]:
    return [one for one in read_papers(path) if isinstance(one, Paper)]


# Tabs and returns are white space, which not every format keeps; what no text may hold is left out.
TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Zs"), include_characters=" \n"), max_size=60
)
SIGNS = st.lists(
    st.sampled_from(
        [*"$\\{}%&_#~^\"'@=+-;,.<> \n", "\\alpha", "\\emph{x}", "$x_i$", "\\(", "\\)", "$$", "AB  - ", "a", "Ü"]
    ),
    max_size=20,
).map("".join)
LINE = st.one_of(TEXT, SIGNS)
ENTRIES = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[A-Za-z0-9#:._/-]{1,20}", fullmatch=True),
        "abstract": LINE.map(lambda text: f"Words {text} end."),
        "title": LINE,
        "authors": st.lists(
            st.sampled_from(["Ada Lovelace", "Ng", "Müller, Jörg", "Bo van Dam", "A. and B. Ltd"]), max_size=4
        ),
        "year": st.one_of(st.none(), st.integers(1900, 2030), st.just("in press")),
        "venue": LINE,
        "url": st.sampled_from(["", "https://example.org/a_b?c=%20d"]),
        "doi": st.sampled_from(["", "10.1234/abc", "10.48550/arXiv.2401.00001"]),
        "keywords": st.sampled_from(["", "one; two", "signs & wonders"]),
    }
)


def read_as_file_would(entry: dict[str, object]) -> Paper | None:
    """Return the paper of an entry as readers leave it: what they repair once they repair no more."""
    try:
        once = read_entry(entry, "x#1", "x.jsonl")
        fields = {"id": once.id, "title": once.title, "abstract": once.abstract, "venue": once.venue}
        return once if replace(read_entry(fields, "", ""), source="") == _part(once) else None
    except BadEntry:
        return None


def _part(paper: Paper) -> Paper:
    return Paper(paper.id, paper.abstract, paper.title, venue=paper.venue)


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.lists(ENTRIES, min_size=1, max_size=3), st.sampled_from(list(FORMATS)))
def test_whatever_was_read_comes_back(entries: list[dict[str, object]], form: str) -> None:
    papers = [paper for entry in entries if (paper := read_as_file_would(entry))]
    back = read_back(papers, form)
    if not papers:
        return
    assert [flatten(one) for one in back if isinstance(one, Paper)] == [flatten(paper) for paper in papers]


ANY = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)


@settings(max_examples=300)
@given(ANY, ANY, st.lists(ANY, max_size=3), st.dictionaries(ANY, ANY, max_size=3), st.one_of(st.none(), st.integers()))
def test_json_lines_keep_every_field_of_every_paper(
    id: str, text: str, authors: list[str], extra: dict[str, str], year: int | None
) -> None:
    paper = Paper(f"i{id}", f"w{text}", text, tuple(authors), year, text, id, text, f"s{id}", tuple(extra.items()))
    assert read_back([paper], "jsonl") == [paper]


@settings(max_examples=300)
@given(SIGNS)
@example("\\'e and \\{x\\} and $a{b$ and \\textbackslash{}")
def test_latex_signs_are_escaped_so_that_they_decode_to_the_same_text(text: str) -> None:
    assert " ".join(decode_text(write_text(text)).split()) == " ".join(text.split())
    assert write_text(text).count("{") == write_text(text).count("}")


@settings(max_examples=300)
@given(st.lists(st.tuples(SIGNS, SIGNS), min_size=1, max_size=3))
def test_no_cell_is_a_formula_to_a_spreadsheet(texts: list[tuple[str, str]]) -> None:
    papers = [make_paper(f"=id{n}", f"={abstract} word", title=title) for n, (title, abstract) in enumerate(texts)]
    rows = list(csv.reader(io.StringIO("".join(write_table(papers)))))
    assert len(rows) == len(papers) + 1
    assert not [cell for row in rows for cell in row if re.match(r"[=+\-@\t\r]", cell)]


def test_a_formula_comes_back_from_a_table_without_its_mark() -> None:
    paper = make_paper("a", "=SUM(A1) is what we compute.", title="'=cmd")
    assert read_back([paper], "csv") == [replace(paper, source="back.csv")]


def test_control_characters_reach_no_file_that_is_read_as_text() -> None:
    paper = make_paper("a", "Red \x1b[31mtext\x07 here.")
    for write in (write_bibtex, write_ris, write_table):
        assert not set("\x1b\x07") & set("".join(write([paper])))
    assert "\x1b" not in "".join(write_jsonl([paper]))


def test_ids_that_are_no_keys_of_bibtex_get_keys_of_their_own_each() -> None:
    text = "".join(write_bibtex([make_paper("a b"), make_paper("a,b"), make_paper("plain")]))
    assert re.findall(r"@\w+\{([^,]+),", text) == ["a-b", "a-b-2", "plain"]


@pytest.mark.parametrize(
    ("name", "turned"),
    [("Ada Lovelace", "Lovelace, Ada"), ("Ng", "Ng"), ("Google, Inc.", "Google, Inc."), ("Ed Poe Jr", "Ed Poe Jr")],
)
def test_names_are_turned_for_ris_where_they_are_turned_back(name: str, turned: str) -> None:
    assert turn_name(name) == turned


def test_further_fields_stay_in_a_table_and_in_json_lines() -> None:
    paper = make_paper("a", extra=(("Article Number", "17"), ("pages", "1-9")))  # type: ignore[arg-type]
    for form in ("jsonl", "csv"):
        (back,) = read_back([paper], form)
        assert isinstance(back, Paper)
        assert back.extra == paper.extra


def test_an_exported_line_that_somebody_broke_is_told(tmp_path: Path) -> None:
    line = json.loads("".join(write_jsonl([WHOLE])))
    broken: list[Callable[[], dict[str, object]]] = [
        lambda: {**line, "year": "soon"},
        lambda: {**line, "authors": "Ada"},
        lambda: {**line, "extra": {"a": 1}},
        lambda: {**line, "abstract": " "},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(json.dumps(make()) for make in broken), encoding="utf-8")
    found = list(read_papers(path))
    assert len(found) == 4
    assert all(isinstance(one, Skipped) for one in found)
