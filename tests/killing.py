"""Kills an ingest at random points, again and again in one store, and looks at what is left.

    python -m tests.killing FOLDER KILLS SEED

Acknowledged papers are written down outside the store. Each failure is a line; the last one sums up.
"""

import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path

import chromadb  # noqa: F401  imported once, before the forks

from assistant import indexing
from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper
from assistant.models.splitter import split_long
from assistant.store import Store, open_store, screening, trial
from tests.fakes import FakeEmbedder
from tests.records import make_numbered
from tests.stopping import fork

PAPERS = 40
LONGEST = 0.9
"""Seconds: a little more than an ingest takes."""


def ingest(folder: Path, log: Path, number: int) -> None:
    """Index the papers of one round in batches of 8, rebuilding the index after each."""
    embedder = FakeEmbedder()
    with open_store(folder) as store, store.writer(embedder, PASSAGE_SIZE) as writer, log.open("a") as acknowledged:
        papers = make_numbered(PAPERS, first=1000 * number)
        for first in range(0, PAPERS, 8):
            indexing.index_papers(papers[first : first + 8], writer.catalogue, embedder, split_long)
            acknowledged.write("".join(f"{paper.id}\n" for paper in papers[first : first + 8]))
            acknowledged.flush()
            writer.rebuild_index()


def look(folder: Path, log: Path, number: int, in_another_process: bool) -> None:
    """Check what is left, and that the same ingest completes it."""
    if not in_another_process:
        screening.try_opening = lambda store, limit=0: trial.find_fault(store)
    acknowledged = set(log.read_text().split()) if log.exists() else set()
    with open_store(folder) as store:
        kept = store.library.papers() if store.built else ()
        lost = acknowledged - {paper.id for paper in kept}
        assert not lost, f"lost {lost}"
        assert not count_unfindable(store, kept), f"{count_unfindable(store, kept)} unfindable"
        papers, embedder = make_numbered(PAPERS, first=1000 * number), FakeEmbedder()
        with store.writer(embedder, PASSAGE_SIZE) as writer:
            report = indexing.index_papers(papers, writer.catalogue, embedder, split_long)
            writer.rebuild_index()
        assert report.same == len(set(papers) & set(kept))
        assert embedder.embedded == report.embedded + 3
        assert not count_unfindable(store, store.library.papers()), "unfindable after the next ingest"
        assert not store.take_notices()
    log.write_text("".join(f"{paper.id}\n" for paper in (*kept, *papers)))


def count_unfindable(store: Store, papers: tuple[Paper, ...]) -> int:
    """Return how many papers are not the first that their own words find."""
    vectors = FakeEmbedder().embed([paper.abstract for paper in papers]) if papers else ()
    found = (store.index.search(vector, 1)[0].paper_id for vector in vectors)
    return sum(id != paper.id for id, paper in zip(found, papers, strict=True))


def kill_once(folder: Path, log: Path, number: int, seconds: float) -> bool:
    """Kill one ingest after so many seconds; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        ingest(folder, log, number)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main(root: Path, kills: int, seed: int) -> None:
    """Kill as often as asked; an ingest that was faster than the kill does not count."""
    chance, done, number, slowest = random.Random(seed), 0, 0, 0.0
    folder, log = root / "store", root / "acknowledged.log"
    while done < kills:
        number += 1
        seconds = chance.uniform(0, LONGEST)
        done += kill_once(folder, log, number, seconds)
        started = time.perf_counter()
        # Most looks try the index in their own process: it is one of its own already, and that is quicker.
        if fork(partial(look, folder, log, number, number % 4 == 0)):
            print(f"FAILED after {seconds:.3f} s in round {number}", flush=True)
        slowest = max(slowest, time.perf_counter() - started)
    papers = len(log.read_text().split())
    print(f"{done} kills of {number} ingests, {papers} papers acknowledged, slowest look {slowest:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
