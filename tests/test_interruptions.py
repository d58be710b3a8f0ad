"""What was acknowledged is there after any end of an ingest, finds itself, and is not embedded again."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(module: str, *arguments: object) -> list[str]:
    """Run one of the modules that fork and kill; return what it printed."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


def test_an_ingest_that_is_stopped_before_or_after_any_write_loses_nothing(place: Path) -> None:
    # Each eleventh of some 300 writes, which is another kind in each batch; benchmarks/crashes.py has all.
    lines = run("tests.stopping", place, 11)
    assert int(lines[-1]) >= 25
    assert lines[:-1] == []


def test_kills_at_random_points_lose_nothing_and_leave_nothing_unfindable(place: Path) -> None:
    lines = run("tests.killing", place, 12, 7)
    assert lines[-1].startswith("12 kills")
    assert lines[:-1] == []


def test_two_processes_that_write_by_turns_lose_nothing(place: Path) -> None:
    lines = run("tests.sharing", place, 2, 20)
    assert lines == ["2 rounds of 2 x 20 batches: 0 lost, 0 unfindable"]
