"""One paper from several sources is one; what is not certain stays apart and is told."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.domain import Origin, Paper, Report
from assistant.likeness import find_names
from tests.fakes import make_paper
from tests.test_indexing import FakeCatalogue, counts, index

TEXT = (
    "We count the cats of a harbour town by night, and find that most of them sleep near the fish market in winter, "
    "while the dogs of the same town prefer the warm walls of its bakery, whatever the season and the weather are."
)
EDITED = TEXT.replace("most of them sleep", "nearly all of them rest")
OTHER = "A trained nose tells rotten wood from sound wood by its smell, faster than any sensor that we could buy."
CATS = make_paper("smith2021", TEXT, title="Harbour Cats", authors=("Ann Smith",), year=2021, source="a.bib")


def elsewhere(**changes: str | int | tuple[str, ...] | None) -> Paper:
    """Return the paper as another source has it, under an id of its own."""
    return replace(CATS, **{"id": "W123", "source": "b.csv", **changes})  # type: ignore[arg-type]


@pytest.fixture
def catalogue() -> FakeCatalogue:
    made = FakeCatalogue()
    index(made, [replace(CATS, origin=Origin("/a.bib"))])
    return made


def read(catalogue: FakeCatalogue, *papers: Paper) -> Report:
    return index(catalogue, [replace(paper, origin=Origin(f"/{paper.source}")) for paper in papers])


@pytest.mark.parametrize(
    "other",
    [
        elsewhere(),
        elsewhere(title="HARBOUR cats."),
        elsewhere(abstract=EDITED),
        elsewhere(abstract=EDITED, authors=("Zoe Zink",)),
        elsewhere(abstract=EDITED, year=2022),
        elsewhere(abstract=EDITED, year=None, authors=("SMITH, A.",)),
        elsewhere(abstract=EDITED, year=None, authors=()),
        elsewhere(title="", authors=(), year=None),
    ],
)
def test_the_same_paper_from_another_source_is_one_that_knows_both(catalogue: FakeCatalogue, other: Paper) -> None:
    report = read(catalogue, other)
    assert (counts(report), report.likenesses) == ((0, 0, 0, 1), ())
    assert list(catalogue.records) == ["smith2021"]
    assert {(one.paper_id, one.source) for one in catalogue.sightings} == {
        ("smith2021", "a.bib"),
        ("smith2021", "b.csv"),
    }


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ({"doi": "10.1234/AB"}, {"doi": "10.1234/ab"}),
        ({"extra": (("arxiv", "2401.00001v1"),)}, {"extra": (("arxiv", "2401.00001v3"),)}),
        ({"extra": (("arxiv", "2401.00001"),)}, {"doi": "10.48550/arXiv.2401.00001"}),
    ],
)
def test_papers_of_one_doi_or_arxiv_id_are_one_whatever_else_differs(
    known: dict[str, str], other: dict[str, str]
) -> None:
    catalogue = FakeCatalogue()
    read(catalogue, replace(CATS, **known))  # type: ignore[arg-type]
    again = elsewhere(abstract=EDITED, title="Harbour cats, revisited", year=1999, authors=("B C",), **other)
    assert counts(read(catalogue, again)) == (0, 0, 0, 1)


def test_a_doi_that_two_different_papers_share_merges_nothing_and_is_told() -> None:
    catalogue = FakeCatalogue()
    report = read(catalogue, replace(CATS, doi="10.1/x"), elsewhere(doi="10.1/x", title="Wood", abstract=OTHER))
    assert counts(report) == (2, 0, 0, 0)
    assert [(one.id, one.other) for one in report.likenesses] == [("smith2021", "W123")]
    assert "10.1/x" in report.likenesses[0].reason


@pytest.mark.parametrize("abstract", [TEXT, EDITED])
def test_one_text_by_other_authors_in_another_year_stays_apart_and_is_told_each_time(
    catalogue: FakeCatalogue, abstract: str
) -> None:
    other = elsewhere(abstract=abstract, authors=("Zoe Zink",), year=1999)
    report = read(catalogue, other)
    assert counts(report) == (1, 0, 0, 0)
    (likeness,) = report.likenesses
    assert {likeness.id, likeness.other} == {"smith2021", "W123"}
    assert "other authors and another year" in likeness.reason
    again = read(catalogue, other)
    assert (counts(again), len(again.likenesses)) == ((0, 1, 0, 0), 1)


def test_one_id_in_two_files_by_other_authors_in_another_year_stays_apart(catalogue: FakeCatalogue) -> None:
    report = read(catalogue, elsewhere(id="smith2021", authors=("Zoe Zink",), year=1999))
    assert counts(report) == (1, 0, 0, 0)
    assert sorted(catalogue.records) == ["b:smith2021", "smith2021"]
    assert len(report.likenesses) == 1


def test_one_title_with_another_text_is_another_paper(catalogue: FakeCatalogue) -> None:
    report = read(catalogue, elsewhere(abstract=OTHER))
    assert (counts(report), report.likenesses) == ((1, 0, 0, 0), ())


def test_texts_that_say_nothing_make_no_papers_one_and_no_likely_duplicates() -> None:
    catalogue, nothing = FakeCatalogue(), "No abstract available."
    papers = [make_paper(f"p{n}", nothing, title="Editorial", year=2020, doi=f"10.1/{n}") for n in range(3)]
    report = read(catalogue, *papers)
    assert (counts(report), report.likenesses) == ((3, 0, 0, 0), ())


@pytest.mark.parametrize("changes", [{"abstract": EDITED}, {"year": 2022}, {"authors": ("Ann Smith", "Bo Li")}])
def test_what_its_own_source_changed_is_an_update(catalogue: FakeCatalogue, changes: dict[str, str]) -> None:
    changed = replace(CATS, **changes)  # type: ignore[arg-type]
    assert counts(read(catalogue, changed)) == (0, 0, 1, 0)
    assert catalogue.records["smith2021"].paper == changed
    assert counts(read(catalogue, changed)) == (0, 1, 0, 0)


def test_a_row_without_an_id_that_was_moved_and_edited_is_updated_by_its_doi() -> None:
    catalogue = FakeCatalogue()
    row = make_paper("list#1", TEXT, title="Harbour Cats", doi="10.1/x", source="list.csv")
    read(catalogue, row)
    moved = replace(row, id="list#7", abstract=f"{OTHER} And so on.")
    for expected in ((0, 0, 1, 0), (0, 1, 0, 0)):
        assert counts(read(catalogue, moved)) == expected
    assert list(catalogue.records) == ["list#1"]


@pytest.mark.parametrize(
    ("paper", "names"),
    [
        (make_paper(doi="10.1/X"), {"doi:10.1/x"}),
        (make_paper(doi="not one"), set()),
        (make_paper(extra=(("arxiv", "arXiv:2401.00001v2"),)), {"arxiv:2401.00001"}),  # type: ignore[arg-type]
    ],
)
def test_the_names_of_a_paper_do_not_depend_on_how_they_are_written(paper: Paper, names: set[str]) -> None:
    assert find_names(paper) == names


VERSIONS = st.builds(
    make_paper,
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from([TEXT, EDITED, OTHER]),
    title=st.sampled_from(["", "Cats", "Dogs"]),
    authors=st.sampled_from([(), ("Ann Smith",), ("Zoe Zink",)]),
    year=st.sampled_from([None, 2020, 2021]),
    source=st.just("a.jsonl"),
)


@settings(max_examples=150)
@given(st.lists(VERSIONS, max_size=6, unique_by=lambda paper: paper.id))
def test_a_second_reading_of_one_file_changes_nothing(papers: list[Paper]) -> None:
    catalogue = FakeCatalogue()
    read(catalogue, *papers)
    kept = dict(catalogue.records)
    again = read(catalogue, *papers)
    assert (again.new, again.updated) == (0, 0)
    assert catalogue.records == kept
