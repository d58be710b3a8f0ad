"""Two processes write to one store by turns, each batch against the other's lock.

python -m tests.sharing FOLDER ROUNDS BATCHES
"""

import os
import sys
import time
from pathlib import Path

import chromadb  # noqa: F401  imported once, before the forks

from assistant import indexing
from assistant.chunking import PASSAGE_SIZE
from assistant.errors import StoreBusy
from assistant.models.splitter import split_long
from assistant.store import open_store
from tests.fakes import FakeEmbedder
from tests.killing import count_unfindable
from tests.records import make_numbered
from tests.stopping import fork

PAPERS = 5


def write(folder: Path, first: int, batches: int) -> None:
    """Index batches of papers, waiting for the other process as a person would; each fourth rebuilds the index."""
    embedder = FakeEmbedder()
    for number in range(batches):
        papers = make_numbered(PAPERS, first=first + PAPERS * number)
        while True:
            try:
                with open_store(folder) as store, store.writer(embedder, PASSAGE_SIZE) as writer:
                    indexing.index_papers(papers, writer.catalogue, embedder, split_long)
                    if number % 4 == 0:
                        writer.rebuild_index()
                break
            except StoreBusy:
                time.sleep(0.01)


def look(folder: Path, batches: int) -> None:
    """Check that each paper of both is there and finds itself."""
    expected = {paper for first in (0, 10_000) for paper in make_numbered(PAPERS * batches, first=first)}
    with open_store(folder) as store:
        papers = store.library.papers()
        assert set(papers) == expected, f"lost {len(expected - set(papers))}"
        assert not count_unfindable(store, papers), f"{count_unfindable(store, papers)} unfindable"
        assert not store.take_notices()


def main(root: Path, rounds: int, batches: int) -> None:
    """Let two processes write in as many rounds as asked, each into a store of its own."""
    failed = 0
    for number in range(rounds):
        folder = root / f"round-{number}"
        children = []
        for first in (0, 10_000):
            child = os.fork()
            if child == 0:
                os._exit(fork(lambda first=first, folder=folder: write(folder, first, batches)))  # type: ignore[misc]
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        failed += any(codes)
        failed += bool(fork(lambda folder=folder: look(folder, batches)))  # type: ignore[misc]
    if failed:
        print(f"FAILED: {failed} of {rounds} rounds")
    else:
        print(f"{rounds} rounds of 2 x {batches} batches: 0 lost, 0 unfindable")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
