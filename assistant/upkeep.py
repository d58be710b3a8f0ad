"""What keeps a store well: its status, checks and repairs, rebuilds, backups."""

import time
from contextlib import closing
from pathlib import Path

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper, Progress, Show
from assistant.errors import StoreDamaged, StoreError
from assistant.health import Backup, Checkup, Rebuilt, Restored, Status
from assistant.indexing import add_papers
from assistant.models.splitter import split_long
from assistant.ports import Catalogue, Embedder
from assistant.repairs import Repairs
from assistant.salvage import save_papers
from assistant.store import Store
from assistant.store.audit import audit
from assistant.store.contents import FILE
from assistant.store.foreign_writing import check_foreign, discard
from assistant.store.manifest import Manifest, is_same, read_manifest
from assistant.store.reaching import reaching
from assistant.store.replacing import remove_staging
from assistant.store.restoring import back_up, replace_library, restore_library
from assistant.store.status import read_status


def show_nothing(_: Progress) -> None:
    """Show no progress."""


class Upkeep:
    """Looks after one store, with the embedder that it is used with."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    def status(self) -> Status:
        """Return how the store stands, as far as it shows at once; nothing is raised."""
        try:
            with reaching(self._store.folder):
                return read_status(self._store)
        except StoreError as error:
            return Status(self._store.folder, fault=str(error))

    def check(self) -> Checkup:
        """Look at every part of the store; raises StoreError where it cannot be opened at all."""
        self._store.require()
        with reaching(self._store.folder):
            return Checkup(audit(self._store.folder, self._store.library))

    def repair(self, show: Show = show_nothing) -> Checkup:
        """Look at every part of the store, make anew what can be made from the papers, and look again."""
        with reaching(self._store.folder):
            saved = (FILE,) if save_papers(self._store, self._embedder, show) else ()
        with self._store.caretaker() as writer:
            found = audit(self._store.folder, self._store.library)
            done = saved + Repairs(self._store, writer, self._embedder).mend(found, show)
            return Checkup(audit(self._store.folder, self._store.library) if done else found, done)

    def rebuild(self, show: Show = show_nothing) -> Rebuilt:
        """Build the index anew from the library; with another embedder than before embed all papers for it first.

        The old index serves until the end, and a run that is broken off goes on when it is called again.
        """
        started, embedded = time.perf_counter(), 0
        with self._store.caretaker() as writer:
            given = read_manifest(self._embedder, PASSAGE_SIZE)
            if not self._is_built_with(given):
                with closing(writer.stage(given)) as staged:
                    wanted = _find_changed(writer.catalogue, staged)
                    embedded = add_papers(wanted, staged, self._embedder, split_long, show)
                writer.take_over(given)
            else:
                remove_staging(self._store.folder)
            if check_foreign(self._store.folder).fault:
                discard(self._store.folder)
            show(Progress("building the index", 0, 1))
            generation = writer.rebuild_index()
            show(Progress("building the index", 1, 1))
            count = self._store.library.count_papers()
        return Rebuilt(count, generation.passages, embedded, time.perf_counter() - started)

    def backup(self, path: Path) -> Backup:
        """Write the library into one new file, whatever is read and written meanwhile."""
        self._store.require()
        return back_up(self._store, path)

    def restore(self, path: Path) -> Restored:
        """Put the library of a backup into the store; raises StoreError where there are papers already."""
        with reaching(self._store.folder):
            return restore_library(self._store, path)

    def replace(self, path: Path) -> Restored:
        """Put the library of a backup in the place of the one that is there, which is kept beside it."""
        with reaching(self._store.folder):
            return replace_library(self._store, path)

    def _is_built_with(self, given: Manifest) -> bool:
        try:
            return is_same(self._store.library.manifest(), given)
        except StoreDamaged:
            # It does not say, so nobody knows what its vectors are.
            return False


def _find_changed(catalogue: Catalogue, staged: Catalogue) -> list[Paper]:
    done = set(staged.papers())
    return [paper for paper in catalogue.papers() if paper not in done]
