"""Whether the current generation may be opened: its files are looked at first.

Where the last writer was killed, or a reader died while it opened the index, it is opened and searched in a
process of its own before: what is damaged may take the process down, or never come back.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from assistant.errors import StoreBusy, StoreError
from assistant.store.generation import Generation, read_current, withdraw
from assistant.store.lock import Held, read_work, write_lock
from assistant.store.opening import find_dead, forget
from assistant.store.reaching import explain_refusal
from assistant.store.seal import find_changed, find_fault

OPENING_LIMIT = 30.0
"""Seconds; an index of 100,000 papers opens in 2."""
_TRIAL = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from assistant.store.trial import try_index; sys.exit(try_index(sys.argv[2]))"
)


def screen(store: Path, generation: Generation) -> str | None:
    """Return why the current generation may not be opened, empty if it may, None while nobody knows.

    A faulty one is withdrawn, so that it is looked at once. Raises StoreForbidden where it may not be read.
    """
    fault, work = look_at(store, generation), read_work(store)
    if not fault and work == "checking":
        return None
    if not fault and work != "broken off" and not find_dead(generation.locate(store)):
        return ""
    try:
        with write_lock(store) as held:
            return examine(store, generation, held)
    except StoreBusy:
        return fault or None
    except StoreError:
        # The lock is not for this user to take: it is looked at all the same, and stays as it is.
        return fault or try_thoroughly(store, generation)


def examine(store: Path, generation: Generation, held: Held) -> str:
    """Look at the current generation as the writer, and withdraw it for the fault that is returned.

    Raises StoreForbidden where it may not be read.
    """
    fault, dead = look_at(store, generation), find_dead(generation.locate(store))
    if not fault and (held.broken_off or dead):
        fault = try_thoroughly(store, generation)
    if fault and read_current(store) == generation:
        withdraw(store)
    forget(dead)
    held.settle()
    return fault


def condemn(store: Path, generation: Generation) -> None:
    """Withdraw a generation that turned out to be faulty, unless somebody is writing."""
    try:
        with write_lock(store) as held:
            if read_current(store) == generation:
                withdraw(store)
            held.settle()
    except StoreError:
        return


def look_at(store: Path, generation: Generation) -> str:
    """Return in words what is wrong with a generation as far as it shows from outside, empty if nothing is.

    Raises StoreForbidden where it may not be read.
    """
    installed = version("chromadb")
    if generation.chroma != installed:
        return f"it was written by Chroma {generation.chroma or '?'}, and this is {installed}"
    try:
        return find_fault(generation.locate(store), generation.seal)
    except PermissionError as error:
        raise explain_refusal(store, error) from error


def try_thoroughly(store: Path, generation: Generation) -> str:
    """Compare every byte of the current generation, then open it in a process of its own; return what is wrong."""
    try:
        return find_changed(generation.locate(store), generation.seal) or try_opening(store)
    except PermissionError as error:
        raise explain_refusal(store, error) from error


def try_opening(store: Path, limit: float = OPENING_LIMIT) -> str:
    """Open and search the current generation in a process of its own; return what is wrong, empty if nothing."""
    # The package may be found by a path that holds in this folder only.
    places = [*filter(None, sys.path), str(Path(__file__).parents[2])]
    command = [sys.executable, "-c", _TRIAL, json.dumps(places), str(store)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not open within {limit:g} seconds"
    if ran.returncode < 0:
        return f"opening it kills the process with signal {-ran.returncode}"
    if ran.returncode:
        return (ran.stdout.strip() or ran.stderr.strip()).rpartition("\n")[2] or f"opening it fails, {ran.returncode}"
    return ""


def describe_fault(store: Path, generation: Generation, fault: str) -> str:
    """Return what a reader is told of an index that may not be opened."""
    return (
        f"The index {generation.locate(store)} is damaged ({fault}): the papers are all there and searched without it, "
        "and `assistant rebuild` builds it again."
    )
