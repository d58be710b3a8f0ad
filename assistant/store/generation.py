"""Generations of the index: each is built once in a folder of its own and never changed.

`current` names the one that serves. It is replaced when the next is whole and on the disk; then older
folders go, except those that a reader holds.
"""

import json
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from assistant.store.disk import replace_text
from assistant.store.folders import find_folders, put_aside, remove_unheld
from assistant.store.meta import State
from assistant.store.seal import Seal, load_seal, seal_folder
from assistant.store.system import sync

POINTER = "current"


@dataclass(frozen=True, slots=True)
class Generation:
    """An index over the passages of one library with ids up to `last_passage`, as it was at a revision.

    `missed` are those that are in it and that it does not find; `seal` is what its files must be like, `chroma`
    the version that wrote them.
    """

    number: int
    library: str
    last_passage: int
    passages: int
    missed: tuple[int, ...] = ()
    revision: int = 0
    chroma: str = ""
    seal: Seal = ()

    def locate(self, store: Path) -> Path:
        """Return the generation's folder."""
        return store / f"index-{self.number}"


def read_current(store: Path) -> Generation | None:
    """Return the generation that `current` names, be it there or not; None where it names none."""
    try:
        if not (store / POINTER).is_file():  # reading a pipe never ends
            return None
        fields = json.loads((store / POINTER).read_text(encoding="utf-8"))
        numbers = (int(fields["number"]), str(fields["library"]), int(fields["last_passage"]), int(fields["passages"]))
        missed = tuple(int(id) for id in fields["missed"])
        return Generation(*numbers, missed, int(fields["revision"]), str(fields["chroma"]), load_seal(fields["seal"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def serves(generation: Generation, state: State) -> bool:
    """Return whether a generation is of this library, and not of what it became elsewhere or later."""
    return generation.library == state.library and generation.revision <= state.revision


def publish(store: Path, generation: Generation) -> Generation:
    """Make a finished generation the current one, for good, remove the others and return it sealed."""
    folder = generation.locate(store)
    for path in (*folder.rglob("*"), folder, store):
        sync(path)
    sealed = replace(generation, chroma=version("chromadb"), seal=seal_folder(folder))
    replace_text(store / POINTER, json.dumps(asdict(sealed)))
    remove_others(store, sealed)
    return sealed


def withdraw(store: Path) -> None:
    """Let no generation serve: all passages are searched exactly until the next is built."""
    (store / POINTER).unlink(missing_ok=True)
    sync(store)


def clear_pointer(store: Path) -> tuple[str, ...]:
    """Put aside folders that stand in the place of `current`; return what to tell of it, a line each."""
    kept = {store / name: put_aside(store / name) for name in (POINTER, f"{POINTER}.new")}
    return tuple(
        f"{path} was a folder, where a file of the store belongs: it is kept as {new}."
        for path, new in kept.items()
        if new
    )


def remove_others(store: Path, kept: Generation | None) -> None:
    """Remove the generations that are not current, unfinished ones too, unless a reader holds them."""
    (store / f"{POINTER}.new").unlink(missing_ok=True)
    for number, folder in find_folders(store):
        if kept is None or number != kept.number:
            remove_unheld(folder)


def next_number(store: Path) -> int:
    """Return a number that no generation has, be it current, unfinished or still read.

    Chroma does not open a folder a second time in a process in which it could not open it once.
    """
    current = read_current(store)
    numbers = [number for number, _ in find_folders(store)]
    return max((*numbers, current.number if current else 0)) + 1
