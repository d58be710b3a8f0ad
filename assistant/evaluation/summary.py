"""The figures of a whole question set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from assistant.evaluation.questions import Prediction, Question


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one prediction did: solved when it has no faults.

    `recall` and `precision` are of the citations, `facts` is the share stated and quoted; the three are
    None for a question that cannot be answered.
    """

    question: Question
    prediction: Prediction
    faults: tuple[str, ...]
    words: int
    false_quotes: int
    recall: float | None = None
    precision: float | None = None
    facts: float | None = None

    @property
    def solved(self) -> bool:
        """Return whether nothing is wrong with the answer."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class CategoryFigures:
    """Means over the questions of one category; None where it has no question that can be answered."""

    category: str
    questions: int
    solved: float
    recall: float | None
    precision: float | None
    facts: float | None
    abstained: float
    words: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of all questions, by category and overall; None where nothing is there to count.

    `abstention_recall` is the share of unanswerable questions abstained from, `false_abstention` the
    share of answerable ones; seconds are of wall clock for one question.
    """

    categories: tuple[CategoryFigures, ...]
    overall: CategoryFigures
    abstention_recall: float | None
    false_abstention: float | None
    quotes: int
    false_quotes: int
    seconds_p50: float | None
    seconds_p95: float | None


def summarise(judgements: Sequence[Judgement]) -> Figures:
    """Return the figures of at least one judgement, categories in alphabetical order."""
    by_category: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_category.setdefault(judgement.question.category, []).append(judgement)
    seconds = sorted(item.prediction.seconds for item in judgements if item.prediction.seconds is not None)
    return Figures(
        categories=tuple(_figures(name, by_category[name]) for name in sorted(by_category)),
        overall=_figures("all", judgements),
        abstention_recall=_mean(item.prediction.abstained for item in judgements if not item.question.answerable),
        false_abstention=_mean(item.prediction.abstained for item in judgements if item.question.answerable),
        quotes=sum(len(item.prediction.quotes) for item in judgements),
        false_quotes=sum(item.false_quotes for item in judgements),
        seconds_p50=median(seconds) if seconds else None,
        seconds_p95=seconds[int(0.95 * (len(seconds) - 1))] if seconds else None,
    )


def _figures(category: str, judgements: Sequence[Judgement]) -> CategoryFigures:
    return CategoryFigures(
        category=category,
        questions=len(judgements),
        solved=sum(item.solved for item in judgements) / len(judgements),
        recall=_mean(item.recall for item in judgements),
        precision=_mean(item.precision for item in judgements),
        facts=_mean(item.facts for item in judgements),
        abstained=sum(item.prediction.abstained for item in judgements) / len(judgements),
        words=median(item.words for item in judgements),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
