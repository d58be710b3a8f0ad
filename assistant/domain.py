"""What the assistant speaks of: papers, their parts, evidence and answers."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

DEFAULT_COLLECTION = "default"
"""Where papers go for which no collection is named."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a paper was read: a file by its full path, empty for none, and the collection that it was read into."""

    path: str = ""
    collection: str = DEFAULT_COLLECTION


@dataclass(frozen=True, slots=True)
class Paper:
    """One abstract and what its source says of it.

    The abstract is kept byte for byte: every start and end in this module counts characters of it. `source` is the
    name of the file whose version this is, `also_in` those of others that have the paper too; `origin` is known only
    of a paper that was just read. Neither of the two makes a paper another one.
    """

    id: str
    abstract: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    url: str = ""
    doi: str = ""
    source: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    also_in: tuple[str, ...] = field(default=(), compare=False, repr=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence-aligned stretch of one abstract: what is embedded as a whole."""

    paper_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an abstract: what is ranked and quoted."""

    paper_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with how well it fits the question.

    `similarity` is the cosine of the two, `coverage` the share of the question's terms that the sentence
    holds, each weighted by its rarity; `score`, 0 to 1, joins them.
    """

    sentence: Sentence
    score: float
    similarity: float = 0.0
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper that was found, with its score (0 to 1) and its sentences in the order of the abstract.

    The score compares with others of the same search; `fit`, 0 to 1, says how well the paper is on the topic alone.
    """

    paper: Paper
    score: float
    sentences: tuple[ScoredSentence, ...]
    fit: float = 0.0


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """A term of the question (a stem, see text/terms.py), and how many papers of the library hold it.

    `rarity` is the inverse document frequency: what it weighs when terms are compared. `forms` are other wordings,
    stems with a space between: an acronym's long form, or the acronym.
    """

    stem: str
    holding: int
    rarity: float
    forms: tuple[str, ...] = ()

    def held_in(self, stems: Set[str]) -> bool:
        """Tell whether a text with these stems holds the term in one of its wordings."""
        return self.stem in stems or any(stems >= frozenset(form.split()) for form in self.forms)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which papers a search may find; what is left empty lets every paper pass.

    A paper without a year passes no limit of years. Venue, source and author match as parts, in any case, and
    so does `match` in the title or the abstract; a collection matches as a whole.
    """

    first_year: int | None = None
    last_year: int | None = None
    venue: str = ""
    author: str = ""
    source: str = ""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    collection: str = ""
    match: str = ""


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question, best paper first; a paper stands in it once.

    `language` (two letters) is that of the question as it was searched for: of one that is not English the terms
    are only those that some paper holds. `notice` says why the question's language could not be used.
    """

    question: str
    papers: tuple[FoundPaper, ...]
    terms: tuple[QuestionTerm, ...] = ()
    language: str = "en"
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """The exact words `abstract[start:end]` of a paper."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """What a marker [number] stands for: a paper and at least one quote of it."""

    number: int
    paper: Paper
    label: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A paper that was found for a question, cited or not."""

    paper: Paper
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of wall clock that an answer took, by part."""

    standalone: float = 0.0
    retrieval: float = 0.0
    answering: float = 0.0

    @property
    def total(self) -> float:
        """Return the seconds from question to answer."""
        return self.standalone + self.retrieval + self.answering


Verdict = Literal["supported", "partly", "not supported", "unchecked"]


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A finished sentence of an answer, with the numbers that it cites.

    The verdict says whether the cited papers hold it; "unchecked" claims nothing that could be held to them.
    """

    text: str
    numbers: tuple[int, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, with its proof.

    `text` carries markers [1], [2]; each names one of `citations`. `reason` says in a sentence why the
    assistant abstained; `notice` says why the answer is not what was asked for (a fallback, a cut answer).
    `sentences` are those of `text`, in order, each as it stands there; none where every sentence is a quote.
    """

    question: str
    standalone: str
    text: str
    citations: tuple[Citation, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    abstained: bool = False
    reason: str = ""
    notice: str = ""
    answerer: str = "extractive"
    removed_markers: int = 0
    incomplete: bool = False
    timings: Timings = field(default_factory=Timings)
    sentences: tuple[AnswerSentence, ...] = ()

    @property
    def doubtful(self) -> tuple[AnswerSentence, ...]:
        """Return the sentences that the papers do not hold, or only in part."""
        return tuple(sentence for sentence in self.sentences if sentence.verdict in {"partly", "not supported"})

    def _repr_html_(self) -> str:
        """Return the answer as a notebook shows it; it is asked for by this name."""
        from assistant.notebook import write_html

        return write_html(self)

    def _repr_markdown_(self) -> str:
        """Return the answer as a notebook without HTML shows it."""
        from assistant.notebook import write_markdown

        return write_markdown(self)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns so far, oldest first."""

    turns: tuple[Turn, ...] = ()

    def after(self, question: str, answer: Answer) -> "Conversation":
        """Return the conversation with a question and its answer added."""
        return Conversation((*self.turns, Turn("user", question), Turn("assistant", answer.text)))


@dataclass(frozen=True, slots=True)
class Skipped:
    """What could not be read: the place (file, line), the reason in words, and how many records that cost.

    A file that was passed over as a whole costs none, since nobody knows what it holds.
    """

    place: str
    reason: str
    records: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an index run is: `done` of `total` papers in the phase that `phase` names."""

    phase: str
    done: int
    total: int


Show = Callable[[Progress], None]
"""Shows how far long work is."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two papers that are kept apart and may be one, by their ids, and why it is not certain."""

    id: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What an index run did. read = new + same + updated + merged + lost.

    `pruned` are the ids of papers that are gone from their sources and were removed, `unpruned` says of which files
    that could not be told. `notices` are lines for the user about the store: what was damaged, what was done about
    it.
    """

    new: int = 0
    same: int = 0
    updated: int = 0
    merged: int = 0
    skipped: tuple[Skipped, ...] = ()
    embedded: int = 0
    seconds: float = 0.0
    notices: tuple[str, ...] = ()
    likenesses: tuple[Likeness, ...] = ()
    pruned: tuple[str, ...] = ()
    unpruned: tuple[Skipped, ...] = ()

    @property
    def lost(self) -> int:
        """Return how many records were skipped."""
        return sum(skipped.records for skipped in self.skipped)

    @property
    def read(self) -> int:
        """Return how many records the sources held."""
        return self.new + self.same + self.updated + self.merged + self.lost


@dataclass(frozen=True, slots=True)
class Step:
    """Something the assistant does before it writes, in words for a reader."""

    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece of text as it comes: provisional until the Answer."""

    text: str


Event = Step | Draft | AnswerSentence | Answer
History = Sequence[Turn]
