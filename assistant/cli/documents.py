"""Answers, papers and figures as JSON that a program reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TypeAlias

from assistant.domain import Answer, AnswerSentence, Citation, Evidence, Paper
from assistant.evaluation.questions import Prediction
from assistant.evaluation.summary import CategoryFigures, Figures
from assistant.health import Checkup, Status
from assistant.text.labels import label

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None


def dump(document: Json) -> str:
    """Return the document on one line, every character that a terminal would act on escaped."""
    text = json.dumps(document, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def answer_document(answer: Answer) -> Json:
    """Return an answer with its citations and what was retrieved."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "abstained": answer.abstained,
        "answerer": answer.answerer,
        "seconds": round(answer.timings.total, 4),
        "citations": [_citation_document(citation) for citation in answer.citations],
        "retrieved": [{"paper_id": found.paper.id, "score": round(found.score, 4)} for found in answer.retrieved],
        "reason": answer.reason,
        "notice": answer.notice,
        "removed_markers": answer.removed_markers,
        "sentences": [_sentence_document(sentence) for sentence in answer.sentences],
    }


def evidence_document(evidence: Evidence) -> Json:
    """Return the papers found, best first, with their scored sentences."""
    return {
        "question": evidence.question,
        "papers": [
            {
                "paper_id": found.paper.id,
                "title": label(found.paper),
                "score": round(found.score, 4),
                "sentences": [
                    {
                        "text": scored.sentence.text,
                        "start": scored.sentence.start,
                        "end": scored.sentence.end,
                        "score": round(scored.score, 4),
                    }
                    for scored in found.sentences
                ],
            }
            for found in evidence.papers
        ],
    }


def paper_document(paper: Paper) -> Json:
    """Return all that is known of a paper; an unknown title is replaced by its label."""
    return {
        "id": paper.id,
        "title": label(paper),
        "abstract": paper.abstract,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "url": paper.url,
        "doi": paper.doi,
        "source": paper.source,
        "extra": dict(paper.extra),
    }


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


def _citation_document(citation: Citation) -> Json:
    return {
        "number": citation.number,
        "paper_id": citation.paper.id,
        "title": citation.label,
        "url": citation.paper.url,
        "quotes": [asdict(quote) for quote in citation.quotes],
    }


def _sentence_document(sentence: AnswerSentence) -> Json:
    return {"text": sentence.text, "numbers": list(sentence.numbers), "verdict": sentence.verdict}


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]
