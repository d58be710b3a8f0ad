"""Makes anew what was found faulty in a store, as far as it can be made from the papers."""

import random
from collections.abc import Collection, Sequence

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import NO_FILTERS, Show
from assistant.embedding import LEAST_COSINE
from assistant.errors import StoreDamaged
from assistant.health import Finding
from assistant.indexing import add_papers, make_records
from assistant.models.splitter import split_long
from assistant.ports import Embedder, Record
from assistant.store.audit import INDEX
from assistant.store.contents import META, PARTS, TEXTS, VECTORS, WORDS
from assistant.store.foreign_writing import LANGUAGES, discard
from assistant.store.manifest import Manifest, check_fully, read_manifest
from assistant.store.store import Store, Writer
from assistant.store.writing import Unreadable

SAMPLE = 20
"""Papers that are embedded again to see which embedder a library was built with: it is the same for all."""


class Repairs:
    """Mends a library, as its one writer, with the embedder that it is used with."""

    def __init__(self, store: Store, writer: Writer, embedder: Embedder) -> None:
        self._store = store
        self._library = store.library
        self._writer = writer
        self._embedder = embedder

    def mend(self, found: Sequence[Finding], show: Show) -> tuple[str, ...]:
        """Make anew what is faulty; return what that was, in order."""
        faulty = {finding.what: finding for finding in found if finding.fault}
        concerned = {what: set(finding.papers) for what, finding in faulty.items()}
        wrong = concerned.get(PARTS, set()) | concerned.get(VECTORS, set())
        done = []
        mended = self._mend_texts() if TEXTS in faulty else ()
        if mended:
            done.append(TEXTS)
            wrong = wrong - {paper.name for paper in mended} | {paper.left.id for paper in mended if paper.left}
        # The text of a paper that was changed behind our back would be taken for its own.
        changed = concerned.get(TEXTS, set()) - {paper.name for paper in mended}
        strays = PARTS in faulty and self._writer.catalogue.remove_strays()
        if WORDS in faulty or mended:
            self._writer.catalogue.write_words()
            done.append(WORDS)
        if LANGUAGES in faulty:
            discard(self._writer.folder)
            done.append(LANGUAGES)
        if META in faulty:
            if not self._say_anew(wrong | changed):
                return tuple(done)
            done.append(META)
        if again := sorted(wrong - changed):
            self._embed_again(again, show)
        if again or strays:
            done += [what for what in (PARTS, VECTORS) if what in faulty]
        if INDEX in faulty:
            self._writer.rebuild_index()
            done.append(INDEX)
        elif done:
            # What was mended has other passages.
            self._writer.refresh_index()
        return tuple(done)

    def _mend_texts(self) -> tuple[Unreadable, ...]:
        """Leave out what cannot be read of papers, take out those without a text, and tell of each."""
        mended = self._writer.catalogue.mend_rows()
        for paper in mended:
            what = f"lost its {', '.join(paper.lacking)}" if paper.left else "could not be read and was taken out"
            source = f", from {paper.source}," if paper.source else ""
            self._store.tell(f"The paper {paper.name}{source} {what}: index its file again.")
        return mended

    def _say_anew(self, wrong: Collection[str]) -> bool:
        """Let the library say again what it is and was built with; return whether all of that could be found out."""
        try:
            self._library.state()
        except StoreDamaged:
            self._writer.catalogue.rename()
        try:
            self._library.manifest()
        except StoreDamaged:
            given = read_manifest(self._embedder, PASSAGE_SIZE)
            if not self._fits(given, wrong):
                return False
            self._writer.catalogue.set_manifest(given)
        return True

    def _fits(self, given: Manifest, wrong: Collection[str]) -> bool:
        """Return whether the vectors in the library are those that this embedder makes of its papers."""
        ids = sorted(self._library.select(NO_FILTERS) - set(wrong))
        sample = [self._library.paper(id) for id in random.sample(ids, min(SAMPLE, len(ids)))]
        return all(self._is_kept(record) for record in make_records(sample, self._embedder, split_long))

    def _is_kept(self, record: Record) -> bool:
        (holding,) = self._library.fetch([record.paper.id])
        kept = self._library.read_passages_of([record.paper.id]).vectors
        if holding.sentences != record.sentences or kept.shape != record.passage_vectors.shape:
            return False
        near = (kept * record.passage_vectors).sum(axis=1)
        return bool((near >= LEAST_COSINE).all())

    def _embed_again(self, ids: Sequence[str], show: Show) -> None:
        given, folder = read_manifest(self._embedder, PASSAGE_SIZE), self._writer.folder
        check_fully(self._library.manifest(), given, folder)
        papers = [self._library.paper(id) for id in ids]
        add_papers(papers, self._writer.catalogue, self._embedder, split_long, show)
