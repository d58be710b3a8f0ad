"""The store: one folder with the library, the index and the write lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from assistant.errors import StoreDamaged, StoreError, StoreForbidden, StoreMissing
from assistant.ports import Embedder
from assistant.store.building import build_generation, refresh_index
from assistant.store.contents import refuse_damaged
from assistant.store.damage import refuse_gone, refuse_lost
from assistant.store.foreign import NAME as LANGUAGES_FILE
from assistant.store.generation import POINTER, Generation, clear_pointer, read_current, serves, withdraw
from assistant.store.index import ChromaIndex
from assistant.store.library import SqliteLibrary
from assistant.store.lock import Held, write_lock
from assistant.store.manifest import Manifest, check_fully, check_quickly, read_manifest
from assistant.store.migration import bring_up_to_date
from assistant.store.reaching import explain_refusal, reaching
from assistant.store.replacing import open_staging, remove_staging, take_over
from assistant.store.schema import NAME, create_library
from assistant.store.screening import examine
from assistant.store.writing import SqliteCatalogue

Tell = Callable[[str], None]

_TRACES = ("index-*", POINTER, f"{NAME}-wal", LANGUAGES_FILE, f"{Path(NAME).stem}-*{Path(NAME).suffix}")
"""What a library leaves behind, and no new store has. A backup that somebody keeps in the folder is none."""


@dataclass(frozen=True, slots=True)
class Writer:
    """What the one writer of a store has: the catalogue, and the index to bring up to date."""

    catalogue: SqliteCatalogue
    folder: Path
    _library: SqliteLibrary
    _tell: Tell

    def refresh_index(self) -> bool:
        """Build the next generation of the index if one is due; return whether it was.

        What goes wrong is told and costs no paper: they are searched without an index until the next build.
        Raises StoreDamaged where it is the library that cannot be read: then they are not.
        """
        try:
            with reaching(self.folder):
                return refresh_index(self.folder, self._library)
        except StoreDamaged:
            raise
        except StoreError as error:
            self._tell(f"The papers are kept and can be searched, but their index could not be built: {error}")
            return False

    def stage(self, manifest: Manifest) -> SqliteCatalogue:
        """Return a catalogue beside the library, for vectors that are to replace those in it."""
        return open_staging(self.folder, manifest)

    def take_over(self, manifest: Manifest) -> None:
        """Replace the vectors in the library by the staged ones; raises StoreError where some are missing."""
        take_over(self.folder, self.folder / NAME, manifest)
        remove_staging(self.folder)

    def rebuild_index(self) -> Generation:
        """Build the next generation of the index whether one is due or not; raises StoreError."""
        return build_generation(self.folder, self._library)


class Store:
    """A store for reading by any number of threads, and for writing by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = SqliteLibrary(folder / NAME)
        self.index = ChromaIndex(folder, self.library, self.tell)
        self._checked: tuple[str, str, str, int] | None = None
        self._notices: list[str] = []
        self._current = False

    @property
    def built(self) -> bool:
        """Return whether there is a library with at least one paper; raises StoreError for a damaged or lost one."""
        return self.exists() and self.library.count_papers() > 0

    def exists(self) -> bool:
        """Return whether there is a library, brought up to date; raises StoreError for a damaged or lost one."""
        path = self.folder / NAME
        with reaching(self.folder):
            if not path.exists():
                refuse_lost(path, *_TRACES)
                return False
            if not self._current:
                self._current = True
                if notice := bring_up_to_date(path):
                    self.tell(notice)
        return True

    def check(self, embedder: Embedder, passage_size: int) -> None:
        """Raise StoreMissing where nothing is built, StoreMismatch where it was with another embedder.

        An embedder that does not tell its files' hash embeds the probes, once.
        """
        if not self._current:
            self.require()
        asked = (self.library.state().library, embedder.name, embedder.digest, passage_size)
        if asked == self._checked:
            return
        self.require()
        if not self.built:
            raise StoreMissing(f"Nothing is built in the store {self.folder} yet: run `assistant index`.")
        check_quickly(self.library.manifest(), embedder, passage_size, self.folder)
        self._checked = asked

    def read_model(self) -> str:
        """Return the name of the embedder that the library was built with, empty where that cannot be told."""
        try:
            return self.library.manifest().embedder.model
        except (StoreError, OSError):
            return ""

    def require(self) -> None:
        """Raise StoreMissing where there is no library, StoreDamaged where it has gone under our eyes."""
        if not self.exists():
            self.require_kept()
            raise StoreMissing(f"Nothing is built in the store {self.folder} yet: run `assistant index`.")

    def require_kept(self) -> None:
        """Raise StoreDamaged where the library was there and has gone under our eyes."""
        if self._current and not (self.folder / NAME).exists():
            refuse_gone(self.folder / NAME)

    def reopen(self) -> None:
        """Forget what is known of the library: it is another one now."""
        self.close()
        self._checked, self._current = None, False

    def take_notices(self) -> tuple[str, ...]:
        """Return, once, what a user should know: what was found damaged, and what was done about it."""
        taken, self._notices = tuple(dict.fromkeys(self._notices)), []
        return taken

    @contextmanager
    def writer(self, embedder: Embedder, passage_size: int) -> Iterator[Writer]:
        """Be the only writer; raises StoreBusy, and StoreMismatch for another embedder or passage size.

        The folder and the library are made where they do not exist.
        """
        make_folder(self.folder)
        self.exists()
        with reaching(self.folder), write_lock(self.folder) as held:
            self._look_at_index(held)
            with self._write(self._open_catalogue(embedder, passage_size)) as writer:
                yield writer

    @contextmanager
    def caretaker(self) -> Iterator[Writer]:
        """Be the only writer of a library that exists, whatever it was built with; raises StoreBusy, StoreMissing."""
        self.require()
        with reaching(self.folder), write_lock(self.folder) as held:
            self._look_at_index(held)
            with self._write(SqliteCatalogue(self.folder / NAME)) as writer:
                yield writer

    def close(self) -> None:
        """Let go of every file."""
        self.index.close()
        self.library.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _write(self, catalogue: SqliteCatalogue) -> Iterator[Writer]:
        try:
            yield Writer(catalogue, self.folder, self.library, self.tell)
        finally:
            catalogue.close()

    def _look_at_index(self, held: Held) -> None:
        for line in clear_pointer(self.folder):
            self.tell(line)
        current, fault = read_current(self.folder), ""
        try:
            if current:
                fault = examine(self.folder, current, held)
            else:
                held.settle()
        except StoreForbidden as error:
            self.tell(f"{error} The papers are searched without that index.")
        if current and not fault and self.exists() and not self._is_served_by(current):
            # An older copy was put in the place of the library: once it has grown nothing would tell it from the other.
            withdraw(self.folder)
        if current and fault:
            self.tell(f"The index {current.locate(self.folder)} was damaged ({fault}): it is built again.")

    def _is_served_by(self, generation: Generation) -> bool:
        try:
            return serves(generation, self.library.state())
        except StoreDamaged:
            # What does not say which library it is has no index, and whoever needs to know is told.
            return False

    def tell(self, line: str) -> None:
        """Keep a line for the user, until `take_notices`."""
        self._notices.append(line)

    def _open_catalogue(self, embedder: Embedder, passage_size: int) -> SqliteCatalogue:
        path, given, built = self.folder / NAME, read_manifest(embedder, passage_size), self.built
        if not path.exists():
            create_library(path, given)
        if built:
            self.library.state()
            refuse_damaged(path)
            check_fully(self.library.manifest(), given, self.folder)
        catalogue = SqliteCatalogue(path)
        if not built:
            catalogue.set_manifest(given)
        return catalogue


def make_folder(folder: Path) -> None:
    """Make the folder of a store where there is none; raises StoreError."""
    try:
        # Nobody else's business: questions and papers may be private.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise explain_refusal(folder, error) from error


def open_store(folder: Path) -> Store:
    """Return the store of a folder; nothing is read or made until it is asked for."""
    return Store(folder)
