import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain import Paper
from assistant.errors import PaperMissing, StoreError, StoreMissing
from assistant.ports import Library
from assistant.store.library import SqliteLibrary
from assistant.store.schema import NAME, VERSION
from assistant.store.writing import SqliteCatalogue
from assistant.text.terms import terms
from tests.fakes import FakeEmbedder, FakeLibrary, make_holding, make_paper
from tests.records import add_papers, build_library, make_numbered, make_record, remove_papers

SPARROW = make_paper("a", "Sparrow is a sparse attention method. It costs 2.5x less memory.")
FINCH = make_paper("b", "Finch prunes weights. It keeps 94.75% of accuracy. It is written in C++.", title="Pruning")
WREN = make_paper("c", "Wren distils attention into naïve student models.")
PAPERS = (SPARROW, FINCH, WREN)

Open = Callable[..., Library]


@pytest.fixture(params=["sqlite", "fake"])
def open_library(request: pytest.FixtureRequest, place: Path) -> Iterator[Open]:
    with contextlib.ExitStack() as stack:

        def build(*papers: Paper) -> Library:
            if request.param == "fake":
                return FakeLibrary([make_holding(paper, FakeEmbedder()) for paper in papers])
            return stack.enter_context(contextlib.closing(build_library(place, *papers)))

        yield build


def matched(library: Library, text: str, k: int = 10) -> list[str]:
    return [hit.paper_id for hit in library.match(terms(text), k)]


def test_the_paper_that_holds_the_rarer_terms_comes_first(open_library: Open) -> None:
    library = open_library(*PAPERS)
    assert matched(library, "distilled attention") == ["c", "a"]


def test_at_most_k_papers_match(open_library: Open) -> None:
    assert len(open_library(*PAPERS).match(terms("attention pruning"), 1)) == 1


def test_terms_that_no_paper_holds_match_nothing(open_library: Open) -> None:
    library = open_library(*PAPERS)
    assert library.match(("zebra",), 5) == ()
    assert library.match((), 5) == ()


@pytest.mark.parametrize("term", ["2.5x", "94.75%", "c++", "naiv"])
def test_a_term_with_signs_is_matched_whole(open_library: Open, term: str) -> None:
    library = open_library(*PAPERS)
    assert library.count_holding((term,)) == (1,)
    assert len(library.match((term,), 5)) == 1


@pytest.mark.parametrize("term", ["2.5", "5x", "94", "c", "AND", "NEAR(a b)", 'a"b', "*", "title:prune", "", "'"])
def test_part_of_a_term_or_search_syntax_matches_nothing(open_library: Open, term: str) -> None:
    library = open_library(*PAPERS)
    assert library.match((term,), 5) == ()
    assert library.count_holding((term,)) == (0,)


def test_holding_is_counted_a_term_in_the_order_asked(open_library: Open) -> None:
    library = open_library(*PAPERS)
    assert library.count_holding(("zebra", *terms("attention"), *terms("pruning"))) == (0, 2, 1)
    assert library.count_papers() == 3


def test_holdings_come_in_the_order_asked_without_those_that_do_not_exist(open_library: Open) -> None:
    holdings = open_library(*PAPERS).fetch(["c", "nowhere", "a"])
    assert [holding.paper for holding in holdings] == [WREN, SPARROW]


def test_a_holding_has_the_papers_own_sentences_and_a_vector_each(open_library: Open) -> None:
    (finch,) = open_library(*PAPERS).fetch(["b"])
    assert [sentence.text for sentence in finch.sentences] == [
        "Finch prunes weights.",
        "It keeps 94.75% of accuracy.",
        "It is written in C++.",
    ]
    given_vectors = make_holding(FINCH, FakeEmbedder()).vectors
    assert finch.vectors.dtype == np.float32
    assert np.sum(finch.vectors * given_vectors, axis=1) == pytest.approx(1, abs=1e-3)


def test_a_question_of_thousands_of_terms_is_matched(open_library: Open) -> None:
    library = open_library(*PAPERS)
    assert [hit.paper_id for hit in library.match((*(f"w{n}" for n in range(3000)), "sparrow"), 3)] == ["a"]


def test_a_title_weighs_twice(place: Path) -> None:
    named, said = make_paper("named", "An idea.", title="Zebra"), make_paper("said", "Zebra idea.", title="An")
    with contextlib.closing(build_library(place, said, named, *make_numbered(5))) as library:
        first, second = library.match(("zebra",), 2)
    assert first.paper_id == "named"
    assert first.score > 1.2 * second.score > 0


@given(
    st.builds(
        Paper,
        id=st.text(min_size=1).filter(lambda text: text.isprintable()),
        abstract=st.text(min_size=1),
        title=st.text(),
        authors=st.lists(st.text()).map(tuple),
        year=st.none() | st.integers(-(2**63), 2**63 - 1),
        venue=st.text(),
        url=st.text(),
        doi=st.text(),
        source=st.text(),
        extra=st.lists(st.tuples(st.text(), st.text())).map(tuple),
    )
)
def test_any_paper_comes_back_as_it_was_given(tmp_path_factory: pytest.TempPathFactory, paper: Paper) -> None:
    folder = tmp_path_factory.mktemp("library")
    with contextlib.closing(build_library(folder, paper)) as library:
        assert library.papers() == (paper,)
        assert library.paper(paper.id) == paper
        assert [holding.paper for holding in library.fetch([paper.id])] == [paper]


def test_a_value_that_cannot_be_kept_is_refused_and_nothing_is_added(place: Path) -> None:
    with contextlib.closing(build_library(place, SPARROW)) as library:
        for wrong in (make_paper("x", "A lone \ud800 surrogate."), make_paper("x", year=2**70)):
            with pytest.raises(StoreError, match="cannot hold a value"):
                add_papers(place, FINCH, wrong)
        assert library.papers() == (SPARROW,)


def test_a_replaced_paper_keeps_its_place_and_gets_new_passages(place: Path) -> None:
    changed = make_paper("a", "Sparrow was renamed Starling.")
    with contextlib.closing(build_library(place, *PAPERS)) as library:
        before = library.list_passages()
        add_papers(place, changed)
        assert [paper.id for paper in library.papers()] == ["a", "b", "c"]
        assert library.papers()[0] == changed
        assert library.list_passages() == (*before[1:], before[-1] + 1)
        assert matched(library, "starling") == ["a"]
        assert matched(library, "sparse") == []
        assert [sentence.text for sentence in library.fetch(["a"])[0].sentences] == ["Sparrow was renamed Starling."]


def test_a_removed_paper_leaves_nothing_and_its_passage_ids_are_not_given_again(place: Path) -> None:
    with contextlib.closing(build_library(place, *PAPERS)) as library:
        before = library.list_passages()
        remove_papers(place, "b", "c", "nowhere")
        assert [paper.id for paper in library.papers()] == ["a"]
        assert matched(library, "pruning distils") == []
        assert library.name_papers(before) == {before[0]: "a"}
        add_papers(place, WREN)
        assert library.list_passages() == (before[0], before[-1] + 1)


def test_every_change_raises_the_revision(place: Path) -> None:
    with contextlib.closing(build_library(place, SPARROW)) as library:
        first = library.state()
        add_papers(place, FINCH)
        second = library.state()
        remove_papers(place, "b")
        third = library.state()
    assert first.revision < second.revision < third.revision
    assert first.library == second.library == third.library


def test_a_paper_that_does_not_exist_is_named(place: Path) -> None:
    with contextlib.closing(build_library(place, SPARROW)) as library, pytest.raises(PaperMissing, match="'zz'"):
        library.paper("zz")


def test_many_threads_ask_while_papers_are_added(place: Path) -> None:
    papers = make_numbered(40)
    with contextlib.closing(build_library(place, *papers)) as library, ThreadPoolExecutor(8) as pool:

        def ask(number: int) -> bool:
            paper = papers[number % 40]
            return matched(library, paper.abstract)[0] == paper.id and library.fetch([paper.id])[0].paper == paper

        answers = [pool.submit(ask, number) for number in range(200)]
        for number in range(5):
            add_papers(place, *make_numbered(10, first=100 + 10 * number))
        assert all(answer.result() for answer in answers)
        assert library.count_papers() == 90


def test_a_library_that_does_not_exist_is_missing_and_is_not_made(place: Path) -> None:
    with pytest.raises(StoreMissing, match=rf"{place}.*assistant index"):
        SqliteLibrary(place / NAME).count_papers()
    assert list(place.iterdir()) == []


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero_header(path: Path) -> None:
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])


def write_text(path: Path) -> None:
    path.write_text("not a library at all\n" * 400)


def write_other(path: Path) -> None:
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (x)")


@pytest.mark.parametrize("damage", [empty, cut, zero_header, write_text, write_other])
def test_a_damaged_library_is_named_and_never_looks_empty(place: Path, damage: Callable[[Path], None]) -> None:
    build_library(place, *make_numbered(50)).close()
    damage(place / NAME)
    with contextlib.closing(SqliteLibrary(place / NAME)) as library, pytest.raises(StoreError) as raised:
        library.papers()
    assert str(place / NAME) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_library_of_a_newer_version_is_refused(place: Path) -> None:
    build_library(place, SPARROW).close()
    with contextlib.closing(sqlite3.connect(place / NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with contextlib.closing(SqliteLibrary(place / NAME)) as library, pytest.raises(StoreError, match="newer version"):
        library.papers()


def test_a_library_that_is_deleted_and_made_again_is_read_anew(place: Path) -> None:
    with contextlib.closing(build_library(place, SPARROW)) as library:
        assert library.count_papers() == 1
        for file in place.glob(f"{NAME}*"):
            file.unlink()
        build_library(place, FINCH, WREN).close()
        assert [paper.id for paper in library.papers()] == ["b", "c"]


def test_an_addition_that_is_interrupted_adds_nothing(place: Path) -> None:
    build_library(place, SPARROW).close()
    catalogue = SqliteCatalogue(place / NAME)

    def records() -> Iterator[object]:
        yield make_record(FINCH, FakeEmbedder())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catalogue.add(records())  # type: ignore[arg-type]
    assert catalogue.papers() == (SPARROW,)
    catalogue.close()


def test_what_a_killed_writer_had_added_is_there(place: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from tests.records import *;"
        "catalogue = SqliteCatalogue(Path(sys.argv[1]) / NAME);"
        "catalogue.add([make_record(paper, FakeEmbedder()) for paper in make_numbered(30)]);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    build_library(place, SPARROW).close()
    root = Path(__file__).parent.parent
    process = subprocess.run([sys.executable, "-c", script, str(place)], cwd=root, check=False)
    assert process.returncode == -9
    with contextlib.closing(SqliteLibrary(place / NAME)) as library:
        assert library.count_papers() == 31
        assert matched(library, "m17x")[0] == "p17"
