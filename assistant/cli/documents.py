"""Figures and states of a store as JSON that a program reads."""

from dataclasses import asdict

from assistant.documents import Json
from assistant.evaluation.questions import Prediction
from assistant.evaluation.summary import CategoryFigures, Figures
from assistant.health import Checkup, Status


def prediction_document(prediction: Prediction) -> Json:
    """Return a prediction as a line of a predictions file holds it."""
    return {
        "id": prediction.id,
        "answer": prediction.answer,
        "citations": list(prediction.citations),
        "abstained": prediction.abstained,
        "quotes": [{"paper": quote.paper_id, "text": quote.text} for quote in prediction.quotes],
        "seconds": prediction.seconds,
        "answerer": prediction.answerer,
        "retrieved": list(prediction.retrieved),
    }


def figures_document(figures: Figures, failed: int) -> Json:
    """Return the figures of an evaluation, overall and by category; `failed` questions got no answer."""
    return {
        **_category_document(figures.overall),
        "failed": failed,
        "abstention_recall": figures.abstention_recall,
        "false_abstention": figures.false_abstention,
        "quotes": figures.quotes,
        "false_quotes": figures.false_quotes,
        "seconds_p50": figures.seconds_p50,
        "seconds_p95": figures.seconds_p95,
        "categories": {item.category: _category_document(item) for item in figures.categories},
    }


def status_document(status: Status) -> Json:
    """Return how a store stands; `fault` is empty where nothing is wrong."""
    return {**asdict(status), "store": str(status.store)}


def checkup_document(checkup: Checkup) -> Json:
    """Return what was checked and repaired."""
    return {
        "sound": checkup.sound,
        "repaired": list(checkup.repaired),
        "findings": [asdict(finding) for finding in checkup.findings],
    }


def _category_document(figures: CategoryFigures) -> dict[str, Json]:
    return {
        "n": figures.questions,
        "solved": figures.solved,
        "citation_recall": figures.recall,
        "citation_precision": figures.precision,
        "fact_recall": figures.facts,
        "abstained": figures.abstained,
        "words": figures.words,
    }
