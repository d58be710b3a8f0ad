"""The assistant put together: what the command line, the chat window and Python callers use."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assistant.answerers import connect_model, make_answerer
from assistant.answering.extractive import NAME as EXTRACTIVE
from assistant.answering.kinds import Kind, read_kind
from assistant.chunking import PASSAGE_SIZE
from assistant.curation import Curation, check_collection
from assistant.domain import (
    NO_FILTERS,
    Answer,
    Event,
    Evidence,
    Filters,
    History,
    Paper,
    Progress,
    Report,
    Retrieved,
    Skipped,
    Step,
    Timings,
)
from assistant.errors import QuestionError, SettingsError, StoreError
from assistant.health import Backup, Checkup, Rebuilt, Restored, Status
from assistant.models.multilingual import Multilingual
from assistant.models.shipped import recognise_embedder
from assistant.ports import Answerer, Embedder
from assistant.retrieval.choice import LanguageRetriever
from assistant.retrieval.correction import Corrector
from assistant.retrieval.foreign import ForeignRetriever
from assistant.retrieval.hybrid import HybridRetriever
from assistant.retrieval.ranking import Ranking
from assistant.settings import Settings, read_settings
from assistant.store import locate_store, open_store
from assistant.store.foreign import ForeignFile
from assistant.store.foreign_writing import refresh
from assistant.store.library import HIGHEST
from assistant.store.store import Writer
from assistant.text.labels import label
from assistant.upkeep import Upkeep

if TYPE_CHECKING:
    from assistant.models.chain import Chain, PaperRetriever
    from assistant.models.tool import Tool

LONGEST_QUESTION = 4_000
"""Characters that a question may have."""


SURVEY_DEPTH = 40
"""Papers that a question for papers is looked for in, unless the caller says how many."""

READ_WHEN_ASKED = 500
"""Papers of a store that are read for other languages only when a question needs it; more, when they are indexed."""


class Assistant:
    """Answers questions about the papers of one store; any number of threads may ask."""

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        answerer: Answerer | None = None,
        collection: str = "",
    ) -> None:
        """Read the settings unless they are given; an embedder that is not is the one the store was built with.

        With a collection papers are added to it and taken out of it, and only its papers are listed and found.
        """
        self._settings = settings or read_settings()
        self._store = open_store(locate_store(store, self._settings.store))
        self._embedder = embedder or recognise_embedder(self._store.read_model())
        self._answerer = answerer or make_answerer(self._settings)
        self._answerer_name = "" if answerer else self._settings.model or EXTRACTIVE
        self._collection = check_collection(collection)
        self._curation = Curation(self._store, self._embedder, collection)
        self._upkeep = Upkeep(self._store, self._embedder)
        self._multilingual = Multilingual()
        self._foreign = ForeignFile(self._store.folder, self._store.library, self._multilingual)
        self._languages = self._settings.languages == "on"
        self._retriever = LanguageRetriever(
            HybridRetriever(self._store.library, self._store.index, self._embedder),
            ForeignRetriever(self._store.library, self._foreign, self._multilingual) if self._languages else None,
            Corrector(self._store.library, self._embedder),
        )

    @property
    def store(self) -> Path:
        """Return the absolute folder of the store."""
        return self._store.folder

    @property
    def collection(self) -> str:
        """Return the collection that this assistant is for, empty for all."""
        return self._collection

    @property
    def answerer(self) -> str:
        """Return what writes the answers: "extractive" or a model's name; empty for one that was handed over."""
        return self._answerer_name

    @property
    def built(self) -> bool:
        """Return whether the store holds a paper."""
        return self._store.built

    def index(self, paths: Iterable[str | Path] = (), progress: Callable[[Progress], None] | None = None) -> Report:
        """Read the papers of files and folders, of the seeds where none are named, and add what is new."""
        return self.add(self._curation.read(paths), progress)

    def sync(self, paths: Iterable[str | Path] = (), progress: Callable[[Progress], None] | None = None) -> Report:
        """Read papers as `index` does, and remove those of these files and folders that are not in them any more."""
        show = progress or _say_nothing
        return self._write(lambda writer: self._curation.sync(paths, writer, show), show)

    def preview(self, paths: Iterable[str | Path] = ()) -> Report:
        """Return what `sync` would do; nothing is changed."""
        started = time.perf_counter()
        return replace(self._curation.preview(paths), seconds=time.perf_counter() - started)

    def add(self, papers: Iterable[Paper | Skipped], progress: Callable[[Progress], None] | None = None) -> Report:
        """Add what is new of papers that were not read from a file; each needs an id and an abstract."""
        show = progress or _say_nothing
        return self._write(lambda writer: self._curation.add(papers, writer, show), show)

    def remove(self, *ids: str) -> tuple[str, ...]:
        """Remove papers, all or none, and return the ids of those that are gone.

        Out of a collection they are taken, and those that are in another one stay. Raises PaperMissing, StoreMissing,
        StoreBusy.
        """
        papers = self.find(*ids)
        with self._store.writer(self._embedder, PASSAGE_SIZE) as writer:
            removed = self._curation.remove(papers, writer)
            writer.refresh_index()
            if self._foreign.ready:
                self._read_for_languages(_say_nothing)
        return removed

    def find(self, *ids: str) -> tuple[Paper, ...]:
        """Return the papers of the ids; raises PaperMissing naming all that are not there, StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        return self._curation.find(ids)

    def collections(self) -> tuple[tuple[str, int], ...]:
        """Return the collections by name, each with how many papers it has; raises StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        return self._store.library.count_collections()

    def _write(self, work: Callable[[Writer], Report], show: Callable[[Progress], None]) -> Report:
        started = time.perf_counter()
        with self._store.writer(self._embedder, PASSAGE_SIZE) as writer:
            report = work(writer)
            tell = show if report.embedded else _say_nothing
            tell(Progress("building the index", 0, 1))
            writer.refresh_index()
            tell(Progress("building the index", 1, 1))
            if self._foreign.ready or self._store.library.count_papers() > READ_WHEN_ASKED:
                self._read_for_languages(show)
        return replace(report, seconds=time.perf_counter() - started, notices=self._store.take_notices())

    def ask(self, question: str, history: History = (), k: int | None = None, filters: Filters = NO_FILTERS) -> Answer:
        """Return the answer to a question; raises QuestionError, StoreMissing."""
        *_, answer = (event for event in self.stream(question, history, k, filters) if isinstance(event, Answer))
        return answer

    def stream(
        self, question: str, history: History = (), k: int | None = None, filters: Filters = NO_FILTERS
    ) -> Iterator[Event]:
        """Yield steps, the text as it comes, and last the Answer; raises QuestionError, StoreMissing."""
        asked = check_question(question)
        self._store.check(self._embedder, PASSAGE_SIZE)
        started = time.perf_counter()
        standalone = self._answerer.standalone(asked, history)
        if self._retriever.lacks(standalone):
            yield Step("reading the papers for other languages, once")
            self._prepare_languages()
        yield Step("searching")
        understood = time.perf_counter()
        evidence = self._retriever.retrieve(
            standalone, self._deepen(standalone) if k is None else self._count(k), self._within(filters)
        )
        yield Step(f"found {len(evidence.papers)} papers")
        found = time.perf_counter()
        for event in self._answerer.answer(asked, evidence):
            if isinstance(event, Answer):
                timings = Timings(understood - started, found - understood, time.perf_counter() - found)
                notice = " ".join(part for part in (*self.take_notices(), evidence.notice, event.notice) if part)
                yield replace(event, question=question, standalone=standalone, timings=timings, notice=notice)
                return
            yield event

    def retrieve(self, question: str, k: int | None = None, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers with their sentences scored, best first; raises QuestionError, StoreMissing."""
        asked = check_question(question)
        self._store.check(self._embedder, PASSAGE_SIZE)
        if self._retriever.lacks(asked):
            self._prepare_languages()
        return self._retriever.retrieve(asked, self._count(k), self._within(filters))

    def similar(self, id: str, k: int | None = None) -> tuple[Retrieved, ...]:
        """Return the k papers nearest to one, without it, best first; raises PaperMissing, StoreMissing."""
        self.paper(id)
        hits = {hit.paper_id: hit.score for hit in self._retriever.find_similar(id, self._count(k))}
        found = (holding.paper for holding in self._store.library.fetch(tuple(hits)))
        return tuple(Retrieved(paper, label(paper), hits[paper.id]) for paper in found)

    def rank(self, question: str) -> Ranking:
        """Return all candidates in the order of each stage of the search; raises QuestionError, StoreMissing."""
        asked = check_question(question)
        self._store.check(self._embedder, PASSAGE_SIZE)
        if self._retriever.lacks(asked):
            self._prepare_languages()
        return self._retriever.rank(asked)

    def papers(self, most: int | None = None) -> tuple[Paper, ...]:
        """Return every paper, or the first ones, in the order in which they were added; raises StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        if self._collection:
            return self.list_papers(NO_FILTERS, 0, HIGHEST if most is None else most)
        return self._store.library.papers(most)

    def list_papers(self, filters: Filters, first: int, most: int) -> tuple[Paper, ...]:
        """Return papers that pass, from the one at `first` (from 0) on, in the order of adding; raises StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        return self._store.library.list_passing(self._within(filters), first, most)

    def count_papers(self, filters: Filters = NO_FILTERS) -> int:
        """Return how many papers there are that pass; raises StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        return self._store.library.count_passing(self._within(filters))

    def paper(self, id: str) -> Paper:
        """Return one paper; raises PaperMissing, StoreMissing."""
        self._store.check(self._embedder, PASSAGE_SIZE)
        return self._store.library.paper(id)

    def _prepare_languages(self) -> None:
        """Read the papers for other languages; where the store cannot be written to, the evidence says so."""
        with suppress(StoreError), self._store.writer(self._embedder, PASSAGE_SIZE):
            self._read_for_languages(_say_nothing)

    def _read_for_languages(self, show: Callable[[Progress], None]) -> None:
        if self._languages:
            refresh(self._store.folder, self._store.library, self._multilingual, show)

    def _deepen(self, question: str) -> int:
        """Return how many papers a question is looked for in: one that asks for papers wants them all."""
        return max(self._settings.k, SURVEY_DEPTH) if read_kind(question) is Kind.SURVEY else self._settings.k

    def _within(self, filters: Filters) -> Filters:
        """Return the filters with the collection that this assistant is for, unless they name another."""
        return filters if filters.collection else replace(filters, collection=self._collection)

    def _count(self, k: int | None) -> int:
        if k is not None and k < 1:
            raise QuestionError(f"k is {k}: look at one paper at least.")
        return self._settings.k if k is None else k

    def chain(self, k: int | None = None) -> "Chain":
        """Return the LangChain chain from a question to a model's own text, to be taken apart; see models/chain.py.

        [n] in the text means the n-th document: nothing is checked. Raises SettingsError without a model.
        """
        if not self._settings.model:
            raise SettingsError("The chain needs a model: set ASSISTANT_MODEL.")
        from assistant.models.chain import chain

        return chain(self.retrieve, connect_model(self._settings).chat, self._count(k))

    def as_retriever(self, k: int | None = None) -> "PaperRetriever":
        """Return the search as a LangChain retriever: a Document a paper, its abstract the text."""
        from assistant.models.chain import PaperRetriever

        return PaperRetriever(find=self.retrieve, k=self._count(k))

    def as_tool(self, k: int | None = None) -> "Tool":
        """Return a LangChain tool that an agent asks: it is given cited text, the program the Answer as an artifact."""
        from assistant.models.tool import make_tool

        return make_tool(self.ask, self._count(k))

    def take_notices(self) -> tuple[str, ...]:
        """Return, once, what was found damaged in the store and what was done about it, a line each."""
        return self._store.take_notices()

    def status(self) -> Status:
        """Return how the store stands, as far as it shows at once; nothing is raised."""
        return self._upkeep.status()

    def check(self) -> Checkup:
        """Look at every part of the store; raises StoreError where it cannot be opened at all."""
        return self._upkeep.check()

    def repair(self, progress: Callable[[Progress], None] | None = None) -> Checkup:
        """Look at every part of the store, make anew what can be made from the papers, and look again."""
        return self._upkeep.repair(progress or _say_nothing)

    def rebuild(self, progress: Callable[[Progress], None] | None = None) -> Rebuilt:
        """Build the index anew; with another embedder than before embed all papers first. What is stopped goes on."""
        return self._upkeep.rebuild(progress or _say_nothing)

    def backup(self, path: str | Path) -> Backup:
        """Write all papers into one new file, whatever is read and written meanwhile."""
        return self._upkeep.backup(Path(path))

    def restore(self, path: str | Path) -> Restored:
        """Put the papers of a backup into the store; raises StoreError where there are some already."""
        return self._upkeep.restore(Path(path))

    def replace(self, path: str | Path) -> Restored:
        """Put the papers of a backup in the place of those there are, which are kept beside."""
        return self._upkeep.replace(Path(path))

    def close(self) -> None:
        """Let go of the files of the store."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_question(question: str) -> str:
    """Return the question without outer white space; raises QuestionError when it cannot be asked."""
    asked = question.strip()
    if not asked:
        raise QuestionError("The question is empty: ask something.")
    if len(asked) > LONGEST_QUESTION:
        raise QuestionError(
            f"The question has {len(asked):,} characters and may have {LONGEST_QUESTION:,}: shorten it."
        )
    return asked


def _say_nothing(_: Progress) -> None: ...
