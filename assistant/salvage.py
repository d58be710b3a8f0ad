"""Saves the papers of a library that is damaged as a file: a new one is made from all that can still be read."""

from collections.abc import Sequence
from contextlib import closing, suppress

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Show
from assistant.errors import StoreDamaged
from assistant.indexing import add_papers
from assistant.models.splitter import split_long
from assistant.ports import Embedder
from assistant.store import Store
from assistant.store.contents import find_file_fault
from assistant.store.copies import put_in_place_of_unread
from assistant.store.damage import describe_copy, describe_loss, find_newest_copy
from assistant.store.lock import write_lock
from assistant.store.manifest import check_fully, read_manifest
from assistant.store.remains import Remains, read_remains
from assistant.store.replacing import NAME as STAGING
from assistant.store.replacing import open_staging
from assistant.store.schema import NAME, read_version

SHOWN = 20
"""Lost papers that are named."""


def save_papers(store: Store, embedder: Embedder, show: Show) -> bool:
    """Put a new library with all papers that can be read in the place of a damaged one; return whether it was.

    The damaged one is kept beside. What is stopped leaves it where it is and goes on when it is called again.
    Raises StoreDamaged where no paper can be read, StoreMismatch where it was built with another embedder.
    """
    library = store.folder / NAME
    if not library.exists():
        return False
    with suppress(StoreDamaged):
        # One of a newer version is none of ours to mend.
        read_version(library)
    if not find_file_fault(library):
        return False
    store.library.close()
    with write_lock(store.folder):
        fault, remains = find_file_fault(library), read_remains(library)
        if not remains.papers:
            raise StoreDamaged(describe_loss(library, fault), fault)
        _make_anew(store, remains, embedder, show)
        kept = put_in_place_of_unread(store.folder / STAGING, library, "damaged")
    store.reopen()
    store.tell(
        f"The library {library} was damaged ({fault}): {len(remains.papers)} papers were saved from it, "
        f"and it is kept as {kept}."
    )
    if remains.lost:
        store.tell(_describe_lost(store, remains.lost))
    return True


def _make_anew(store: Store, remains: Remains, embedder: Embedder, show: Show) -> None:
    given = read_manifest(embedder, PASSAGE_SIZE)
    if remains.built:
        check_fully(remains.built, given, store.folder)
    with closing(open_staging(store.folder, given)) as staged:
        done = set(staged.papers())
        staged.remove([paper.id for paper in done - set(remains.papers)])
        add_papers([paper for paper in remains.papers if paper not in done], staged, embedder, split_long, show)
        staged.note(remains.sightings)
        staged.mark_changed(remains.changed)


def _describe_lost(store: Store, lost: Sequence[str]) -> str:
    more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
    copy = find_newest_copy(store.folder / NAME)
    beside = f", or look into the copy {copy.path} ({describe_copy(copy)})" if copy else ""
    return (
        f"{len(lost)} papers could not be read and are lost: {', '.join(lost[:SHOWN])}{more}. Index their files "
        f"again{beside}."
    )
