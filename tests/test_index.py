import contextlib
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from assistant.domain import Passage
from assistant.ports import Record, Vector
from assistant.store.building import build_generation, is_due, refresh_index
from assistant.store.chroma import Collection, plan_batches
from assistant.store.folders import hold, release
from assistant.store.generation import POINTER, Generation, publish, read_current
from assistant.store.index import ChromaIndex
from assistant.store.library import SqliteLibrary
from assistant.store.schema import NAME
from assistant.store.writing import SqliteCatalogue
from tests.fakes import FakeEmbedder, make_paper, make_sentences
from tests.records import add_papers, build_library, make_numbered, make_record, remove_papers

PAPERS = make_numbered(30)


@pytest.fixture
def library(place: Path) -> Iterator[SqliteLibrary]:
    with contextlib.closing(build_library(place, *PAPERS)) as library:
        yield library


@pytest.fixture
def index(place: Path, library: SqliteLibrary) -> Iterator[ChromaIndex]:
    with contextlib.closing(ChromaIndex(place, library)) as index:
        yield index


def embed(text: str) -> Vector:
    vector: Vector = FakeEmbedder().embed([text])[0]
    return vector


def found(index: ChromaIndex, text: str, k: int = 5) -> list[str]:
    return [hit.paper_id for hit in index.search(embed(text), k)]


def list_held(place: Path) -> list[str]:
    """Return the files under the folder that this process has open; empty where the system does not tell."""
    handles = Path("/proc/self/fd")
    names = [str(handle.readlink()) for handle in handles.iterdir() if handle.is_symlink()] if handles.exists() else []
    return [name for name in names if name.startswith(str(place))]


def folders(place: Path) -> list[str]:
    return sorted(path.name for path in place.glob("index-*"))


def test_chroma_finds_what_exact_search_finds(place: Path, library: SqliteLibrary, index: ChromaIndex) -> None:
    exact = {paper.id: index.search(embed(paper.abstract), 10) for paper in PAPERS}
    build_generation(place, library)
    for paper in PAPERS:
        hits = index.search(embed(paper.abstract), 10)
        assert hits[0].paper_id == paper.id
        assert hits[0].score == pytest.approx(1, abs=1e-3)
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in exact[paper.id]], abs=1e-3)


def test_the_generation_is_what_answers_once_it_is_built(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    generation = build_generation(place, library)
    collection = Collection(generation.locate(place))
    assert collection.size == len(PAPERS)
    collection.close()
    # A pointer that says that nothing is newer: what is found can only come from Chroma.
    assert generation.last_passage == max(library.list_passages())
    assert found(index, PAPERS[7].abstract, 1) == ["p7"]


def test_papers_added_after_the_build_are_found_with_the_others(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    assert found(index, PAPERS[3].abstract, 1) == ["p3"]
    late = make_numbered(1, first=500)[0]
    add_papers(place, late)
    assert found(index, late.abstract, 1) == ["p500"]
    assert found(index, PAPERS[3].abstract, 1) == ["p3"]


def test_a_paper_with_several_passages_is_found_once(place: Path, library: SqliteLibrary, index: ChromaIndex) -> None:
    paper = make_paper("long", "Zebra zebra one. Zebra zebra two. Zebra zebra three. Zebra zebra four.")
    sentences = make_sentences(paper)
    vectors = FakeEmbedder().embed([sentence.text for sentence in sentences])
    passages = tuple(Passage(paper.id, sentence.start, sentence.end) for sentence in sentences)
    catalogue = SqliteCatalogue(place / NAME)
    catalogue.add([Record(paper, passages, vectors, sentences, vectors)])
    catalogue.close()
    for step in (lambda: None, lambda: build_generation(place, library)):
        step()
        ids = found(index, "zebra", 8)
        assert ids[0] == "long"
        assert len(ids) == len(set(ids)) == 8


def test_k_papers_are_found_though_most_passages_of_the_generation_are_gone(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    remove_papers(place, *(f"p{n}" for n in range(25)))
    ids = found(index, PAPERS[2].abstract, 4)
    assert len(ids) == 4
    assert set(ids) <= {"p25", "p26", "p27", "p28", "p29"}


def test_a_replaced_paper_is_found_by_its_new_words_only(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    add_papers(place, make_paper("p4", "Entirely otherwise: starling murmuration."))
    (hit,) = index.search(embed("Entirely otherwise: starling murmuration."), 1)
    assert hit.paper_id == "p4"
    old = {hit.paper_id: hit.score for hit in index.search(embed(PAPERS[4].abstract), 30)}
    assert old["p4"] < 0.9


def test_an_open_reader_moves_on_to_the_next_generation(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    assert found(index, PAPERS[0].abstract, 1) == ["p0"]
    add_papers(place, *make_numbered(5, first=100))
    build_generation(place, library)
    assert found(index, make_numbered(1, first=103)[0].abstract, 1) == ["p103"]
    refresh_index(place, library)
    assert folders(place) == ["index-2"]


def test_a_generation_that_a_reader_holds_stays_until_it_is_let_go(place: Path, library: SqliteLibrary) -> None:
    first = build_generation(place, library)
    handle = hold(first.locate(place))
    build_generation(place, library)
    assert folders(place) == ["index-1", "index-2"]
    release(handle)
    refresh_index(place, library)
    assert folders(place) == ["index-2"]


def test_a_reader_in_another_process_sees_new_papers_without_a_restart(place: Path, library: SqliteLibrary) -> None:
    script = """
import sys; from pathlib import Path
from assistant.store.index import ChromaIndex; from assistant.store.library import SqliteLibrary
from tests.fakes import FakeEmbedder
place = Path(sys.argv[1]); library = SqliteLibrary(place / "library.sqlite3"); index = ChromaIndex(place, library)
for line in sys.stdin:
    print(index.search(FakeEmbedder().embed([line.strip()])[0], 1)[0].paper_id, flush=True)
index.close(); library.close()
"""
    build_generation(place, library)
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", script, str(place)]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:

        def ask(text: str) -> str:
            assert reader.stdin
            assert reader.stdout
            reader.stdin.write(text + "\n")
            reader.stdin.flush()
            return reader.stdout.readline().strip()

        assert ask(PAPERS[1].abstract) == "p1"
        late = make_numbered(2, first=700)
        add_papers(place, late[0])
        assert ask(late[0].abstract) == "p700"
        add_papers(place, late[1])
        build_generation(place, library)
        assert ask(late[1].abstract) == "p701"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"number": 1}', '{"number": "x"}', "\0\0", "null"])
def test_a_pointer_that_cannot_be_read_is_no_pointer(
    place: Path, library: SqliteLibrary, index: ChromaIndex, text: str
) -> None:
    build_generation(place, library)
    (place / POINTER).write_text(text)
    assert read_current(place) is None
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]
    assert refresh_index(place, library)
    assert folders(place) == ["index-1"] or folders(place) == ["index-2"]


def test_a_pointer_to_a_generation_that_is_gone_is_no_pointer(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    fields = json.loads((place / POINTER).read_text())
    (place / POINTER).write_text(json.dumps({**fields, "number": 99}))
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]
    assert refresh_index(place, library)


def test_a_deleted_generation_is_searched_exactly_and_built_again(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    shutil.rmtree(place / "index-1")
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]
    assert refresh_index(place, library)
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]
    assert read_current(place) is not None


def test_a_generation_that_chroma_cannot_open_is_searched_exactly_and_built_again(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    build_generation(place, library)
    (place / "index-1" / "chroma.sqlite3").write_bytes(b"garbage" * 1000)
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]
    assert refresh_index(place, library)
    assert folders(place) == ["index-1"] or folders(place) == ["index-2"]
    assert found(index, PAPERS[9].abstract, 1) == ["p9"]


def test_a_generation_of_another_library_is_not_used(place: Path, library: SqliteLibrary) -> None:
    build_generation(place, library)
    library.close()
    for file in place.glob(f"{NAME}*"):
        file.unlink()
    others = make_numbered(30, first=900)
    with contextlib.closing(build_library(place, *others)) as other:
        index = ChromaIndex(place, other)
        assert found(index, others[5].abstract, 1) == ["p905"]
        assert refresh_index(place, other)
        assert found(index, others[5].abstract, 1) == ["p905"]
        index.close()


def test_an_interrupted_build_leaves_the_old_generation_serving(
    place: Path, library: SqliteLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build_generation(place, library)
    with monkeypatch.context() as patch:
        patch.setattr("assistant.store.building.publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            build_generation(place, library)
    assert read_current(place) == first
    assert folders(place) == ["index-1"]


def test_an_unfinished_generation_of_a_killed_build_is_removed(place: Path, library: SqliteLibrary) -> None:
    build_generation(place, library)
    (place / "index-7").mkdir()
    assert not refresh_index(place, library)
    assert folders(place) == ["index-1"]


@pytest.mark.parametrize(
    ("newer", "inside", "due"),
    [(1, None, True), (0, None, False), (1_000, 10, False), (1_001, 10, True), (5_000, 50_000, False)],
)
def test_a_build_is_due_with_enough_newer_passages(newer: int, inside: int | None, due: bool) -> None:
    current = None if inside is None else Generation(1, "library", inside, inside)
    assert is_due(newer, current) is due


@pytest.mark.parametrize("size", [1, 2, 3, 70, 999, 1000, 1001, 2500, 8001, 9000, 12345, 40001])
def test_batches_are_of_one_size_and_hold_every_id(size: int) -> None:
    batches = plan_batches(range(size))
    assert {len(batch) for batch in batches} == {len(batches[0])}
    assert len(batches[0]) <= 1000
    assert set().union(*batches) == set(range(size))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_smallest_libraries_get_an_index(place: Path, count: int) -> None:
    with contextlib.closing(build_library(place, *make_numbered(count))) as library:
        build_generation(place, library)
        index = ChromaIndex(place, library)
        assert len(index.search(embed(make_numbered(1)[0].abstract), 10)) == count
        index.close()


def test_an_empty_library_finds_nothing_and_gets_no_index(place: Path) -> None:
    with contextlib.closing(build_library(place)) as library:
        assert not refresh_index(place, library)
        assert ChromaIndex(place, library).search(embed("anything"), 5) == ()


def test_a_generation_is_whole_on_the_disk(place: Path, library: SqliteLibrary) -> None:
    build_generation(place, library)
    assert list((place / "index-1").glob("*/index_metadata.pickle"))


def test_many_threads_search_while_generations_change(place: Path, library: SqliteLibrary, index: ChromaIndex) -> None:
    def ask(number: int) -> bool:
        return found(index, PAPERS[number % 30].abstract, 3)[0] == f"p{number % 30}"

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(ask, number) for number in range(120)]
        for number in range(2):
            add_papers(place, *make_numbered(3, first=1000 + 3 * number))
            build_generation(place, library)
        assert all(answer.result() for answer in answers)


def test_closing_lets_go_of_every_file_and_thread(place: Path, library: SqliteLibrary) -> None:
    build_generation(place, library)
    threads = threading.active_count()
    for _ in range(3):
        index = ChromaIndex(place, library)
        found(index, PAPERS[0].abstract)
        index.close()
    library.close()
    # Chroma's threads close the files a moment later.
    until = time.monotonic() + 5
    while (held := list_held(place)) and time.monotonic() < until:
        time.sleep(0.05)
    assert held == []
    assert threading.active_count() <= threads


def test_vectors_are_unit_length_after_the_disk(place: Path, library: SqliteLibrary) -> None:
    vectors = library.read_passages().vectors
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    record = make_record(PAPERS[0], FakeEmbedder())
    assert float(vectors[0] @ record.passage_vectors[0]) > 0.9999


def test_a_passage_that_the_graph_does_not_reach_is_found_all_the_same(
    place: Path, library: SqliteLibrary, index: ChromaIndex
) -> None:
    generation = build_generation(place, library)
    hidden = library.list_passages()[7]
    client = chromadb.PersistentClient(generation.locate(place), settings=Settings(anonymized_telemetry=False))
    client.get_collection("passages", embedding_function=None).delete(ids=[str(hidden)])
    client.close()  # type: ignore[attr-defined]
    assert found(index, PAPERS[7].abstract, 1) != ["p7"]
    collection = Collection(generation.locate(place))
    missed = collection.find_missed(library.read_passages())
    collection.close()
    assert missed == [hidden]
    publish(place, replace(generation, missed=tuple(missed)))
    assert found(index, PAPERS[7].abstract, 1) == ["p7"]


# Sparse vectors that are much alike: Chroma's usual graph loses some of these in about half of all builds.
@pytest.mark.parametrize("attempt", range(6))
def test_every_paper_finds_itself_among_papers_that_are_much_alike(place: Path, attempt: int) -> None:
    papers = make_numbered(160, first=1000 * attempt)
    with contextlib.closing(build_library(place, *papers)) as library:
        build_generation(place, library)
        with contextlib.closing(ChromaIndex(place, library)) as index:
            for paper in papers:
                hits = index.search(embed(paper.abstract), 5)
                assert paper.id in {hit.paper_id for hit in hits if hit.score > 0.999}
