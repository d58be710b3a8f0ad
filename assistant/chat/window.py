"""The chat window: a Gradio page with the conversation at the left and its sources at the right.

The conversation is HTML of our own rather than a `gr.Chatbot`: that one repeats the raw text of a message in its
label for screen readers, reads everything as markdown, and cannot link a number to a card in another column.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.resources import files

import gradio as gr
from gradio.components import Component

from assistant.chat.cards import render_sources
from assistant.chat.examples import suggest_questions
from assistant.chat.exchange import Exchange, Problem, Thread, follow, history
from assistant.chat.run import UNEXPECTED, Run
from assistant.chat.thread import render_exchange, render_thread, render_welcome
from assistant.chat.work import Responder, respond
from assistant.domain import Paper
from assistant.errors import AssistantError
from assistant.text.labels import label

LOG = logging.getLogger("assistant.chat")
TITLE = "Paper Assistant"
EXCHANGES_KEPT = 100
BLANK = "Please write a question first."
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
        self._examples: tuple[str, ...] = ()
        with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True, fill_height=True) as self.blocks:
            self._lay_out(*self._look_at_the_corpus())
            self._connect()
        self.blocks.queue(max_size=ANSWERS_WAITING, default_concurrency_limit=ANSWERS_AT_ONCE)

    def _look_at_the_corpus(self) -> tuple[int, tuple[str, ...]]:
        try:
            papers: tuple[Paper, ...] = self._assistant.papers() if self._assistant.built else ()
            return len(papers), suggest_questions(papers, [label(paper) for paper in papers])
        except AssistantError as error:
            LOG.warning("No example questions: %s", error)
            return 0, ()

    def _lay_out(self, paper_count: int, questions: tuple[str, ...]) -> None:
        self._thread = gr.State(())
        show = partial(gr.HTML, apply_default_css=False)
        with gr.Row(elem_id="top"):
            show(f"<h1>{TITLE}</h1>", elem_id="name")
            self._new = gr.Button("New chat", elem_id="new", size="sm", min_width=90)
        with gr.Row(elem_id="page"):
            with gr.Column(elem_id="talk", scale=3, min_width=320):
                with gr.Column(elem_id="chat"):
                    with gr.Column(elem_id="welcome") as self._welcome:
                        show(render_welcome(paper_count))
                        self._examples_shown = [gr.Button(text, elem_classes="example") for text in questions]
                    self._past = show("", elem_id="past")
                    self._live = show("", elem_id="live")
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
        outputs = [self._thread, self._welcome, self._past, self._live, self._box, self._sources, self._new]
        listen = partial(gr.on, api_visibility="private", show_progress="hidden")
        listen(self._box.submit, self._ask, [self._box, self._thread], outputs)
        for example in self._examples_shown:
            listen(example.click, self._ask, [example, self._thread], outputs)
        listen(self._box.stop, self._stop, None, None, queue=False)
        listen(self._new.click, self._clear, None, outputs)

    def _ask(self, question: str, thread: Thread, request: gr.Request) -> Iterator[Updates]:
        """Yield what changes on the page until the question is answered; never raises."""
        exchange = Exchange(number=thread[-1].number + 1 if thread else 1, question=question)
        if not question.strip():
            blank = replace(exchange, problem=BLANK)
            yield {self._past: render_thread(thread), self._live: render_exchange(blank)}
            return
        try:
            yield self._begin(thread, exchange)
            latest = exchange
            for latest in self._follow(exchange, thread, request.session_hash or ""):
                yield {self._live: render_exchange(latest)}
            yield self._finish(thread, latest)
        except Exception:
            # Gradio would leave the box locked after an exception.
            LOG.exception("The page could not be updated")
            yield self._finish(thread, replace(exchange, text="", answer=None, problem=UNEXPECTED))

    def _follow(self, exchange: Exchange, thread: Thread, session: str) -> Iterator[Exchange]:
        run = Run(partial(respond, self._assistant, exchange.question, history(thread)))
        self._runs[session] = run
        try:
            for batch in run.batches():
                for happening in batch:
                    exchange = follow(exchange, happening)
                yield exchange
            if exchange.working:
                yield follow(exchange, Problem(UNEXPECTED)) if not run.stopped else replace(exchange, stopped=True)
        finally:
            run.stop()
            self._runs.pop(session, None)

    def _begin(self, thread: Thread, exchange: Exchange) -> Updates:
        return {
            self._welcome: gr.update(visible=False),
            self._past: render_thread(thread),
            self._live: render_exchange(exchange),
            self._box: gr.update(value="", submit_btn=False, stop_btn="Stop"),
            self._new: gr.update(interactive=False),
        }

    def _finish(self, thread: Thread, exchange: Exchange) -> Updates:
        kept = (*thread, exchange)[-EXCHANGES_KEPT:]
        # Nobody should have to write a question twice because it failed.
        left = {"value": exchange.question} if exchange.problem else {}
        return {
            self._thread: kept,
            self._live: render_exchange(exchange),
            self._box: {**gr.update(submit_btn="Ask", stop_btn=False), **left},
            self._sources: render_sources(kept),
            self._new: gr.update(interactive=True),
        }

    def _stop(self, request: gr.Request) -> None:
        run = self._runs.get(request.session_hash or "")
        if run is not None:
            run.stop()

    def _clear(self) -> Updates:
        return {
            self._thread: (),
            self._welcome: gr.update(visible=True),
            self._past: "",
            self._live: "",
            self._box: gr.update(value=""),
            self._sources: render_sources(()),
        }
