"""The chat window: a Gradio page with the conversation at the left and its sources at the right.

The conversation is HTML of our own rather than a `gr.Chatbot`: that one repeats the raw text of a message in its
label for screen readers, reads everything as markdown, and cannot link a number to a card in another column.
"""

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.resources import files

import gradio as gr
from gradio.components import Component

from assistant.chat.cards import render_sources
from assistant.chat.examples import PAPERS_LOOKED_AT, suggest_questions
from assistant.chat.exchange import Exchange, Exchanges, Problem, follow, history
from assistant.chat.run import UNEXPECTED, Run
from assistant.chat.transcript import render_exchange, render_exchanges, render_welcome
from assistant.chat.work import Responder, respond
from assistant.errors import AssistantError
from assistant.text.labels import label

LOG = logging.getLogger("assistant.chat")
TITLE = "Paper Assistant"
EXCHANGES_KEPT = 100
BLANK = "Please write a question first."
ONE_AT_A_TIME = "One question at a time: ask this one when the answer above is there, or stop that one first."
ANSWERS_AT_ONCE = 8
ANSWERS_WAITING = 64

Updates = dict[Component, object]


def read_data(name: str) -> str:
    """Return the text of a file that lies beside this module."""
    return files("assistant.chat").joinpath(name).read_text(encoding="utf-8")


class Window:
    """One chat window over an assistant; each browser tab has a conversation of its own."""

    def __init__(self, assistant: Responder) -> None:
        self._assistant = assistant
        self._runs: dict[str, Run] = {}
        self._runs_lock = threading.Lock()
        with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True, fill_height=True) as self.blocks:
            self._lay_out(*self._look_at_the_corpus())
            self._connect()
        self.blocks.queue(max_size=ANSWERS_WAITING, default_concurrency_limit=ANSWERS_AT_ONCE)

    @property
    def answering(self) -> int:
        """Return how many questions are at work."""
        return len(self._runs)

    def _look_at_the_corpus(self) -> tuple[int, tuple[str, ...]]:
        try:
            if not self._assistant.built:
                return 0, ()
            papers = self._assistant.papers(PAPERS_LOOKED_AT)
            return self._assistant.count_papers(), suggest_questions(papers, [label(paper) for paper in papers])
        except AssistantError as error:
            LOG.warning("No example questions: %s", error)
            return 0, ()

    def _lay_out(self, paper_count: int, questions: tuple[str, ...]) -> None:
        self._exchanges = gr.State(())
        show = partial(gr.HTML, apply_default_css=False)
        with gr.Row(elem_id="top"):
            show(f"<h1>{TITLE}</h1>", elem_id="name")
            self._new = gr.Button("New chat", elem_id="new", size="sm", min_width=90)
        with gr.Row(elem_id="page"):
            with gr.Column(elem_id="talk", scale=3, min_width=320):
                with gr.Column(elem_id="chat"):
                    with gr.Column(elem_id="welcome") as self._welcome:
                        show(render_welcome(paper_count, self._assistant.answerer))
                        self._examples_shown = [gr.Button(text, elem_classes="example") for text in questions]
                    self._past = show("", elem_id="past")
                    self._live = show("", elem_id="live")
                self._hint = show("", elem_id="hint")
                self._box = gr.Textbox(
                    elem_id="box",
                    label="Your question",
                    show_label=False,
                    placeholder="Ask about the papers",
                    lines=1,
                    max_lines=8,
                    autofocus=True,
                    container=False,
                    submit_btn="Ask",
                    stop_btn=False,
                )
            with gr.Column(elem_id="panel", scale=2, min_width=320):
                show('<h2 id="sources-title">Sources</h2>')
                self._sources = show(render_sources(()), elem_id="sources")

    def _connect(self) -> None:
        listen = partial(gr.on, api_visibility="private", show_progress="hidden", trigger_mode="multiple")
        shown = [
            self._exchanges,
            self._welcome,
            self._past,
            self._live,
            self._hint,
            self._sources,
            self._new,
            self._box,
        ]
        listen(self._box.submit, self._ask, [self._box, self._exchanges], shown)
        for example in self._examples_shown:
            listen(example.click, self._ask_example, [example, self._exchanges], shown)
        listen(self._box.stop, self._stop, None, None, queue=False)
        listen(self._new.click, self._clear, None, shown)

    def _ask(self, question: str, exchanges: Exchanges, request: gr.Request) -> Iterator[Updates]:
        """Yield what changes on the page until the question in the box is answered; never raises."""
        session = request.session_hash or ""
        exchange = Exchange(_next_number(exchanges), question)
        if not question.strip():
            blank = replace(exchange, problem=BLANK)
            yield {self._past: render_exchanges(exchanges), self._live: render_exchange(blank)}
        elif run := self._begin(exchange, exchanges, session):
            emptied = {self._box: gr.update(value="", submit_btn=False, stop_btn="Stop")}
            yield from self._answer(run, exchange, exchanges, session, self._lock(exchange, exchanges) | emptied)
        else:
            yield {self._hint: f"<p>{ONE_AT_A_TIME}</p>"}

    def _ask_example(self, question: str, exchanges: Exchanges, request: gr.Request) -> Iterator[Updates]:
        """Yield what changes until the example is answered; what stands in the box stays there."""
        session = request.session_hash or ""
        exchange = Exchange(_next_number(exchanges), question)
        if run := self._begin(exchange, exchanges, session):
            yield from self._answer(run, exchange, exchanges, session, self._lock(exchange, exchanges))

    def _begin(self, exchange: Exchange, exchanges: Exchanges, session: str) -> Run | None:
        """Start the work for a question, unless there is some for this tab already."""
        with self._runs_lock:
            if session in self._runs:
                return None
            run = Run(partial(respond, self._assistant, exchange.question, history(exchanges)))
            self._runs[session] = run
            return run

    def _answer(
        self, run: Run, exchange: Exchange, exchanges: Exchanges, session: str, locked: Updates
    ) -> Iterator[Updates]:
        latest = exchange
        try:
            try:
                yield locked
                for latest in _follow(run, exchange):
                    yield {self._live: render_exchange(latest)}
            finally:
                # Before the page is told: the next question may come at once.
                run.stop()
                with self._runs_lock:
                    del self._runs[session]
            yield self._finish(latest, exchanges)
        except Exception:
            # Gradio would leave the box locked after an exception.
            LOG.exception("The page could not be updated")
            yield self._finish(replace(exchange, text="", answer=None, problem=UNEXPECTED), exchanges)

    def _lock(self, exchange: Exchange, exchanges: Exchanges) -> Updates:
        return {
            self._welcome: gr.update(visible=False),
            self._past: render_exchanges(exchanges),
            self._live: render_exchange(exchange),
            self._box: gr.update(submit_btn=False, stop_btn="Stop"),
            self._new: gr.update(interactive=False),
        }

    def _finish(self, exchange: Exchange, exchanges: Exchanges) -> Updates:
        kept = (*exchanges, exchange)[-EXCHANGES_KEPT:]
        return {
            self._exchanges: kept,
            self._live: render_exchange(exchange),
            self._hint: "",
            self._box: gr.update(submit_btn="Ask", stop_btn=False),
            self._sources: render_sources(kept),
            self._new: gr.update(interactive=True),
        }

    def _stop(self, request: gr.Request) -> None:
        run = self._runs.get(request.session_hash or "")
        if run is not None:
            run.stop()

    def _clear(self, request: gr.Request) -> Updates:
        if (request.session_hash or "") in self._runs:
            return {self._hint: ""}
        return {
            self._exchanges: (),
            self._welcome: gr.update(visible=True),
            self._past: "",
            self._live: "",
            self._hint: "",
            self._box: gr.update(value=""),
            self._sources: render_sources(()),
        }


def _next_number(exchanges: Exchanges) -> int:
    return exchanges[-1].number + 1 if exchanges else 1


def _follow(run: Run, exchange: Exchange) -> Iterator[Exchange]:
    """Yield the exchange as it grows, to its end."""
    for batch in run.batches():
        for happening in batch:
            exchange = follow(exchange, happening)
        yield exchange
    if exchange.working:
        yield replace(exchange, stopped=True) if run.stopped else follow(exchange, Problem(UNEXPECTED))
