"""Stops a small ingest before each of its writes, one after the other, and looks at what is left.

    python -m tests.stopping FOLDER [EVERY]

Every write goes through a wrapper that ends the process, as a kill would, at write number n. It runs in
processes forked from this one, which has imported all that is slow. The last line printed is the number of
places at which it was stopped; each failure is a line before it.
"""

import os
import sqlite3
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chromadb.api.models.Collection import Collection

from assistant import indexing
from assistant.chunking import PASSAGE_SIZE
from assistant.models.splitter import split_long
from assistant.store import open_store, screening, trial
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder
from tests.records import make_numbered

STOPPED = 9
FINISHED = 0
OLD, NEW = make_numbered(3), make_numbered(6, first=100)
_STATEMENTS = ("BEGIN", "COMMIT", "INSERT INTO papers", "PRAGMA", "UPDATE meta", "INSERT INTO meta")
_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "shutil.rmtree"}


class Stop:
    """Ends the process at the n-th write that concerns a folder."""

    def __init__(self, folder: Path, at: int) -> None:
        self._folder = str(folder)
        self._left = at

    def count(self) -> None:
        self._left -= 1
        if self._left < 0:
            os._exit(STOPPED)

    def watch(self, event: str, arguments: tuple[object, ...]) -> None:
        """Count what Python is about to change on the disk."""
        path = str(arguments[0]) if arguments else ""
        writes = event == "open" and len(arguments) > 2 and isinstance(arguments[2], int) and arguments[2] & 3
        if (event in _CHANGES or writes) and path.startswith(self._folder):
            self.count()

    def around(self, call: Callable[..., object]) -> Callable[..., object]:
        """Return the call with a stop before it and one after it."""

        def counted(*arguments: object, **named: object) -> object:
            self.count()
            result = call(*arguments, **named)
            self.count()
            return result

        return counted

    def install(self) -> None:
        """Put the wrapper around every write of this process."""
        sys.addaudithook(self.watch)
        for name in ("write", "ftruncate", "fsync"):
            setattr(os, name, self.around(getattr(os, name)))
        for name in ("upsert", "modify"):
            setattr(Collection, name, self.around(getattr(Collection, name)))
        connect, stop = sqlite3.connect, self

        class Watched(sqlite3.Connection):
            def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
                if not sql.startswith(_STATEMENTS):
                    return super().execute(sql, *rest)  # type: ignore[arg-type]
                return stop.around(super().execute)(sql, *rest)  # type: ignore[return-value]

            def executescript(self, sql: str) -> sqlite3.Cursor:
                return stop.around(super().executescript)(sql)  # type: ignore[return-value]

        sqlite3.connect = lambda *given, **named: connect(*given, factory=Watched, **named)  # type: ignore[assignment]


def ingest(folder: Path, log: Path) -> None:
    """Index in three batches, build the index anew, and write down outside the store what was acknowledged."""
    embedder = FakeEmbedder()
    with open_store(folder) as store, store.writer(embedder, PASSAGE_SIZE) as writer, log.open("a") as acknowledged:
        add = writer.catalogue.add
        for papers in (NEW[:2], NEW[2:4], NEW[4:]):
            indexing.index_papers(papers, writer.catalogue, embedder, split_long)
            acknowledged.write("".join(f"{paper.id}\n" for paper in papers))
            acknowledged.flush()
        assert add == writer.catalogue.add
        writer.refresh_index()
        if OLD[0] in writer.catalogue.papers():
            writer.rebuild_index()


def look(folder: Path, log: Path) -> None:
    """Check that what was acknowledged is there and finds itself, and that the same ingest completes the rest."""
    expected = {*OLD, *NEW} if folder.name.startswith("old") else set(NEW)
    acknowledged = set(log.read_text().split()) if log.exists() else set()
    with open_store(folder) as store:
        kept = store.library.papers() if store.built else ()
        assert acknowledged <= {paper.id for paper in kept}, f"lost {acknowledged - {paper.id for paper in kept}}"
        assert all(_finds(store.index, paper.id, paper.abstract) for paper in kept), "unfindable before"
        assert not store.take_notices(), "a notice without damage"
        embedder = FakeEmbedder()
        with store.writer(embedder, PASSAGE_SIZE) as writer:
            report = indexing.index_papers(NEW, writer.catalogue, embedder, split_long)
            writer.refresh_index()
        assert report.same == len(set(kept) & set(NEW)), "embedded again"
        assert embedder.embedded == report.embedded + 3, "embedded more than what was missing and the probes"
        assert set(store.library.papers()) == expected, "not completed"
        assert all(_finds(store.index, paper.id, paper.abstract) for paper in expected), "unfindable after"
        names = {path.name for path in folder.iterdir()} - {NAME, f"{NAME}-wal", f"{NAME}-shm"}
        assert len(names) == 3, f"left over: {names}"


def _finds(index: object, id: str, text: str) -> bool:
    hits = index.search(FakeEmbedder().embed([text])[0], 1)  # type: ignore[attr-defined]
    return bool(hits[0].paper_id == id)


def fork(call: Callable[[], None]) -> int:
    """Run a call in a process of its own and return its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        call()
        code = FINISHED
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    finally:
        os._exit(code)


def try_point(root: Path, kind: str, at: int) -> int:
    """Stop one ingest at one write, look at what is left, and return how the ingest ended."""
    folder, log = root / f"{kind}-{at}", root / f"{kind}-{at}.log"
    if kind == "old":
        fork(lambda: _prepare(folder))

    def stopped() -> None:
        Stop(folder, at).install()
        ingest(folder, log)

    ended = fork(stopped)
    if fork(lambda: look(folder, log)) or ended not in {STOPPED, FINISHED}:
        print(f"FAILED: {kind} store, stopped at write {at}", flush=True)
    return ended


def _prepare(folder: Path) -> None:
    with open_store(folder) as store, store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
        indexing.index_papers(OLD, writer.catalogue, FakeEmbedder(), split_long)
        writer.refresh_index()


def main(root: Path, every: int) -> None:
    """Stop at every n-th write, into a new store and into one with an index, until an ingest gets to its end."""
    # The trial of an index needs no process of its own here: each look is one.
    screening.try_opening = lambda store, limit=0: trial.find_fault(store)
    indexing.AT_ONCE = 2
    points = 0
    with ThreadPoolExecutor(2) as pool:
        for kind in ("new", "old"):
            first = 0
            while True:
                places = range(first, first + 16 * every, every)
                ends = list(pool.map(lambda at, kind=kind: try_point(root, kind, at), places))
                points += ends.count(STOPPED)
                first = places.stop
                if FINISHED in ends:
                    break
    print(points)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
