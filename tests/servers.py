"""Serves an assistant with all its protocols on a free port of loopback, in this process."""

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from assistant.assistant import Assistant
from assistant.domain import Answer, AnswerSentence, Event, Evidence, History, Step
from assistant.errors import ModelUnavailable
from assistant.serving.server import Application, GracefulServer, Terms, create_application, make_server

HOUSE = Terms()


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: its address without a slash at the end, and what ends it."""

    url: str
    application: Application
    server: GracefulServer


@contextmanager
def served(assistant: Assistant, terms: Terms = HOUSE, finish: float = 5.0) -> Iterator[Served]:
    """Serve an assistant on terms; the host and port of the terms do not count."""
    application = create_application(assistant, terms)
    server = make_server(application, finish)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", application, server)
        finally:
            application.closing.end()
            server.should_exit = True
            thread.join()


class GatedAnswerer:
    """Answers when its gate is opened; says what was asked of it, and fails for some questions."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begun = threading.Semaphore(0)
        self.closed = threading.Event()
        self.histories: list[History] = []
        self.pieces: Sequence[str] = ("Sparrow is fast.",)

    def standalone(self, question: str, history: History) -> str:
        self.histories.append(tuple(history))
        return question

    def answer(self, question: str, evidence: Evidence) -> Iterator[Event]:
        try:
            self.begun.release()
            if "broken" in question:
                raise RuntimeError("planted-secret")
            if "no model" in question:
                raise ModelUnavailable("The model at http://10.9.8.7:1/v1 did not answer.")
            yield Step("waiting for the gate")
            while "wait" in question and not self.gate.wait(0.02):
                yield Step("waiting")
            for piece in self.pieces:
                yield AnswerSentence(piece, (), "unchecked")
            yield Answer(question, evidence.question, " ".join(self.pieces), answerer="gated")
        finally:
            self.closed.set()
