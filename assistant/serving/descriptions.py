"""What clients get, described for the OpenAPI document: a test compares it with what is sent."""

from typing import Literal

from assistant.serving.forms import Form


class QuoteDescription(Form):
    """The exact words `abstract[start:end]` of the paper."""

    text: str
    start: int
    end: int


class CitationDescription(Form):
    """What a marker [number] in the answer stands for."""

    number: int
    paper_id: str
    title: str
    url: str
    quotes: list[QuoteDescription]


class RetrievedDescription(Form):
    """A paper that was found, cited or not."""

    paper_id: str
    score: float


class SentenceDescription(Form):
    """A sentence of the answer, and whether the papers cited hold it."""

    text: str
    numbers: list[int]
    verdict: Literal["supported", "partly", "not supported", "unchecked"]


class AnswerDescription(Form):
    """The answer with its proof: each marker [n] in it is the number of a citation."""

    question: str
    answer: str
    abstained: bool
    answerer: str
    seconds: float
    citations: list[CitationDescription]
    retrieved: list[RetrievedDescription]
    reason: str
    notice: str
    removed_markers: int
    sentences: list[SentenceDescription]


class FoundSentenceDescription(Form):
    """A sentence of a paper found, with how well it fits."""

    text: str
    start: int
    end: int
    score: float


class FoundPaperDescription(Form):
    """A paper found, with its sentences in the order of the abstract."""

    paper_id: str
    title: str
    score: float
    sentences: list[FoundSentenceDescription]


class EvidenceDescription(Form):
    """The papers found, best first."""

    question: str
    papers: list[FoundPaperDescription]


class PaperDescription(Form):
    """All that is known of a paper; an unknown title is replaced by a label."""

    id: str
    title: str
    abstract: str
    authors: list[str]
    year: int | None
    venue: str
    url: str
    doi: str
    source: str
    extra: dict[str, str]


class PageDescription(Form):
    """A part of the list of papers; `total` counts all that pass the filters."""

    total: int
    offset: int
    papers: list[PaperDescription]


class AddedDescription(Form):
    """What became of the papers that were sent."""

    new: int
    same: int
    updated: int
    merged: int
    skipped: list[str]


class HealthDescription(Form):
    """How the server stands."""

    status: Literal["ok", "stopping"]
    version: str
    store: str
    papers: int
    answerer: str
    answering: int


class ProblemDescription(Form):
    """Why a request failed (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
