"""The figures of an evaluation as a table."""

from collections.abc import Iterator, Sequence

from assistant.cli.terminal import Line, on_one_line
from assistant.evaluation.summary import CategoryFigures, Figures, Judgement

HEADS = ("solved", "recall", "prec.", "facts", "abst.", "words")


def figure_lines(figures: Figures) -> Iterator[Line]:
    """Yield a table by category, and what only the whole set can say."""
    rows = (*figures.categories, figures.overall)
    width = max(len(on_one_line(row.category)) for row in (*rows, figures.overall)) + 2
    yield Line(f"{'category':<{max(width, 10)}}{'n':>5}" + "".join(f"{head:>8}" for head in HEADS), style="bold")
    for row in rows:
        yield Line(_row(row, max(width, 10)))
    yield Line("")
    yield Line(f"abstained from {_share(figures.abstention_recall)} of the questions that cannot be answered")
    yield Line(f"abstained from {_share(figures.false_abstention)} of those that can")
    yield Line(f"quotes: {figures.quotes}, of which {figures.false_quotes} not word for word")
    yield Line(f"seconds: {_seconds(figures.seconds_p50)} (p50), {_seconds(figures.seconds_p95)} (p95)")


def fault_lines(judgements: Sequence[Judgement], limit: int) -> Iterator[Line]:
    """Yield questions that were not solved, why, and which papers were retrieved for them."""
    unsolved = [judgement for judgement in judgements if not judgement.solved]
    for judgement in unsolved[:limit]:
        question = judgement.question
        yield Line("")
        yield Line(on_one_line(f"{question.id} [{question.category}] {question.question}"))
        yield Line(on_one_line("; ".join(judgement.faults)), indent=4)
        retrieved = ", ".join(judgement.prediction.retrieved) or "nothing"
        yield Line(on_one_line(f"retrieved: {retrieved}"), indent=4, style="dim")


def _row(row: CategoryFigures, width: int) -> str:
    shares = (row.solved, row.recall, row.precision, row.facts, row.abstained)
    columns = "".join(f"{_share(share):>8}" for share in shares)
    return f"{on_one_line(row.category):<{width}}{row.questions:>5}{columns}{row.words:>8.0f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
