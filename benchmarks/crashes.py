"""Counts what a store loses when it is killed, damaged, shared and interrupted: nothing, it should say.

    python benchmarks/crashes.py [--kills 50] [--rounds 10] [--every 1] [--papers 10000]

Run from the root of the repository: it uses the programs of tests/ that fork and kill. Vectors are made up, so
that the store is measured and not the embedder.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper
from assistant.indexing import index_papers
from assistant.models.splitter import split_long
from assistant.ports import Vectors
from assistant.store import open_store
from assistant.store.lock import NAME as LOCK
from tests.fakes import make_paper

ROOT = Path(__file__).resolve().parents[1]
DIMENSION = 384


class Random:
    """Embeds a text as a vector that depends on nothing but the text."""

    name = "benchmark/random"
    digest = "1"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a random direction for each text."""
        rows = [np.random.default_rng(list(text.encode()[:64])).standard_normal(DIMENSION) for text in texts]
        return np.asarray([row / np.linalg.norm(row) for row in rows], dtype=np.float32)

    def count_pieces(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())


def make_papers(count: int, first: int = 0) -> list[Paper]:
    """Return papers of three sentences, each with words of its own."""
    return [
        make_paper(f"p{n}", f"m{n}x learns from corpus c{n}y. It beats rival r{n}z. It is the {n}th of its kind.")
        for n in range(first, first + count)
    ]


def ingest(folder: Path, papers: Sequence[Paper]) -> None:
    """Index papers, and build the index that is due."""
    embedder = Random()
    with open_store(folder) as store, store.writer(embedder, PASSAGE_SIZE) as writer:
        index_papers(papers, writer.catalogue, embedder, split_long)
        writer.refresh_index()


def time_search(folder: Path, paper: Paper) -> float:
    """Return the seconds until a store that was closed has found a paper."""
    started = time.perf_counter()
    with open_store(folder) as store:
        store.check(Random(), PASSAGE_SIZE)
        (hit,) = store.index.search(Random().embed([f"{paper.abstract}"])[0], 1)
        if hit.paper_id != paper.id:
            raise SystemExit(f"{paper.id} was not found")
    return time.perf_counter() - started


def time_child(call: Callable[[], object]) -> float:
    """Return the seconds that a call takes in a process of its own, with all that has to be imported for it."""
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        call()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("it failed")
    return time.perf_counter() - started


def measure_restart(folder: Path, papers: int) -> dict[str, float]:
    """Return the seconds of an index run, of opening a clean store, and of opening one whose writer was killed."""
    made = make_papers(papers)
    figures = {f"index {papers:,} papers, vectors made up": time_child(lambda: ingest(folder, made))}
    clean = [time_child(lambda: time_search(folder, made[7])) for _ in range(5)]
    figures["first search of a process, clean store"] = statistics.median(clean)
    child = os.fork()
    if child == 0:
        ingest(folder, make_papers(5_000, first=papers))
        os._exit(0)
    time.sleep(3)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not (folder / LOCK).read_text():
        raise SystemExit("the ingest had ended before the kill")
    figures["first search of a process, writer killed"] = time_child(lambda: time_search(folder, made[7]))
    figures["the next one"] = time_child(lambda: time_search(folder, made[7]))
    return figures


def run(module: str, *arguments: object) -> None:
    """Run one of the programs of tests/ and print what it says."""
    started = time.perf_counter()
    command = [sys.executable, "-m", module, *map(str, arguments)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(f"{module}: {ran.stdout.strip() or ran.stderr.strip()} ({time.perf_counter() - started:.0f} s)", flush=True)


def main() -> None:
    """Measure and print, a figure a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--papers", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, seconds in measure_restart(Path(folder) / "store", given.papers).items():
            print(f"{name}: {seconds:.2f} s", flush=True)
    for module, *arguments in (
        ("tests.killing", given.kills, 1),
        ("tests.sharing", given.rounds, 20),
        ("tests.stopping", given.every),
    ):
        with tempfile.TemporaryDirectory() as folder:
            run(module, folder, *arguments)


if __name__ == "__main__":
    main()
