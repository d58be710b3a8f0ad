"""A thorough look at a store: is all there, does it fit together, and does each paper find itself?"""

from pathlib import Path

from assistant.errors import StoreDamaged, StoreError
from assistant.health import Finding
from assistant.store.building import search_missed
from assistant.store.contents import FILE, VECTORS, check_contents, find_file_fault
from assistant.store.foreign_writing import check_foreign
from assistant.store.generation import Generation, read_current, serves
from assistant.store.library import HIGHEST, SqliteLibrary
from assistant.store.reaching import reaching
from assistant.store.schema import NAME, choose_access
from assistant.store.screening import look_at, try_opening
from assistant.store.seal import find_changed

INDEX = "index"
_AT_ONCE = 1000


def audit(store: Path, library: SqliteLibrary) -> tuple[Finding, ...]:
    """Return what was found about each part of a store; of a library damaged as a file there is one finding."""
    file = Finding(FILE, find_file_fault(store / NAME))
    if file.fault:
        return (file,)
    try:
        findings = check_contents(store / NAME)
    except StoreDamaged as error:
        return (Finding(FILE, error.fault),)
    return (file, *findings, _check_index(store, library, findings), check_foreign(store))


def _check_index(store: Path, library: SqliteLibrary, findings: tuple[Finding, ...]) -> Finding:
    if any(finding.what == VECTORS and finding.fault for finding in findings):
        return Finding(INDEX, "it holds some of those vectors")
    try:
        with reaching(store):
            return Finding(INDEX, find_index_fault(store, library))
    except StoreError as error:
        return Finding(INDEX, error.fault)


def find_index_fault(store: Path, library: SqliteLibrary) -> str:
    """Return what is wrong with the index, every passage searched for by itself; empty if nothing is."""
    current, count = read_current(store), library.count_passages()
    if current is None or not serves(current, library.state()):
        return f"there is none, and {count} passages are searched without one" if count else ""
    folder = current.locate(store)
    fault = look_at(store, current) or find_changed(folder, current.seal)
    if fault or choose_access(store / NAME) != "mode=rw":
        return fault
    return try_opening(store) or _find_unreached(folder, library, current)


def _find_unreached(folder: Path, library: SqliteLibrary, current: Generation) -> str:
    known = [id for id in library.list_passages() if id <= current.last_passage]
    inside = sorted(set(known) - set(current.missed))
    parts = (
        library.read_passages(HIGHEST, also=inside[first : first + _AT_ONCE])
        for first in range(0, len(inside), _AT_ONCE)
    )
    try:
        missed = search_missed(folder, parts)
    except StoreError as error:
        return error.fault
    return f"{len(missed)} of {len(inside)} passages do not find themselves" if missed else ""
