"""The conversation as HTML: questions, the steps taken for them, and answers with their citations."""

import re
from collections.abc import Iterator, Sequence

from assistant.chat.exchange import Exchange, Exchanges
from assistant.chat.page import escape, link_markers, shorten, split_paragraphs
from assistant.domain import Answer, AnswerSentence, Citation
from assistant.markers import MARKER
from assistant.remarks import describe_answerer, describe_doubt, list_remarks
from assistant.text.invisible import remove_invisible
from assistant.text.phrases import raise_first

FAILED_QUESTION_SHOWN = 300
"""Characters; the whole of it stands in the box again, and the reason must not be pushed out of sight."""
_MARKERS = re.compile(rf"(?: *{MARKER.pattern})+")
NO_ANSWER = "No answer found in the papers"
STOPPED = "Stopped. What stands above is not a finished answer."


def render_exchanges(exchanges: Exchanges) -> str:
    """Return the exchanges as HTML, oldest first."""
    return "".join(render_exchange(exchange) for exchange in exchanges)


def render_exchange(exchange: Exchange) -> str:
    """Return a question and what has come of it so far as HTML."""
    question = escape(shorten(exchange.question, FAILED_QUESTION_SHOWN) if exchange.problem else exchange.question)
    asked = f'<div class="question" data-testid="user" dir="auto">{question}</div>' if question.strip() else ""
    busy = "true" if exchange.working else "false"
    # What failed is put back into the box by page.js, where the box is empty: nobody should write it twice.
    again = f' data-again="{escape(exchange.question)}"' if exchange.problem else ""
    return (
        f'<article class="turn" id="t{exchange.number}"{again}>{asked}'
        f'<div class="reply" data-testid="bot" aria-live="polite" aria-busy="{busy}">'
        f"{_steps(exchange)}{_text(exchange)}{_ending(exchange)}</div></article>"
    )


def _steps(exchange: Exchange) -> str:
    lines = [raise_first(line) for line in (*exchange.steps, exchange.phase) if line]
    if exchange.working:
        return f'<p class="step" role="status">{escape(lines[-1] if lines else "Searching")}</p>'
    if not lines or exchange.problem:
        return ""
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<details class="steps"><summary>{escape(_summary(exchange))}</summary><ol>{listed}</ol></details>'


def _summary(exchange: Exchange) -> str:
    if exchange.answer is None:
        return "Steps taken"
    read = len(exchange.answer.retrieved)
    seconds = exchange.answer.timings.total
    took = f" in {seconds:.2f} s" if seconds else ""
    return f"Read {read} paper{'' if read == 1 else 's'}{took}"


def _text(exchange: Exchange) -> str:
    if not exchange.text.strip():
        return ""
    citations = exchange.answer.citations if exchange.answer else ()
    state = "answer" if exchange.answer else "answer draft"
    doubts = list(exchange.answer.doubtful) if exchange.answer else []
    shown = []
    for paragraph in split_paragraphs(exchange.text):
        heading = _find_heading(paragraph, citations)
        rest = _cut(paragraph[len(heading) :], doubts)
        pieces = "".join(link_markers(piece, exchange.number, citations) + _mark(doubt) for piece, doubt in rest)
        shown.append(f'<p dir="auto">{_bold(heading)}{pieces}</p>')
    return f'<div class="{state}">{"".join(shown)}</div>'


def _find_heading(paragraph: str, citations: Sequence[Citation]) -> str:
    """Return the label of a cited paper that a paragraph opens with, with its colon; empty where there is none."""
    headings = (f"{citation.label}:" for citation in citations)
    return next((heading for heading in headings if paragraph.startswith(heading)), "")


def _bold(heading: str) -> str:
    return f"<strong>{escape(heading)}</strong>" if heading else ""


def _cut(paragraph: str, doubts: list[AnswerSentence]) -> Iterator[tuple[str, AnswerSentence | None]]:
    """Yield the paragraph in pieces, each ending with a doubtful sentence but the last; those found are taken off."""
    start = 0
    while doubts:
        sentence = remove_invisible(doubts[0].text).strip()
        place = paragraph.find(sentence, start) if sentence else -1
        if place < 0:
            break
        end = place + len(sentence)
        if markers := _MARKERS.match(paragraph, end):
            end = markers.end()
        yield paragraph[start:end], doubts.pop(0)
        start = end
    yield paragraph[start:], None


def _mark(doubt: AnswerSentence | None) -> str:
    return f' <span class="doubt">{escape(describe_doubt(doubt))}</span>' if doubt else ""


def _ending(exchange: Exchange) -> str:
    if exchange.problem:
        return f'<p class="problem" role="alert" dir="auto">{escape(exchange.problem)}</p>'
    if exchange.answer is not None:
        return _remarks(exchange.answer) + _byline(exchange.answer)
    return f'<p class="remark">{STOPPED}</p>' if exchange.stopped else ""


def _remarks(answer: Answer) -> str:
    return "".join(f'<p class="remark" dir="auto">{escape(line)}</p>' for line in list_remarks(answer))


def _byline(answer: Answer) -> str:
    byline = NO_ANSWER if answer.abstained else describe_answerer(answer.answerer)
    return f'<p class="byline">{escape(byline)}</p>' if byline else ""


def render_welcome(paper_count: int, answerer: str) -> str:
    """Return what the window says of itself, and of who answers, before the first question."""
    if not paper_count:
        heading, more = "Ask your papers", " The first question reads the papers that come along."
    else:
        heading, more = f"Ask {paper_count:,} paper{'' if paper_count == 1 else 's'}", ""
    byline = escape(describe_answerer(answerer))
    told = f'<p class="byline">{byline}</p>' if byline else ""
    return (
        f"<h2>{heading}</h2><p>Each statement of an answer carries a number. "
        f"Click it to read the very words of the abstract that it rests on.{more}</p>{told}"
    )
