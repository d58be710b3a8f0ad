"""Many questions at once: read from a file, each answer written to another as soon as it is there."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path

from assistant.cli.ending import complain, keeping
from assistant.cli.progress import shown_progress
from assistant.cli.show import answer_lines
from assistant.cli.terminal import note, on_one_line, write
from assistant.documents import answer_document, dump
from assistant.domain import Answer, Progress
from assistant.errors import QuestionError

COLUMNS = ("question", "answer", "abstained", "reason", "papers", "quotes")
_HEADING = "## "
# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Ask = Callable[[str], Answer]


def read_lines(path: Path) -> tuple[str, ...]:
    """Return the questions of a file: one a line, or JSON lines with "question"; raises QuestionError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise QuestionError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        raise QuestionError(f"{path}: is no text in UTF-8. Save it as UTF-8, one question a line.") from None
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise QuestionError(f"{path}: holds no question. Write one a line.")
    return tuple(_read_line(path, number, line) for number, line in lines)


def answer_all(ask: Ask, questions: Sequence[str], out: Path | None, debug: bool) -> int:
    """Answer each question by itself; return how many failed.

    What `out` holds already is not asked again, so that an interrupted run goes on where it was; raises
    QuestionError for a file of another kind.
    """
    if out is None:
        return _answer_each(ask, questions, _print, debug)
    if out.suffix.lower() == ".jsonl" and out.is_file():
        _drop_unfinished(out)
    known = frozenset(_read_answered(out)) if out.exists() else frozenset[str]()
    wanted = [question for question in dict.fromkeys(questions) if on_one_line(question) not in known]
    if len(wanted) < len(questions):
        note(f"{len(questions) - len(wanted)} of {len(questions)} questions are answered in {out} already.")
    write_answer = _choose_writer(out)
    try:
        with keeping(f"what was answered is in {out}"), out.open("a", encoding="utf-8", newline="") as file:
            if out.suffix.lower() == ".csv" and not file.tell():
                file.write(_row(COLUMNS))

            def keep(answer: Answer) -> None:
                file.write(write_answer(answer))
                file.flush()

            return _answer_each(ask, wanted, keep, debug)
    except OSError as error:
        raise QuestionError(f"{out}: cannot be written to ({error.strerror}).") from error


def _answer_each(ask: Ask, questions: Sequence[str], keep: Callable[[Answer], None], debug: bool) -> int:
    failed = 0
    with shown_progress() as show:
        for done, question in enumerate(questions):
            show(Progress("answering", done, len(questions)))
            try:
                answer = ask(question)
            except Exception as error:
                complain(error, debug)
                failed += 1
            else:
                keep(answer)
    return failed


def _read_line(path: Path, number: int, line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        return str(json.loads(line)["question"])
    except (ValueError, KeyError, TypeError):
        raise QuestionError(f'{path}:{number}: is no JSON object with "question".') from None


def _choose_writer(out: Path) -> Callable[[Answer], str]:
    writers = {".jsonl": lambda answer: f"{dump(answer_document(answer))}\n", ".csv": _write_row, ".md": _write_section}
    if out.suffix.lower() not in writers:
        raise QuestionError(f"{out}: --out ends in .md, .csv or .jsonl, which says how answers are written.")
    return writers[out.suffix.lower()]


def _read_answered(out: Path) -> Iterator[str]:
    """Yield the questions that a file of answers holds."""
    _choose_writer(out)
    try:
        text = out.read_text(encoding="utf-8")
        if out.suffix.lower() == ".csv":
            yield from (_unguard(row["question"]) for row in csv.DictReader(StringIO(text)))
        elif out.suffix.lower() == ".md":
            yield from (line.removeprefix(_HEADING) for line in text.splitlines() if line.startswith(_HEADING))
        else:
            yield from (on_one_line(str(json.loads(line)["question"])) for line in text.splitlines())
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        raise QuestionError(f"{out}: is there and holds something else than answers. Name another file.") from None


def _drop_unfinished(out: Path) -> None:
    """Take off a last line that an accident cut short: it begins as ours do and does not end."""
    content = out.read_bytes()
    last = content[content.rfind(b"\n") + 1 :]
    if last.startswith(b'{"question"'):
        with out.open("r+b") as file:
            file.truncate(len(content) - len(last))


def _print(answer: Answer) -> None:
    print(f"{_HEADING}{on_one_line(answer.question)}")
    write(answer_lines(answer))
    print(flush=True)


def _write_section(answer: Answer) -> str:
    sources = [
        f"{citation.number}. {citation.label} ({citation.paper.id})\n"
        + "".join(f"   > {on_one_line(quote.text)}\n" for quote in citation.quotes)
        for citation in answer.citations
    ]
    return f"{_HEADING}{on_one_line(answer.question)}\n\n{answer.text}\n\n{''.join(sources)}\n"


def _write_row(answer: Answer) -> str:
    papers = "; ".join(citation.paper.id for citation in answer.citations)
    quotes = " | ".join(on_one_line(quote.text) for citation in answer.citations for quote in citation.quotes)
    cells = (on_one_line(answer.question), answer.text, str(answer.abstained).lower(), answer.reason, papers, quotes)
    return _row([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])


def _unguard(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _row(cells: Sequence[str]) -> str:
    line = StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
