"""What becomes of papers in a store after they were added: taken out, pruned, put in collections."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.corpus import find_files, read_all
from assistant.domain import DEFAULT_COLLECTION, Origin, Paper, Report, Show, Skipped
from assistant.errors import PaperMissing, SettingsError
from assistant.indexing import carry_out, compare
from assistant.models.splitter import split_long
from assistant.ports import Embedder
from assistant.pruning import find_gone, find_homeless, look
from assistant.resources import data_folder
from assistant.store import Store
from assistant.store.store import Writer

LONGEST_NAME = 100
"""Characters of a collection's name."""
MOST_NAMED = 5
"""Unknown ids that a line names."""

Paths = Iterable[str | Path]


class Curation:
    """Adds papers to one collection of a store and takes them out of it; without a name, to the default one."""

    def __init__(self, store: Store, embedder: Embedder, collection: str) -> None:
        self._store = store
        self._embedder = embedder
        self._named = check_collection(collection)
        self._collection = self._named or DEFAULT_COLLECTION

    def read(self, paths: Paths) -> Iterable[Paper | Skipped]:
        """Yield the papers of files and folders, of the seeds where none are named."""
        return read_all(find_files(list(paths) or [data_folder("seeds")]))

    def add(self, papers: Iterable[Paper | Skipped], writer: Writer, show: Show) -> Report:
        """Add what is new of papers."""
        compared = compare(self._gather(papers), writer.catalogue.papers())
        embedded = carry_out(compared, writer.catalogue, self._embedder, split_long, show)
        return replace(compared.report(), embedded=embedded)

    def sync(self, paths: Paths, writer: Writer, show: Show) -> Report:
        """Add what is new in files and folders, and remove what they do not hold any more."""
        named = list(paths) or [data_folder("seeds")]
        found = find_files(named)
        compared = compare(self._gather(read_all(found)), writer.catalogue.papers())
        looked = look(named, found, compared.skipped, self._collection)
        embedded = carry_out(compared, writer.catalogue, self._embedder, split_long, show)
        pruned = writer.catalogue.forget(find_gone(self._store.library.list_sightings(), compared.sightings, looked))
        return replace(compared.report(), embedded=embedded, pruned=pruned, unpruned=looked.unread)

    def preview(self, paths: Paths) -> Report:
        """Return what `sync` would do; nothing is changed."""
        named = list(paths) or [data_folder("seeds")]
        found = find_files(named)
        built = self._store.built
        compared = compare(self._gather(read_all(found)), self._store.library.papers() if built else ())
        looked = look(named, found, compared.skipped, self._collection)
        known = self._store.library.list_sightings() if built else ()
        gone = find_gone(known, compared.sightings, looked)
        here = {sighting.paper_id for sighting in compared.sightings}
        pruned = tuple(id for id in find_homeless(known, gone) if id not in here)
        return replace(compared.report(), pruned=pruned, unpruned=looked.unread)

    def find(self, ids: Sequence[str]) -> tuple[Paper, ...]:
        """Return the papers of the ids, each once; raises PaperMissing naming those that are not there."""
        wanted = tuple(dict.fromkeys(ids))
        found = {holding.paper.id: holding.paper for holding in self._store.library.fetch(wanted)}
        inside = self._list_inside() if self._named else found
        if missing := [id for id in wanted if id not in found or id not in inside]:
            raise PaperMissing(_describe_missing(missing, self._named))
        return tuple(found[id] for id in wanted)

    def remove(self, papers: Sequence[Paper], writer: Writer) -> tuple[str, ...]:
        """Remove papers; out of a collection that was named only those go that are in no other. Return their ids."""
        ids = [paper.id for paper in papers]
        if self._named:
            return writer.catalogue.withdraw(ids, self._named)
        writer.catalogue.remove(ids)
        return tuple(ids)

    def _gather(self, papers: Iterable[Paper | Skipped]) -> Iterable[Paper | Skipped]:
        for paper in papers:
            if isinstance(paper, Skipped):
                yield paper
            else:
                path = paper.origin.path if paper.origin else ""
                yield replace(paper, origin=Origin(path, self._collection))

    def _list_inside(self) -> frozenset[str]:
        sightings = self._store.library.list_sightings()
        return frozenset(one.paper_id for one in sightings if one.origin.collection == self._named)


def check_collection(name: str) -> str:
    """Return the name of a collection, empty for none; raises SettingsError for one that cannot be told from others."""
    if name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise SettingsError(
            f"The collection {name[:LONGEST_NAME]!r} cannot have this name: use up to {LONGEST_NAME} printable "
            "characters, without white space around them."
        )
    return name


def _describe_missing(missing: Sequence[str], collection: str) -> str:
    named = ", ".join(repr(id) for id in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    inside = f" in the collection {collection!r}" if collection else ""
    return f"No paper has the id {named}{more}{inside}: `assistant papers` lists them. Nothing was removed."
