"""Answers, evidence and papers as JSON: one form for the command line, HTTP and agents."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TypeAlias

from assistant.domain import Answer, AnswerSentence, Citation, Draft, Event, Evidence, Paper, Step
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
        "citations": citation_documents(answer),
        "retrieved": [{"paper_id": found.paper.id, "score": round(found.score, 4)} for found in answer.retrieved],
        "reason": answer.reason,
        "notice": answer.notice,
        "removed_markers": answer.removed_markers,
        "sentences": [_sentence_document(sentence) for sentence in answer.sentences],
    }


def event_document(event: Event) -> Json:
    """Return what an event of an answer says."""
    match event:
        case Step(text) | Draft(text):
            return {"text": text}
        case AnswerSentence():
            return _sentence_document(event)
        case Answer():
            return answer_document(event)


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


def citation_documents(answer: Answer) -> list[Json]:
    """Return what the markers of an answer stand for."""
    return [_citation_document(citation) for citation in answer.citations]


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
