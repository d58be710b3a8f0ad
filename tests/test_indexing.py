import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper, Progress, Report, Skipped
from assistant.errors import EmbedderError
from assistant.indexing import AT_ONCE, index_papers
from assistant.models.splitter import split_long
from assistant.ports import Record, Sighting, Vectors
from assistant.store import Store, open_store
from tests.fakes import DIMENSION, FakeEmbedder, make_paper
from tests.records import make_numbered


class FakeCatalogue:
    """Keeps records in memory; stops after a number of additions, as a user does."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.records: dict[str, Record] = {}
        self.batches: list[int] = []
        self.sightings: list[Sighting] = []
        self._stop_after = stop_after

    def papers(self) -> tuple[Paper, ...]:
        return tuple(record.paper for record in self.records.values())

    def add(self, records: Sequence[Record]) -> None:
        if self._stop_after == len(self.batches):
            raise KeyboardInterrupt
        self.records.update((record.paper.id, record) for record in records)
        self.batches.append(len(records))

    def note(self, sightings: Sequence[Sighting]) -> None:
        self.sightings += sightings


@pytest.fixture
def catalogue() -> FakeCatalogue:
    return FakeCatalogue()


def index(catalogue: FakeCatalogue, papers: Iterable[Paper | Skipped], embedder: FakeEmbedder | None = None) -> Report:
    return index_papers(papers, catalogue, embedder or FakeEmbedder(), split_long)


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.new, report.same, report.updated, report.merged


def read_list(*abstracts: str, stem: str = "list") -> list[Paper]:
    """Return what the reader of a plain-text list gives."""
    return [make_paper(f"{stem}#{n}", text, source=f"{stem}.txt") for n, text in enumerate(abstracts, start=1)]


def ids(catalogue: FakeCatalogue) -> dict[str, str]:
    return {paper.abstract: paper.id for paper in catalogue.papers()}


def given_paper(id: str, abstract: str, source: str = "a.jsonl", title: str = "") -> Paper:
    return make_paper(id, abstract, source=source, title=title)


def test_new_papers_are_added_with_their_passages_and_sentences(catalogue: FakeCatalogue) -> None:
    report = index(catalogue, read_list("Sparrow is fast. It is small.", "Finch prunes weights."))
    assert counts(report) == (2, 0, 0, 0)
    assert report.embedded == 2 + 3
    record = catalogue.records["list#1"]
    assert [sentence.text for sentence in record.sentences] == ["Sparrow is fast.", "It is small."]
    assert record.passage_vectors.shape == (1, DIMENSION)
    assert float(record.sentence_vectors[1] @ FakeEmbedder().embed(["It is small."])[0]) == pytest.approx(1)


def test_known_papers_are_not_embedded_again(catalogue: FakeCatalogue) -> None:
    papers = make_numbered(70)
    index(catalogue, papers)
    embedder = FakeEmbedder()
    report = index(catalogue, papers, embedder)
    assert counts(report) == (0, 70, 0, 0)
    assert report.embedded == embedder.embedded == 0


def test_papers_are_added_in_batches(catalogue: FakeCatalogue) -> None:
    index(catalogue, make_numbered(2 * AT_ONCE + 5))
    assert catalogue.batches == [AT_ONCE, AT_ONCE, 5]


def test_an_interruption_keeps_what_was_added_and_the_next_run_embeds_only_the_rest() -> None:
    catalogue, papers = FakeCatalogue(stop_after=2), make_numbered(3 * AT_ONCE)
    with pytest.raises(KeyboardInterrupt):
        index(catalogue, papers)
    rest = FakeCatalogue()
    rest.records = catalogue.records
    report = index(rest, papers)
    assert counts(report) == (AT_ONCE, 2 * AT_ONCE, 0, 0)
    assert rest.batches == [AT_ONCE]


def test_what_could_not_be_read_is_counted(catalogue: FakeCatalogue) -> None:
    report = index(catalogue, [Skipped("a.jsonl:3", "not JSON"), *make_numbered(2)])
    assert report.skipped == (Skipped("a.jsonl:3", "not JSON"),)
    assert report.read == 3


@pytest.mark.parametrize(
    "paper",
    [
        make_paper("x", "A lone \ud800 surrogate."),
        make_paper("x\udfff"),
        make_paper("x", extra=(("k", "\ud812"),)),  # type: ignore[arg-type]
        make_paper("x", authors=("\udc00",)),
        make_paper("x", " \n "),
    ],
)
def test_a_paper_that_cannot_be_kept_is_skipped_and_the_rest_goes_on(catalogue: FakeCatalogue, paper: Paper) -> None:
    report = index(catalogue, [paper, make_paper("y")])
    assert (report.new, len(report.skipped)) == (1, 1)
    report.skipped[0].place.encode()


def test_progress_goes_from_nothing_to_all(catalogue: FakeCatalogue) -> None:
    seen: list[Progress] = []
    index_papers(make_numbered(AT_ONCE + 1), catalogue, FakeEmbedder(), split_long, seen.append)
    total = AT_ONCE + 1
    assert [(progress.done, progress.total) for progress in seen] == [(0, total), (AT_ONCE, total), (total, total)]


def test_an_abstract_put_into_the_middle_of_a_list_changes_no_id(catalogue: FakeCatalogue) -> None:
    index(catalogue, read_list("One.", "Two.", "Three."))
    report = index(catalogue, read_list("One.", "New in the middle.", "Two.", "Three.", "New at the end."))
    assert counts(report) == (2, 3, 0, 0)
    assert ids(catalogue) == {
        "One.": "list#1",
        "Two.": "list#2",
        "Three.": "list#3",
        "New in the middle.": "list#4",
        "New at the end.": "list#5",
    }


def test_a_list_in_another_order_keeps_its_ids(catalogue: FakeCatalogue) -> None:
    index(catalogue, read_list("One.", "Two.", "Three."))
    assert counts(index(catalogue, read_list("Three.", "One.", "Two."))) == (0, 3, 0, 0)
    assert ids(catalogue) == {"One.": "list#1", "Two.": "list#2", "Three.": "list#3"}


def test_a_rewritten_abstract_of_a_list_takes_the_next_number(catalogue: FakeCatalogue) -> None:
    index(catalogue, read_list("One.", "Two."))
    index(catalogue, read_list("Wholly rewritten.", "Two."))
    assert ids(catalogue) == {"One.": "list#1", "Two.": "list#2", "Wholly rewritten.": "list#3"}


def test_two_lists_of_one_name_do_not_overwrite_each_other(catalogue: FakeCatalogue) -> None:
    for _ in range(2):
        index(catalogue, [*read_list("One.", "Two."), *read_list("Other.", "Two.")])
    assert ids(catalogue) == {"One.": "list#1", "Two.": "list#2", "Other.": "list#3"}


def test_white_space_makes_no_new_paper_of_a_list(catalogue: FakeCatalogue) -> None:
    index(catalogue, read_list("One two."))
    assert counts(index(catalogue, read_list("One\ntwo."))) == (0, 0, 1, 0)
    assert ids(catalogue) == {"One\ntwo.": "list#1"}


def test_an_abstract_that_stands_twice_is_kept_once(catalogue: FakeCatalogue) -> None:
    papers = read_list("One.", "One.", "Two.")
    assert counts(index(catalogue, papers)) == (2, 0, 0, 1)
    assert counts(index(catalogue, papers)) == (0, 2, 0, 1)
    assert ids(catalogue) == {"One.": "list#1", "Two.": "list#3"}


def test_the_same_abstract_from_another_source_is_merged_with_the_first(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", "Sparrow  is fast.")])
    report = index(catalogue, [given_paper("x9", "Sparrow is\nfast.", source="b.jsonl", title="Sparrow")])
    assert counts(report) == (0, 0, 0, 1)
    assert list(catalogue.records) == ["1"]


def test_a_paper_that_its_own_source_changes_is_updated(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", "Some old words."), given_paper("2", "Others.")])
    report = index(catalogue, [given_paper("1", "Some new words."), given_paper("2", "Others.")])
    assert counts(report) == (0, 1, 1, 0)
    assert catalogue.records["1"].paper.abstract == "Some new words."


def test_another_source_updates_a_paper_of_the_same_title(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", "Draft.", title="On Birds")])
    assert counts(index(catalogue, [given_paper("1", "Final.", source="b.jsonl", title="on birds")])) == (0, 0, 1, 0)
    assert catalogue.records["1"].paper.abstract == "Final."


@pytest.mark.parametrize("title", ["", "On Fish"])
def test_another_paper_with_the_same_id_is_kept_beside_it_under_a_name_that_lasts(
    catalogue: FakeCatalogue, title: str
) -> None:
    papers = [given_paper("1", "Birds fly."), given_paper("1", "Fish swim.", source="b.jsonl", title=title)]
    index(catalogue, papers[:1])
    assert counts(index(catalogue, papers[1:])) == (1, 0, 0, 0)
    assert ids(catalogue) == {"Birds fly.": "1", "Fish swim.": "b:1"}
    assert counts(index(catalogue, papers)) == (0, 2, 0, 0)
    changed = replace(papers[1], abstract="Fish swim well.")
    assert counts(index(catalogue, [papers[0], changed])) == (0, 1, 1, 0)
    assert ids(catalogue) == {"Birds fly.": "1", "Fish swim well.": "b:1"}


def test_an_id_that_stands_three_times_in_a_file_loses_no_paper(catalogue: FakeCatalogue) -> None:
    papers = [
        given_paper("1", "Birds."),
        given_paper("1", "Fish."),
        given_paper("1", "Mice."),
        given_paper("1", "Fish."),
    ]
    assert counts(index(catalogue, papers)) == (3, 0, 0, 1)
    assert counts(index(catalogue, papers)) == (0, 3, 0, 1)
    assert ids(catalogue) == {"Birds.": "1", "Fish.": "a:1", "Mice.": "a:1:2"}


def test_a_new_paper_may_have_the_words_that_an_updated_one_had(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", "Birds.", title="Animals")])
    report = index(catalogue, [given_paper("1", "Mice.", title="Animals"), given_paper("2", "Birds.")])
    assert counts(report) == (1, 0, 1, 0)


ONE_OF_FEW = st.sampled_from(["Alpha.", "Beta.", "Gamma.", "Delta.", "Beta.\n"])


@settings(max_examples=200)
@given(
    st.lists(
        st.builds(
            given_paper,
            st.sampled_from(["1", "2", "a#1", "a#2", "b:1"]),
            ONE_OF_FEW,
            st.sampled_from(["a.jsonl", "b.jsonl"]),
            st.sampled_from(["", "T", "U"]),
        ),
        max_size=12,
    )
)
def test_whatever_is_read_a_second_reading_embeds_nothing(papers: list[Paper]) -> None:
    catalogue = FakeCatalogue()
    first = index(catalogue, papers)
    kept = dict(catalogue.records)
    second = index(catalogue, papers)
    assert first.read == second.read == len(papers)
    assert second.new == second.updated == second.embedded == 0
    assert catalogue.records == kept
    texts = {" ".join(paper.abstract.split()) for paper in papers}
    assert {" ".join(paper.abstract.split()) for paper in catalogue.papers()} == texts


CATS = "We count the cats of a harbour town by night, and find that most of them sleep near the fish market in winter."
DOGS = "A trained dog tells rotten wood from sound wood by its smell, faster than any sensor that we could buy."


@pytest.mark.parametrize("title", ["", "Of animals"])
def test_two_files_of_one_name_in_different_folders_both_keep_their_papers(
    catalogue: FakeCatalogue, title: str
) -> None:
    of_2023 = [given_paper("1", CATS, "export.jsonl", title=title)]
    of_2024 = [given_paper("1", DOGS, "export.jsonl", title=f"{title} again" if title else "")]
    for papers in (of_2023, of_2024):
        assert counts(index(catalogue, papers)) == (1, 0, 0, 0)
    for papers in (of_2023, of_2024, of_2023):
        assert counts(index(catalogue, papers)) == (0, 1, 0, 0)
    assert ids(catalogue) == {CATS: "1", DOGS: "export:1"}


def test_a_file_that_is_read_from_another_place_brings_nothing_new(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", CATS, "export.jsonl"), *read_list(DOGS)])
    moved = [given_paper("1", CATS, "renamed.jsonl"), *read_list(DOGS, stem="other")]
    assert counts(index(catalogue, moved)) == (0, 1, 0, 1)
    edited = [given_paper("1", f"{CATS} So they do in spring.", "moved.jsonl")]
    assert counts(index(catalogue, edited)) == (0, 0, 1, 0)
    assert len(catalogue.records) == 2


@pytest.mark.parametrize("text", ["No abstract available.", DOGS])
def test_papers_of_one_text_and_different_titles_are_two(catalogue: FakeCatalogue, text: str) -> None:
    papers = [given_paper("1", text, title="Alpha"), given_paper("2", text, title="Beta")]
    numbered = [replace(paper, id=f"b#{paper.id}", source="b.jsonl", title=f"{paper.title} II") for paper in papers]
    for read in (papers, numbered):
        assert counts(index(catalogue, read)) == (2, 0, 0, 0)
        assert counts(index(catalogue, read)) == (0, 2, 0, 0)


def test_papers_of_one_id_whose_text_says_nothing_are_told_apart_by_their_titles(catalogue: FakeCatalogue) -> None:
    for title in ("Alpha", "Beta"):
        index(catalogue, [given_paper("1", "No abstract available.", title=title)])
    assert [(paper.id, paper.title) for paper in catalogue.papers()] == [("1", "Alpha"), ("a:1", "Beta")]


def test_one_text_with_and_without_a_title_is_one_paper(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", CATS, title="Harbour cats")])
    assert counts(index(catalogue, [given_paper("2", CATS), given_paper("3", CATS, title="HARBOUR  CATS.")])) == (
        0,
        0,
        0,
        2,
    )


def test_a_paper_with_a_new_title_and_its_old_abstract_is_updated(catalogue: FakeCatalogue) -> None:
    long = f"{CATS} {DOGS}"
    index(catalogue, [given_paper("1", long, title="Old")])
    assert counts(index(catalogue, [given_paper("1", long, title="New")])) == (0, 0, 1, 0)
    assert catalogue.records["1"].paper.title == "New"


def test_an_edited_abstract_of_a_list_keeps_its_id_while_it_keeps_its_place_and_half_of_its_words(
    catalogue: FakeCatalogue,
) -> None:
    index(catalogue, read_list(CATS, DOGS))
    edited = CATS.replace("most of them", "nearly all")
    assert counts(index(catalogue, read_list(edited, DOGS))) == (0, 1, 1, 0)
    assert ids(catalogue) == {edited: "list#1", DOGS: "list#2"}


def test_two_readings_of_one_paper_in_one_run_are_one(catalogue: FakeCatalogue) -> None:
    papers = [given_paper("1", CATS), given_paper("1", CATS.replace("winter", "spring"), "b.jsonl")]
    for expected in ((1, 0, 0, 1), (0, 1, 0, 1)):
        assert counts(index(catalogue, papers)) == expected


def test_the_order_in_a_file_does_not_decide_what_is_lost(catalogue: FakeCatalogue) -> None:
    index(catalogue, [given_paper("1", CATS, title="Animals")])
    report = index(catalogue, [given_paper("2", CATS), given_paper("1", DOGS, title="Animals")])
    assert counts(report) == (1, 0, 1, 0)
    assert ids(catalogue) == {DOGS: "1", CATS: "2"}


SOME_WORDS = st.sampled_from(["Alpha beta gamma delta.", "Alpha beta gamma.", "Gamma beta zeta.", "Zeta.", "Zeta.\n"])
LISTS = st.lists(
    st.builds(
        given_paper,
        st.sampled_from(["1", "2", "a#1", "a#2", "b:1", "a:1"]),
        SOME_WORDS,
        st.sampled_from(["a.jsonl", "b.jsonl"]),
        st.sampled_from(["", "T", "U"]),
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(LISTS, LISTS)
def test_whatever_was_read_before_a_second_reading_changes_nothing(first: list[Paper], then: list[Paper]) -> None:
    catalogue = FakeCatalogue()
    index(catalogue, first)
    index(catalogue, then)
    kept = dict(catalogue.records)
    again = index(catalogue, then)
    assert (again.new, again.updated, again.embedded) == (0, 0, 0)
    assert catalogue.records == kept


FEW_TITLES = st.lists(
    st.builds(given_paper, st.sampled_from(["1", "2", "a#1"]), ONE_OF_FEW, st.just("a.jsonl"), st.just("")), max_size=8
)


@settings(max_examples=200)
@given(st.lists(FEW_TITLES, min_size=2, max_size=3))
def test_no_file_of_one_name_takes_the_texts_of_another(files: list[list[Paper]]) -> None:
    catalogue = FakeCatalogue()
    for papers in files:
        index(catalogue, papers)
    kept = dict(catalogue.records)
    texts = {" ".join(paper.abstract.split()) for papers in files for paper in papers}
    assert {" ".join(paper.abstract.split()) for paper in catalogue.papers()} == texts
    for papers in files:
        assert index(catalogue, papers).new == 0
    assert {paper.id for paper in catalogue.papers()} == set(kept)


class BrokenEmbedder(FakeEmbedder):
    """Gives numbers that are none."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), DIMENSION), np.nan, dtype=np.float32)


class ShortEmbedder(FakeEmbedder):
    """Forgets a text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts[1:])


@pytest.mark.parametrize("embedder", [BrokenEmbedder("broken"), ShortEmbedder("broken")])
def test_an_embedder_that_gives_no_usable_vectors_is_named(catalogue: FakeCatalogue, embedder: FakeEmbedder) -> None:
    with pytest.raises(EmbedderError, match="broken"):
        index(catalogue, make_numbered(3), embedder)
    assert catalogue.records == {}


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(place / "store")) as store:
        yield store


def test_papers_go_all_the_way_to_the_disk_and_are_found(store: Store) -> None:
    embedder, papers = FakeEmbedder(), make_numbered(40)
    with store.writer(embedder, PASSAGE_SIZE) as writer:
        report = index_papers(papers, writer.catalogue, embedder, split_long)
        assert writer.refresh_index()
    assert report.new == 40
    assert store.library.papers() == tuple(papers)
    for paper in papers:
        assert store.index.search(embedder.embed([paper.abstract])[0], 1)[0].paper_id == paper.id
