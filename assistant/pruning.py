"""Which papers are gone from where they were read: what `assistant index --prune` removes."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.corpus.entry import WITHOUT_ABSTRACT
from assistant.corpus.files import show
from assistant.domain import Skipped
from assistant.ports import Sighting

Exists = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Looked:
    """Where papers were looked for: the files that were read whole and the folders named, by their full paths."""

    collection: str
    files: frozenset[str]
    folders: tuple[str, ...]
    unread: tuple[Skipped, ...]


def look(
    paths: Iterable[str | Path], found: Sequence[Path | Skipped], skipped: Sequence[Skipped], collection: str
) -> Looked:
    """Return where papers were looked for; of a file that was not read whole nothing is known to be gone."""
    files = [file for file in found if isinstance(file, Path)]
    faults = {show(file): fault for file in files if (fault := _find_fault(show(file), skipped))}
    whole = frozenset(os.path.realpath(file) for file in files if show(file) not in faults)
    folders = tuple(os.path.realpath(path) for path in paths if Path(path).is_dir())
    unread = tuple(Skipped(place, f"nothing of it is pruned, since it was not read whole ({fault})", 0)
                   for place, fault in faults.items())  # fmt: skip
    return Looked(collection, whole, folders, unread)


def find_gone(
    known: Sequence[Sighting], seen: Collection[Sighting], looked: Looked, exists: Exists = os.path.exists
) -> tuple[Sighting, ...]:
    """Return which sightings hold no more: of papers that their file has lost, and of files that are gone."""
    here = {(sighting.paper_id, sighting.origin.path) for sighting in seen}
    ours = [sighting for sighting in known if sighting.origin.path and sighting.origin.collection == looked.collection]
    paths = {sighting.origin.path for sighting in ours} - looked.files
    lost = {path for path in paths if not exists(path)}
    gone = {path for path in lost if any(_is_within(path, folder) for folder in looked.folders)}
    left = gone | looked.files | _find_moved(ours, {id for id, _ in here}, lost, looked)
    return tuple(one for one in ours if one.origin.path in left and (one.paper_id, one.origin.path) not in here)


def find_homeless(known: Iterable[Sighting], gone: Collection[Sighting]) -> tuple[str, ...]:
    """Return the ids of the papers that are nowhere else."""
    dropped = set(gone)
    papers: dict[str, bool] = {}
    for sighting in known:
        papers[sighting.paper_id] = papers.get(sighting.paper_id, False) or sighting not in dropped
    return tuple(id for id, kept in papers.items() if not kept)


def _find_moved(ours: Sequence[Sighting], ids: Collection[str], lost: Collection[str], looked: Looked) -> set[str]:
    """Return the lost files that were read now from another place: of the same name, with most of their papers."""
    names = {Path(path).name for path in looked.files}
    candidates = {path for path in lost if Path(path).name in names}
    total: Counter[str] = Counter()
    met: defaultdict[str, int] = defaultdict(int)
    for sighting in ours:
        if sighting.origin.path in candidates:
            total[sighting.origin.path] += 1
            met[sighting.origin.path] += sighting.paper_id in ids
    return {path for path in candidates if 2 * met[path] > total[path]}


def _find_fault(place: str, skipped: Iterable[Skipped]) -> str:
    """Return why a file was not read whole, empty if it was; a record without an abstract is none of ours."""
    for one in skipped:
        if one.place == place and one.records == 0:
            return one.reason
        at, _, line = one.place.rpartition(":")
        inside = one.place == place or (at == place and line.isdigit())
        if inside and one.records and one.reason not in WITHOUT_ABSTRACT:
            return f"{one.place}: {one.reason}" if one.place != place else one.reason
    return ""


def _is_within(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
