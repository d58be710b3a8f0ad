"""Asks a running `assistant serve` as many users do, and says how it bears it.

    python benchmarks/serving.py [--seconds 60] [--users 50] [--answers 2000] [--questions FILE.jsonl] [--json OUT]

The server is a process of its own, without a model, over the papers that come with the assistant; users ask the next
question when the answer to the last one is there. --questions are lines of JSON with a "question": none may be answered
by an error of the server, or with a control character that is not escaped.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

JOINS = 500
SECONDS_OF_JOINS = 2.0
WARM_UP = 200
QUESTIONS = (
    "What is TabFlex?",
    "Which papers prune language models?",
    "How long does TabFlex need for the poker-hand dataset?",
    "Which methods speed up attention?",
    "Compare linear attention and sparse attention.",
    "Which papers are about graphs?",
    "What is known about quantization?",
    "Who won the world cup in 1954?",
)
Figures = dict[str, float | int | str]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question: the status and the seconds until the answer was whole."""

    status: int
    seconds: float


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """Run a server over a new store; give its address and its process id."""
    command = [sys.executable, "-m", "assistant", "serve", "--port", "0", "--store", str(folder)]
    with (
        (folder.parent / "log.jsonl").open("w", encoding="utf-8") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=dict(os.environ)) as child,
    ):
        assert child.stdout is not None
        line = child.stdout.readline()
        try:
            yield line[line.index("http") :].split()[0].strip("/,"), child.pid
        finally:
            child.send_signal(signal.SIGTERM)


async def ask(url: str, question: str) -> Asked:
    """Ask one question, on a connection of its own.

    Written by hand: with hundreds of connections a client library is slower than the server that it measures.
    """
    started = time.perf_counter()
    host, port = url.removeprefix("http://").split(":")
    body = json.dumps({"question": question}).encode()
    head = f"POST /api/ask HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    reply = await reader.read()
    writer.close()
    return Asked(int(reply.split(b" ", 2)[1]), time.perf_counter() - started)


async def use(url: str, number: int, until: float) -> list[Asked]:
    """Ask one question after the other until the time is over."""
    asked = []
    while time.perf_counter() < until:
        asked.append(await ask(url, QUESTIONS[(number + len(asked)) % len(QUESTIONS)]))
    return asked


async def use_together(url: str, users: int, seconds: float) -> list[Asked]:
    """Let users ask side by side."""
    until = time.perf_counter() + seconds
    parts = await asyncio.gather(*(use(url, number, until) for number in range(users)))
    return [asked for part in parts for asked in part]


async def join_together(url: str, joins: int, seconds: float) -> list[Asked]:
    """Ask very many questions within a short time, whether they are answered or not."""

    async def join(number: int) -> Asked:
        await asyncio.sleep(number * seconds / joins)
        return await ask(url, QUESTIONS[number % len(QUESTIONS)])

    return list(await asyncio.gather(*(join(number) for number in range(joins))))


def summarise(asked: Sequence[Asked]) -> Figures:
    """Return counts by status and the seconds of the answers that came."""
    served = sorted(each.seconds for each in asked if each.status == 200)
    busy = sorted(each.seconds for each in asked if each.status == 503)
    counts = Counter(each.status for each in asked)
    return {
        "asked": len(asked),
        "answered": counts[200],
        "busy": counts[503],
        "errors": sum(count for status, count in counts.items() if status not in {200, 503}),
        "p50": round(served[len(served) // 2], 3),
        "p95": round(served[int(len(served) * 0.95)], 3),
        "slowest": round(served[-1], 3),
        "slowest busy": round(busy[-1], 3) if busy else 0,
    }


def measure_growth(url: str, process: int, answers: int) -> Figures:
    """Return by how many MB the server grew over so many answers, after a warm-up."""
    asyncio.run(ask_in_turn(url, WARM_UP))
    before = read_memory(process)
    asyncio.run(ask_in_turn(url, answers))
    return {"answers": answers, "MB before": before, "MB grown": round(read_memory(process) - before, 1)}


async def ask_in_turn(url: str, answers: int) -> None:
    """Ask questions, four at a time."""

    async def some(first: int) -> None:
        for number in range(first, answers, 4):
            await ask(url, f"{QUESTIONS[number % len(QUESTIONS)]} {number}")

    await asyncio.gather(*(some(first) for first in range(4)))


def read_memory(process: int) -> float:
    """Return the MB that a process holds (Linux)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return round(int(status.split("VmRSS:")[1].split()[0]) / 1024, 1)


def ask_hostile(url: str, path: Path) -> Figures:
    """Return what came of the questions of a file, asked as JSON and as a stream."""
    lines = path.read_text(encoding="utf-8").split("\n")
    questions = [json.loads(line)["question"] for line in lines if line.strip()]
    failures = raw = 0
    with httpx.Client(base_url=url, timeout=60) as client:
        for question in questions:
            for stream in (False, True):
                body = json.dumps({"question": question, "stream": stream})
                reply = client.post("/api/ask", content=body, headers={"Content-Type": "application/json"})
                failures += reply.status_code >= 500 or "event: error" in reply.text
                raw += not reply.text.replace("\n", "").isprintable()
    return {"questions": len(questions), "asked": 2 * len(questions), "failures": failures, "raw characters": raw}


def main() -> None:
    """Measure what the arguments ask for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--answers", type=int, default=2_000)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "store") as (url, process):
        asyncio.run(ask_in_turn(url, 8))
        one = asyncio.run(use_together(url, 1, 5))
        figures["one user"] = summarise(one)
        figures[f"{given.users} users, {given.seconds:.0f} s"] = summarise(
            asyncio.run(use_together(url, given.users, given.seconds))
        )
        figures[f"{JOINS} joins in {SECONDS_OF_JOINS:.0f} s"] = summarise(
            asyncio.run(join_together(url, JOINS, SECONDS_OF_JOINS))
        )
        figures["memory"] = measure_growth(url, process, given.answers)
        if given.questions:
            figures["hostile questions"] = ask_hostile(url, given.questions)
    for name, row in figures.items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in row.items()))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
