"""Whatever is done to a store, in any order, it holds and finds what a dict would."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from assistant.chunking import PASSAGE_SIZE
from assistant.domain import Paper
from assistant.indexing import index_papers
from assistant.models.splitter import split_long
from assistant.store import open_store, screening, trial
from assistant.store.schema import NAME
from assistant.text.terms import terms
from tests.fakes import FakeEmbedder, make_paper
from tests.records import make_numbered

RUNS = int(os.environ.get("STORE_MACHINE_RUNS", "12"))
STEPS = int(os.environ.get("STORE_MACHINE_STEPS", "12"))
NUMBERS = st.sets(st.integers(0, 11), min_size=1, max_size=6)


class StoreMachine(RuleBasedStateMachine):
    """A store and the dict that it must be like."""

    def __init__(self) -> None:
        super().__init__()
        self._root = Path(tempfile.mkdtemp())
        self._copies = 0
        self._versions = 0
        self._folder = self._root / "store"
        self._store = open_store(self._folder)
        self._model: dict[str, Paper] = {}
        # A process of its own for each crash would take most of the time.
        self._try_opening = screening.try_opening
        screening.try_opening = lambda store, limit=0: trial.find_fault(store)

    @rule(numbers=NUMBERS)
    def index(self, numbers: set[int]) -> None:
        """Add papers; those that are there already stay as they are, unless their words are others."""
        self._write([make_numbered(1, first=number)[0] for number in sorted(numbers)])

    @rule(numbers=NUMBERS)
    def update(self, numbers: set[int]) -> None:
        """Change papers, or add them changed."""
        self._versions += 1
        papers = [make_numbered(1, first=number)[0] for number in sorted(numbers)]
        text = f"It was revised as v{self._versions}q."
        self._write([replace(paper, abstract=f"{paper.abstract} {text}") for paper in papers])

    @rule(numbers=NUMBERS)
    def remove(self, numbers: set[int]) -> None:
        """Remove papers, some of which may not be there."""
        ids = [f"p{number}" for number in sorted(numbers)]
        with self._store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
            writer.catalogue.remove(ids)
        for id in ids:
            self._model.pop(id, None)

    @rule()
    def rebuild(self) -> None:
        """Build the index anew, where there is something to build it of."""
        if self._model:
            with self._store.caretaker() as writer:
                writer.rebuild_index()

    @rule()
    def reopen(self) -> None:
        """Go on as another process would."""
        self._store.close()
        self._store = open_store(self._folder)

    @rule(numbers=NUMBERS, rebuilds=st.booleans())
    def crash(self, numbers: set[int], rebuilds: bool) -> None:
        """Go on with what is on the disk in the middle of an ingest: a copy of it, as a kill would leave it."""
        papers = [make_numbered(1, first=number)[0] for number in sorted(numbers)]
        self._copies += 1
        copy = self._root / f"copy-{self._copies}"
        with self._store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
            index_papers(papers, writer.catalogue, FakeEmbedder(), split_long)
            if rebuilds:
                writer.rebuild_index()
            shutil.copytree(self._folder, copy)
        self._store.close()
        shutil.rmtree(self._folder)
        self._folder, self._store = copy, open_store(copy)
        self._model.update((paper.id, paper) for paper in papers)

    @invariant()
    def holds_what_the_dict_holds(self) -> None:
        """Compare every paper, and let each find itself by meaning and by words."""
        if not (self._folder / NAME).exists():
            assert not self._model
            return
        library = self._store.library
        assert {paper.id: paper for paper in library.papers()} == self._model
        assert library.count_papers() == len(self._model)
        for id, paper in self._model.items():
            (hit,) = self._store.index.search(FakeEmbedder().embed([paper.abstract])[0], 1)
            assert hit.paper_id == id
            assert hit.score > 0.99
            assert library.match(terms(f"m{id[1:]}x"), 1)[0].paper_id == id
            assert library.fetch([id])[0].paper == paper
        gone = make_paper("gone", "v0q nowhere")
        assert library.match(terms(gone.abstract), 1) == ()

    def teardown(self) -> None:
        """Remove the store."""
        screening.try_opening = self._try_opening
        self._store.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def _write(self, papers: list[Paper]) -> None:
        with self._store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
            index_papers(papers, writer.catalogue, FakeEmbedder(), split_long)
            writer.refresh_index()
        self._model.update((paper.id, paper) for paper in papers)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None)
