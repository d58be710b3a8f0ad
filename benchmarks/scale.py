"""Measures what a large store costs: to build, to open, to ask, to check, in seconds, memory and disk.

    python benchmarks/scale.py --corpus corpus.jsonl --size 100000 [--json OUT] [--keep DIR]

The library is made as in speed.py: copies of the corpus's abstracts with other words, and perturbed vectors.
Each figure is of a process of its own, started one after the other.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from speed import BATCH, make_papers, perturb, time_embedding

from assistant.chunking import PASSAGE_SIZE
from assistant.models.minilm import MiniLM
from assistant.ports import Record, Vectors
from assistant.store import open_store

ROOT = Path(__file__).parent.parent
EMBEDDED = 300
SPREAD = 50_000
FILLED = "the library, without the embedder"
QUESTION = "Which methods prune language models without training them again?"
BUILD = (
    "import sys; from pathlib import Path; from assistant.store import open_store\n"
    "with open_store(Path(sys.argv[1])) as store, store.caretaker() as writer: writer.rebuild_index()"
)
TWICE = (
    "import sys, time; from assistant import Assistant\n"
    "with Assistant(sys.argv[1]) as assistant:\n"
    "    assistant.ask(sys.argv[2]); start = time.perf_counter(); assistant.ask(sys.argv[2])\n"
    "    print(time.perf_counter() - start)"
)


def fill(corpus: Path, size: int, folder: Path) -> float:
    """Write so many papers into a new library, without an index; return the seconds of the library's part."""
    papers, embedder = make_papers(corpus, size), MiniLM()
    models, _ = time_embedding(papers[:EMBEDDED], embedder)
    spread = [replace(models[0], passage_vectors=mix(models, SPREAD))]
    spent = 0.0
    with open_store(folder) as store, store.writer(embedder, PASSAGE_SIZE) as writer:
        rest = perturb(papers[len(models) :], [*models, *spread], embedder)
        batch = list(models)
        while batch:
            start = time.perf_counter()
            writer.catalogue.add(batch)
            spent += time.perf_counter() - start
            batch = [record for record, _ in zip(rest, range(BATCH), strict=False)]
    return spent


def mix(models: Sequence[Record], count: int) -> Vectors:
    """Return vectors between those of embedded passages: copies of a few would be islands, which no corpus is."""
    known = np.concatenate([record.passage_vectors for record in models])
    chance = np.random.default_rng(1)
    rows = sum(known[chance.integers(0, len(known), count)] * chance.random((count, 1)) for _ in range(4))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def measure(*command: str) -> tuple[float, float, float, str]:
    """Run a process; return its seconds, CPU seconds, MB at its height, and what it printed."""
    start = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ASSISTANT_LANGUAGES": "off"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert child.stdout
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print(f"{' '.join(command[:4])} ended with {child.returncode}: {printed[-300:]}", file=sys.stderr)
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed


def measure_size(corpus: Path, size: int, folder: Path) -> dict[str, tuple[float, ...]]:
    """Return seconds, CPU seconds and MB by what was done."""
    # A child starts with the memory of its parent, which is therefore kept small.
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        figures: dict[str, tuple[float, ...]] = {FILLED: (pool.submit(fill, corpus, size, folder).result(),)}
    print_figure(FILLED, figures[FILLED])
    python, assistant = [sys.executable, "-c"], [sys.executable, "-m", "assistant"]
    at = ["--store", str(folder)]
    steps = {
        "building the index": [*python, BUILD, str(folder)],
        "assistant --version": [*assistant, "--version"],
        "assistant status": [*assistant, "status", *at],
        "assistant ask": [*assistant, "ask", QUESTION, *at],
        "assistant ask, again": [*assistant, "ask", QUESTION, *at],
        "two questions in one process": [*python, TWICE, str(folder), QUESTION],
        "assistant check": [*assistant, "check", *at],
        "assistant backup": [*assistant, "backup", str(folder.parent / "b.backup"), *at],
    }
    for name, command in steps.items():
        *spent, printed = measure(*command)
        figures[name] = tuple(spent)
        print_figure(name, tuple(spent))
        if name.startswith("two"):
            figures["the second of them"] = (float(printed.split()[-1]),)
            print_figure("the second of them", figures["the second of them"])
    for name, files in {"library": folder.glob("library*"), "index": folder.glob("index-*/**/*")}.items():
        figures[f"disk: {name}, MB"] = (sum(file.stat().st_size for file in files if file.is_file()) / 1e6,)
        print_figure(f"disk: {name}, MB", figures[f"disk: {name}, MB"])
    return figures


def print_figure(name: str, figures: tuple[float, ...]) -> None:
    """Print one row."""
    print(f"{name:36}" + "".join(f"{figure:12.2f}" for figure in figures), flush=True)


def main() -> None:
    """Measure, print, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder for the store, which stays")
    given = parser.parse_args()
    print(f"{given.size:,} papers{'s':>22}{'CPU s':>12}{'peak MB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        figures = measure_size(given.corpus, given.size, (given.keep or Path(folder)) / "store")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
