"""The conversation as HTML: questions, the steps taken for them, and answers with their citations."""

from assistant.chat.exchange import Exchange, Thread
from assistant.chat.page import escape, link_markers, shorten, split_paragraphs
from assistant.domain import Answer
from assistant.text.phrases import raise_first

FAILED_QUESTION_SHOWN = 300
"""Characters; the whole of it stands in the box again, and the reason must not be pushed out of sight."""
STOPPED = "Stopped. What stands above is not a finished answer."


def render_thread(thread: Thread) -> str:
    """Return the exchanges as HTML, oldest first."""
    return "".join(render_exchange(exchange) for exchange in thread)


def render_exchange(exchange: Exchange) -> str:
    """Return a question and what has come of it so far as HTML."""
    question = escape(shorten(exchange.question, FAILED_QUESTION_SHOWN) if exchange.problem else exchange.question)
    asked = f'<div class="question" data-testid="user" dir="auto">{question}</div>' if question.strip() else ""
    busy = "true" if exchange.working else "false"
    return (
        f'<article class="turn" id="t{exchange.number}">{asked}'
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
    parts = [link_markers(part, exchange.number, citations) for part in split_paragraphs(exchange.text)]
    shown = "".join(f'<p dir="auto">{part}</p>' for part in parts)
    return f'<div class="{state}">{shown}</div>'


def _ending(exchange: Exchange) -> str:
    if exchange.problem:
        return f'<p class="problem" role="alert" dir="auto">{escape(exchange.problem)}</p>'
    if exchange.answer is not None:
        return _remarks(exchange.answer) + _byline(exchange.answer)
    return f'<p class="remark">{STOPPED}</p>' if exchange.stopped else ""


def _remarks(answer: Answer) -> str:
    told = [answer.reason if answer.abstained and answer.reason not in answer.text else "", answer.notice]
    if answer.removed_markers:
        told.append(f"{answer.removed_markers} citation(s) that named no source were removed.")
    if answer.incomplete:
        told.append("The answer is incomplete.")
    return "".join(f'<p class="remark" dir="auto">{escape(line)}</p>' for line in told if line)


def _byline(answer: Answer) -> str:
    return f'<p class="byline">{escape(describe_answerer(answer.answerer))}</p>'


def describe_answerer(answerer: str) -> str:
    """Return in words who writes the answers."""
    if answerer == "extractive":
        return "Sentences quoted from the papers, no model at work"
    return f"Written by {answerer}, checked against the papers"


def render_welcome(paper_count: int) -> str:
    """Return what the window says of itself before the first question."""
    if not paper_count:
        heading, more = "Ask your papers", " The first question reads the papers that come along."
    else:
        heading, more = f"Ask {paper_count:,} paper{'' if paper_count == 1 else 's'}", ""
    return (
        f"<h2>{heading}</h2><p>Each statement of an answer carries a number. "
        f"Click it to read the very words of the abstract that it rests on.{more}</p>"
    )
