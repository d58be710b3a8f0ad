"""The store: one folder with the library, the index and the write lock."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from assistant.errors import StoreError, StoreMissing
from assistant.ports import Embedder
from assistant.store.building import refresh_index
from assistant.store.index import ChromaIndex
from assistant.store.library import SqliteLibrary
from assistant.store.lock import write_lock
from assistant.store.manifest import check_fully, check_quickly, read_manifest
from assistant.store.schema import NAME, create_library
from assistant.store.writing import SqliteCatalogue


@dataclass(frozen=True, slots=True)
class Writer:
    """What the one writer of a store has: the catalogue, and the index to bring up to date."""

    catalogue: SqliteCatalogue
    _folder: Path
    _library: SqliteLibrary

    def refresh_index(self) -> bool:
        """Build the next generation of the index if one is due; return whether it was."""
        return refresh_index(self._folder, self._library)


class Store:
    """A store for reading by any number of threads, and for writing by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = SqliteLibrary(folder / NAME)
        self.index = ChromaIndex(folder, self.library)
        self._checked: tuple[str, str, str, int] | None = None

    @property
    def built(self) -> bool:
        """Return whether there is a library with at least one paper; raises StoreError for a damaged one."""
        return (self.folder / NAME).exists() and self.library.count_papers() > 0

    def check(self, embedder: Embedder, passage_size: int) -> None:
        """Raise StoreMissing where nothing is built, StoreMismatch where it was with another embedder.

        An embedder that does not tell its files' hash embeds the probes, once.
        """
        asked = (self.library.state().library, embedder.name, embedder.digest, passage_size)
        if asked == self._checked:
            return
        if not self.built:
            raise StoreMissing(f"Nothing is built in the store {self.folder} yet: run `assistant index`.")
        check_quickly(self.library.manifest(), embedder, passage_size, self.folder)
        self._checked = asked

    @contextmanager
    def writer(self, embedder: Embedder, passage_size: int) -> Iterator[Writer]:
        """Be the only writer; raises StoreBusy, and StoreMismatch for another embedder or passage size.

        The folder and the library are made where they do not exist.
        """
        self._make_folder()
        with write_lock(self.folder):
            catalogue = self._open_catalogue(embedder, passage_size)
            try:
                yield Writer(catalogue, self.folder, self.library)
            finally:
                catalogue.close()

    def close(self) -> None:
        """Let go of every file."""
        self.index.close()
        self.library.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_folder(self) -> None:
        try:
            # Nobody else's business: questions and papers may be private.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"The store {self.folder} cannot be made: {error.strerror}.") from error

    def _open_catalogue(self, embedder: Embedder, passage_size: int) -> SqliteCatalogue:
        path, given, built = self.folder / NAME, read_manifest(embedder, passage_size), self.built
        if not path.exists():
            create_library(path, given)
        if built:
            check_fully(self.library.manifest(), given, self.folder)
        catalogue = SqliteCatalogue(path)
        if not built:
            catalogue.set_manifest(given)
        return catalogue


def open_store(folder: Path) -> Store:
    """Return the store of a folder; nothing is read or made until it is asked for."""
    return Store(folder)
