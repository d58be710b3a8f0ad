import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper, Report
from assistant.errors import StoreBusy, StoreError, StoreMismatch, StoreMissing
from assistant.indexing import AT_ONCE, index_papers
from assistant.models.splitter import split_long
from assistant.ports import Vectors
from assistant.store import Store, locate_store, open_store
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder, make_paper
from tests.records import make_numbered

ROOT = Path(__file__).parent.parent
PAPERS = make_numbered(5 * AT_ONCE)


@pytest.fixture
def folder(place: Path) -> Path:
    return place / "library of mine #1?"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(folder)) as store:
        yield store


def index(store: Store, papers: Sequence[Paper], embedder: FakeEmbedder | None = None) -> Report:
    embedder = embedder or FakeEmbedder()
    with store.writer(embedder, PASSAGE_SIZE) as writer:
        report = index_papers(papers, writer.catalogue, embedder, split_long)
        writer.refresh_index()
    return report


def find(store: Store, paper: Paper) -> str:
    return store.index.search(FakeEmbedder().embed([paper.abstract])[0], 1)[0].paper_id


def test_opening_a_store_makes_and_reads_nothing(store: Store, folder: Path) -> None:
    assert not store.built
    assert not folder.exists()


def test_an_empty_store_is_missing_and_named_with_the_command(store: Store, folder: Path) -> None:
    for ask in (store.library.count_papers, lambda: store.check(FakeEmbedder(), PASSAGE_SIZE)):
        with pytest.raises(StoreMissing) as raised:
            ask()
        assert str(folder) in str(raised.value)
        assert "assistant index" in str(raised.value)


def test_a_store_is_built_once_it_has_a_paper(store: Store) -> None:
    index(store, [])
    assert not store.built
    index(store, PAPERS[:1])
    assert store.built


def test_the_folder_is_for_its_owner_alone(store: Store, folder: Path) -> None:
    index(store, PAPERS[:1])
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_second_run_embeds_only_the_probes(store: Store) -> None:
    index(store, PAPERS)
    embedder = FakeEmbedder()
    assert index(store, PAPERS, embedder).embedded == 0
    assert embedder.embedded == 3


def test_an_open_store_sees_what_another_writes(store: Store, folder: Path) -> None:
    index(store, PAPERS[:10])
    assert find(store, PAPERS[3]) == "p3"
    with contextlib.closing(open_store(folder)) as other:
        index(other, PAPERS[:12])
    assert find(store, PAPERS[11]) == "p11"
    assert store.library.count_papers() == 12


def test_several_stores_are_open_in_one_process(place: Path) -> None:
    with contextlib.ExitStack() as stack:
        stores = [stack.enter_context(open_store(place / str(number))) for number in range(3)]
        for number, store in enumerate(stores):
            index(store, make_numbered(5, first=100 * number))
        for number, store in enumerate(stores):
            assert find(store, make_numbered(1, first=100 * number + 2)[0]) == f"p{100 * number + 2}"


def test_a_store_that_was_closed_may_be_asked_again(store: Store) -> None:
    index(store, PAPERS[:3])
    store.close()
    assert find(store, PAPERS[2]) == "p2"


@pytest.mark.parametrize("embedder", [FakeEmbedder("other/model"), FakeEmbedder(digest="fake-2")])
def test_another_embedder_is_refused_with_both_names_and_what_to_do(store: Store, embedder: FakeEmbedder) -> None:
    index(store, PAPERS[:2])
    for use in (lambda: store.check(embedder, PASSAGE_SIZE), lambda: index(store, PAPERS[2:4], embedder)):
        with pytest.raises(StoreMismatch) as raised:
            use()
        for part in ("fake/bag-of-terms", embedder.name, str(store.folder), "--store"):
            assert part in str(raised.value)
    assert store.library.count_papers() == 2


class ReversedEmbedder(FakeEmbedder):
    """Has the name of another, and other vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts)[:, ::-1]


def test_an_embedder_of_the_same_name_with_other_vectors_is_refused_where_its_files_cannot_be_seen(
    store: Store,
) -> None:
    index(store, PAPERS[:2], FakeEmbedder(digest=""))
    store.check(FakeEmbedder(digest=""), PASSAGE_SIZE)
    with contextlib.closing(open_store(store.folder)) as other, pytest.raises(StoreMismatch):
        other.check(ReversedEmbedder(digest=""), PASSAGE_SIZE)


def test_an_embedder_with_a_known_hash_is_checked_without_embedding(store: Store) -> None:
    index(store, PAPERS[:2])
    embedder = FakeEmbedder()
    store.check(embedder, PASSAGE_SIZE)
    assert embedder.embedded == 0


def test_an_embedder_without_a_hash_is_checked_once(store: Store) -> None:
    embedder = FakeEmbedder(digest="")
    index(store, PAPERS[:2], embedder)
    store.check(embedder, PASSAGE_SIZE)
    embedded = embedder.embedded
    store.check(embedder, PASSAGE_SIZE)
    assert embedder.embedded == embedded


def test_another_passage_size_is_refused(store: Store) -> None:
    index(store, PAPERS[:2])
    with pytest.raises(StoreMismatch, match=r"passages of 256 .* passages of 128"):
        store.check(FakeEmbedder(), 128)


def test_a_store_without_papers_takes_another_embedder(store: Store) -> None:
    index(store, [])
    index(store, PAPERS[:1], FakeEmbedder("other/model"))
    store.check(FakeEmbedder("other/model"), PASSAGE_SIZE)


def test_a_library_of_no_bytes_is_no_empty_library(store: Store, folder: Path) -> None:
    index(store, PAPERS[:1])
    store.close()
    (folder / NAME).write_bytes(b"")
    for use in (lambda: store.built, lambda: index(store, PAPERS[:1])):
        with pytest.raises(StoreError, match="0 bytes"):
            use()


def test_a_store_that_is_a_file_is_named(place: Path) -> None:
    (place / "notes.txt").write_text("mine")
    for name in ("notes.txt", "notes.txt/inside"):
        with pytest.raises(StoreError, match=r"notes\.txt is a file"):
            locate_store(place / name)
    with contextlib.closing(open_store(place / "notes.txt")) as store, pytest.raises(StoreError, match=r"notes\.txt"):
        index(store, PAPERS[:1])
    assert (place / "notes.txt").read_text() == "mine"


def test_the_store_is_where_it_is_said_to_be(place: Path) -> None:
    (place / "store").mkdir()
    assert locate_store("given", "set") == place / "given"
    assert locate_store(None, "set") == place / "set"
    assert locate_store() == place / "store"


def test_without_a_store_here_it_is_in_the_users_own_folder(place: Path) -> None:
    assert locate_store().is_absolute()
    assert "paper-assistant" in locate_store().parts
    assert place not in locate_store().parents


def test_the_users_home_is_understood() -> None:
    assert locate_store("~/papers") == Path.home() / "papers"


INDEX = """
import sys, time; from pathlib import Path
from assistant.store import open_store
from tests.fakes import FakeEmbedder
from tests.records import make_numbered
from tests.test_store import index, PAPERS

class Slow(FakeEmbedder):
    def embed(self, texts):
        time.sleep(0.05)
        return super().embed(texts)

print("go", flush=True)
with open_store(Path(sys.argv[1])) as store:
    index(store, PAPERS, Slow())
print("done", flush=True)
"""


@contextlib.contextmanager
def indexing(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that indexes PAPERS slowly."""
    command = [sys.executable, "-c", INDEX, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "go\n"
        yield process
        process.kill()


def wait_for_papers(store: Store, least: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(StoreMissing):
            if store.library.count_papers() >= least:
                return
        time.sleep(0.01)
    pytest.fail("the other process adds nothing")


@pytest.mark.parametrize("seconds", [0.0, 0.08, 0.17, 0.26, 0.5])
def test_a_killed_run_loses_nothing_and_the_next_one_completes_it(store: Store, folder: Path, seconds: float) -> None:
    with indexing(folder) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
    kept = store.library.papers() if store.built else ()
    assert kept == tuple(PAPERS[: len(kept)])
    embedder = FakeEmbedder()
    report = index(store, PAPERS, embedder)
    assert (report.new, report.same) == (len(PAPERS) - len(kept), len(kept))
    assert store.library.papers() == tuple(PAPERS)
    assert [find(store, paper) for paper in PAPERS] == [paper.id for paper in PAPERS]


def test_a_run_that_is_interrupted_keeps_each_batch(store: Store, folder: Path) -> None:
    with indexing(folder) as process:
        wait_for_papers(store, AT_ONCE)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    kept = store.library.count_papers()
    assert kept >= AT_ONCE
    assert kept % AT_ONCE == 0
    assert find(store, PAPERS[5]) == "p5"
    assert index(store, PAPERS).same == kept


def test_a_second_writer_is_refused_while_readers_go_on(store: Store, folder: Path) -> None:
    with indexing(folder) as process:
        wait_for_papers(store, AT_ONCE)
        started = time.perf_counter()
        with pytest.raises(StoreBusy, match=str(process.pid)):
            index(store, PAPERS)
        assert time.perf_counter() - started < 1
        assert find(store, PAPERS[5]) == "p5"
        output, errors = process.communicate(timeout=60)
        assert (output, errors) == ("done\n", "")
    assert store.library.papers() == tuple(PAPERS)
    assert [find(store, paper) for paper in PAPERS[::10]] == [paper.id for paper in PAPERS[::10]]


ASK = """
import os, sys; from pathlib import Path
from assistant.errors import StoreError
from assistant.store import open_store
from tests.test_store import find, index, PAPERS
Path("/").as_uri()  # imports what the next user may not be allowed to read
if os.getuid() == 0:  # root may write anywhere
    os.setgid(65534); os.setuid(65534)
with open_store(Path(sys.argv[1])) as store:
    assert not os.access(store.folder, os.W_OK)
    print(find(store, PAPERS[7]), store.library.count_papers(), store.library.match(("m7x",), 1)[0].paper_id)
    try:
        index(store, PAPERS)
    except StoreError as error:
        print(error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """Give a folder that any user of the machine can read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs users and their rights")
def test_a_folder_that_cannot_be_written_to_answers_and_refuses_to_index(public: Path) -> None:
    with contextlib.closing(open_store(public / "store")) as store:
        index(store, PAPERS[:20])
    for path in (public / "store", *(public / "store").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(path.name for path in (public / "store").rglob("*"))
    command = [sys.executable, "-c", ASK, str(public / "store")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    answer, refusal = ran.stdout.splitlines() or ("", ran.stderr)
    assert answer == "p7 20 p7"
    assert refusal.startswith(f"The store {public / 'store'} cannot be written to, writer.lock: Permission denied; let")
    assert sorted(path.name for path in (public / "store").rglob("*")) == before


def test_a_paper_of_any_words_goes_through_the_whole_store(store: Store) -> None:
    papers = [make_paper("ü/1", "Ünïcode 数据 \U0001f426 \0 $\\alpha$ <b>&amp;</b>. Done."), make_paper("#", "x")]
    index(store, papers)
    assert store.library.papers() == tuple(papers)
    assert find(store, papers[0]) == "ü/1"


def test_a_setting_of_spaces_names_no_folder(place: Path) -> None:
    assert locate_store(" ", "  ") == locate_store(None, "")


@pytest.mark.parametrize("name", ["~nosuchuser/x", "x" * 300, "~/" + "y" * 300 + "/store"])
def test_a_store_that_can_be_nowhere_is_named_in_one_line(name: str) -> None:
    for locate in (lambda: locate_store(name), lambda: locate_store(None, name)):
        with pytest.raises(StoreError) as raised:
            locate()
        assert name.rsplit("/", maxsplit=1)[-1] in str(raised.value)
        assert "--store" in str(raised.value)
        assert "\n" not in str(raised.value)
