"""Uses a store in every way and prints, as JSON, how each ended.

    python -m tests.unreadable STORE BACKUP

Run it as somebody who may not read a part of the store.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from assistant import Assistant
from assistant.settings import Settings
from assistant.store import audit, screening, trial
from tests.fakes import FakeEmbedder


def list_uses(assistant: Assistant, backup: Path, papers: Path) -> dict[str, Callable[[], object]]:
    """Return every way in which a store is used, by name."""
    return {
        "status": assistant.status,
        "built": lambda: assistant.built,
        "ask": lambda: assistant.ask("What does method m7x beat?"),
        "papers": assistant.papers,
        "check": assistant.check,
        "backup": lambda: assistant.backup(backup.with_name("another.backup")),
        "index": lambda: assistant.index([papers]),
        "repair": assistant.repair,
        "rebuild": assistant.rebuild,
        "restore": lambda: assistant.restore(backup),
        "replace": lambda: assistant.replace(backup),
    }


NAMES = ("status", "built", "ask", "papers", "check", "backup", "index", "repair", "rebuild", "restore", "replace")


def use(store: Path, backup: Path) -> dict[str, tuple[str, str]]:
    """Return, by the name of each use, the class of what was raised and its text; of a status, what is wrong."""
    papers = backup.with_name("more.txt")
    ends: dict[str, tuple[str, str]] = {}
    for name in NAMES:
        try:
            with Assistant(store, settings=Settings(languages="off"), embedder=FakeEmbedder()) as assistant:
                found = list_uses(assistant, backup, papers)[name]()
            ends[name] = ("", getattr(found, "fault", ""))
        except Exception as error:
            ends[name] = (type(error).__name__, str(error))
    return ends


if __name__ == "__main__":
    # An index is tried here: a process for each trial would take a second.
    audit.try_opening = screening.try_opening = lambda store, limit=0.0: trial.find_fault(store)
    print(json.dumps(use(Path(sys.argv[1]), Path(sys.argv[2]))))
