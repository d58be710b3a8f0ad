"""Questions with known answers, and what an assistant replied to them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assistant.domain import Answer, Turn
from assistant.errors import QuestionError

Row = Mapping[str, object]


class _BadLine(Exception):
    """What is wrong with a line, told without its place."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the papers that must be cited and the facts that must be stated.

    Each fact is a tuple of wordings, one of which must stand in the answer. `acceptable` papers may be
    cited too. `correction` holds wordings of the statement that sets a false premise right.
    """

    id: str
    category: str
    question: str
    papers: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    answerable: bool = True
    acceptable: tuple[str, ...] = ()
    correction: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """Words that were shown as evidence, and the paper that they are said to stand in."""

    paper_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an assistant replied; `citations` are paper ids in the order in which they are first cited."""

    id: str
    answer: str = ""
    citations: tuple[str, ...] = ()
    abstained: bool = False
    quotes: tuple[ShownQuote, ...] = ()
    seconds: float | None = None
    answerer: str = ""
    retrieved: tuple[str, ...] = ()


def predict(question: Question, answer: Answer, seconds: float) -> Prediction:
    """Return the answer to a question in the form that is judged."""
    return Prediction(
        id=question.id,
        answer=answer.text,
        citations=tuple(citation.paper.id for citation in answer.citations),
        abstained=answer.abstained,
        quotes=tuple(
            ShownQuote(citation.paper.id, quote.text) for citation in answer.citations for quote in citation.quotes
        ),
        seconds=seconds,
        answerer=answer.answerer,
        retrieved=tuple(found.paper.id for found in answer.retrieved),
    )


def read_questions(path: Path) -> tuple[Question, ...]:
    """Read the questions of a JSONL file; raises QuestionError naming path and line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise QuestionError(f"{path}: there is no such file of questions.") from None
    except UnicodeDecodeError:
        raise QuestionError(f"{path}: not a file of UTF-8 text.") from None
    except OSError as error:
        raise QuestionError(f"{path}: cannot be read ({error.strerror}).") from error
    questions = tuple(_read_lines(path, text.split("\n")))
    if not questions:
        raise QuestionError(f"{path}: holds no questions, one JSON object a line.")
    return questions


def _read_lines(path: Path, lines: Iterable[str]) -> Iterator[Question]:
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = _read_question(line)
        except _BadLine as error:
            raise QuestionError(f"{path}:{number}: {error}.") from error
        if question.id in seen:
            raise QuestionError(f"{path}:{number}: the id {question.id!r} is given twice.")
        seen.add(question.id)
        yield question


def _read_question(line: str) -> Question:
    try:
        row: object = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        raise _BadLine("not a JSON object") from None
    if not isinstance(row, dict):
        raise _BadLine("not a JSON object")
    answerable = row.get("answerable")
    if not isinstance(answerable, bool):
        raise _BadLine("'answerable' must be true or false")
    question = Question(
        id=_text(row, "id"),
        category=_text(row, "category"),
        question=_text(row, "question"),
        papers=_texts(row.get("papers", []), "papers"),
        facts=_facts(row),
        answerable=answerable,
        acceptable=_texts(row.get("acceptable", []), "acceptable"),
        correction=_texts(row.get("correction", []), "correction"),
        history=_history(row),
    )
    if answerable and not question.papers:
        raise _BadLine("an answerable question needs 'papers', the ids to cite")
    return question


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _BadLine(f"{key!r} must be a text that is not empty")
    return value


def _texts(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _BadLine(f"{key!r} must be a list of texts")
    return tuple(value)


def _facts(row: Row) -> tuple[tuple[str, ...], ...]:
    value = row.get("facts", [])
    if not isinstance(value, list):
        raise _BadLine("'facts' must be a list of lists of texts")
    facts = tuple(_texts(item, "facts") for item in value)
    if not all(facts):
        raise _BadLine("each of 'facts' needs at least one wording")
    return facts


def _history(row: Row) -> tuple[Turn, ...]:
    value = row.get("history", [])
    if not isinstance(value, list):
        raise _BadLine("'history' must be a list of turns")
    return tuple(_turn(item) for item in value)


def _turn(value: object) -> Turn:
    role = value.get("role") if isinstance(value, dict) else None
    text = value.get("content") if isinstance(value, dict) else None
    if role not in ("user", "assistant") or not isinstance(text, str):
        raise _BadLine("a turn of 'history' needs a 'role', user or assistant, and a 'content'")
    speaker: Literal["user", "assistant"] = "user" if role == "user" else "assistant"
    return Turn(speaker, text)
