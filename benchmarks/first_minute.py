"""Times what a newcomer waits for: the help, indexing the seeds, an answer, the chat window.

    python benchmarks/first_minute.py [--runs 5] [--json OUT]

Each figure is the median of the runs, in seconds of wall clock of a whole process unless it says warm, and
stands beside a baseline of the same run: a Python process that does nothing, and the bare embedder.
"""

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from assistant import Assistant

QUESTION = "What is TabFlex?"
QUESTIONS = (
    QUESTION,
    "Which papers deal with spiking neural networks?",
    "Compare SpikF and Sorbet.",
    "By how much does H-Tuning cut memory?",
    "Who won the world cup?",
)


def run(*arguments: str) -> Callable[[], None]:
    """Return a call of the command line in a process of its own."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True) and None


def time_runs(call: Callable[[], object], runs: int) -> float:
    """Return the median seconds of a call."""
    return statistics.median(_time(call) for _ in range(runs))


def time_warm(store: Path, runs: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of a warm answer in one process."""
    with Assistant(store=store) as assistant:
        for question in QUESTIONS:
            assistant.ask(question)
        seconds = sorted(_time(lambda q=question: assistant.ask(q)) for _ in range(runs * 4) for question in QUESTIONS)
    return statistics.median(seconds), seconds[int(0.95 * (len(seconds) - 1))]


def time_embedder() -> float:
    """Return the seconds that the bare embedder needs for the passages and sentences of the seeds."""
    from assistant.chunking import PASSAGE_SIZE, chunk, passage_text
    from assistant.corpus import read_papers
    from assistant.domain import Paper
    from assistant.models.minilm import MiniLM
    from assistant.models.splitter import split_long
    from assistant.resources import data_folder

    embedder = MiniLM()
    read = [paper for file in sorted(data_folder("seeds").glob("*.txt")) for paper in read_papers(file)]
    texts = []
    for paper in (paper for paper in read if isinstance(paper, Paper)):
        passages, sentences = chunk(paper, PASSAGE_SIZE, embedder.count_pieces, split_long)
        texts += [passage_text(paper, passage) for passage in passages] + [sentence.text for sentence in sentences]
    return _time(lambda: embedder.embed(texts))


def time_chat(store: Path) -> float:
    """Return the seconds from the start of `assistant chat` to its first page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "assistant", "chat", "--store", str(store), "--port", str(port), "--no-browser"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while time.perf_counter() - start < 60:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read()
            except OSError:
                time.sleep(0.05)
            else:
                return time.perf_counter() - start
        raise SystemExit("the chat window did not come up in 60 s")
    finally:
        process.terminate()
        process.wait(10)


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measure, print a table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        figures = {"python -c pass": time_runs(run("-c", "pass"), given.runs)}
        figures["assistant --help"] = time_runs(run("-m", "assistant", "--help"), given.runs)
        figures["bare embedder over the seeds"] = time_embedder()
        figures["assistant index (seeds, new store)"] = _time(run("-m", "assistant", "index", "--store", str(store)))
        again = run("-m", "assistant", "index", "--store", str(store))
        figures["assistant index (nothing new)"] = time_runs(again, given.runs)
        ask = run("-m", "assistant", "ask", QUESTION, "--store", str(store))
        figures["assistant ask"] = time_runs(ask, given.runs)
        figures["warm answer, p50"], figures["warm answer, p95"] = time_warm(store, given.runs)
        figures["assistant chat, first page"] = time_runs(lambda: time_chat(store), min(3, given.runs))
    for name, seconds in figures.items():
        print(f"{name:38}{seconds:9.3f} s")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
