"""One port with the window, the API, the OpenAI protocol and MCP."""

import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from threading import Thread
from types import FrameType

import uvicorn
from fastapi import FastAPI

from assistant.answering.extractive import NAME as EXTRACTIVE
from assistant.assistant import Assistant
from assistant.chat.guard import Guard
from assistant.chat.server import DEFAULT_HOST, DEFAULT_PORT, listen, locate, mount_window
from assistant.errors import ServerError
from assistant.loopback import is_loopback
from assistant.serving.admission import AT_ONCE, Closing, Gate, Rate
from assistant.serving.agents import create_http_tools, create_tools
from assistant.serving.api import create_api
from assistant.serving.completions import create_completions
from assistant.serving.door import Door
from assistant.serving.service import Service

SHORTEST_TOKEN = 16
SECONDS_TO_FINISH = 20.0
"""How long what was begun may go on after the signal to stop."""
SECONDS_TO_SAY_SO = 2
MOST_CONNECTIONS = 1_000
SWITCH_INTERVAL = 0.0005
"""Seconds that a thread may compute before another has its turn: the one that takes requests must not wait."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a server serves whom."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token: str = ""
    rate: int = 120
    names: tuple[str, ...] = ()
    read_only: bool = False


class Names:
    """The names of a server: those it was given and, behind a token, every address by number.

    Another site can make its own name mean this machine, but no number.
    """

    def __init__(self, names: tuple[str, ...], numbers: bool) -> None:
        self._names = frozenset(name.lower() for name in names)
        self._numbers = numbers

    def __contains__(self, name: object) -> bool:
        return name in self._names or (self._numbers and isinstance(name, str) and _is_number(name))


@dataclass(frozen=True, slots=True)
class Application:
    """What is served, how much of it is at work, and how it is told to stop."""

    app: FastAPI
    answering: Callable[[], int]
    closing: Closing


def create_application(assistant: Assistant, terms: Terms) -> Application:
    """Return the window, the API, the OpenAI protocol and MCP over one assistant."""
    service = Service(assistant, Gate(_count_at_once(assistant)), Closing())
    tools = create_tools(service)
    agents = create_http_tools(tools)

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        async with tools.session_manager.run():
            yield

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=live)
    app.mount("/api", create_api(service, str(assistant.store), terms.read_only))
    app.mount("/v1", create_completions(service))
    # Its one route stands here as it is: a mount would answer to /mcp/ only.
    app.routes.extend(agents.routes)
    window = mount_window(app, assistant)
    app.add_middleware(Door, token=terms.token, rate=Rate(terms.rate), closing=service.closing)
    app.add_middleware(Guard, names=_make_names(terms))
    return Application(app, lambda: service.closing.working + window.answering, service.closing)


def serve(assistant: Assistant, terms: Terms, tell: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM, then let what was begun finish; `tell` is called with the address.

    Raises ServerError where other machines could come in without a token.
    """
    check_terms(terms)
    sys.setswitchinterval(SWITCH_INTERVAL)
    with listen(terms.host, terms.port) as listener:
        application = create_application(assistant, terms)
        server = make_server(application)
        tell(locate(listener))
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            return


def check_terms(terms: Terms) -> None:
    """Raise ServerError where other machines could come in without a token, or with one that is easily guessed."""
    if not terms.token and not is_loopback(terms.host):
        raise ServerError(
            f"Other machines could ask at {terms.host}: set ASSISTANT_TOKEN to a secret of {SHORTEST_TOKEN} characters "
            f"or more, or serve at {DEFAULT_HOST}."
        )
    if terms.token and len(terms.token) < SHORTEST_TOKEN:
        raise ServerError(f"ASSISTANT_TOKEN is too short: take {SHORTEST_TOKEN} characters or more.")


def make_server(application: Application, finish: float = SECONDS_TO_FINISH) -> "GracefulServer":
    """Return the server of an application, which lets answers finish for so many seconds."""
    config = uvicorn.Config(
        application.app,
        log_config=None,
        access_log=False,
        ws="none",
        server_header=False,
        # A header of the client's would otherwise say where it comes from.
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_SAY_SO,
    )
    return GracefulServer(config, application, finish)


class GracefulServer(uvicorn.Server):
    """Ends in steps: nothing new is begun, what was begun finishes, what is left says that it is not finished."""

    def __init__(self, config: uvicorn.Config, application: Application, finish: float) -> None:
        super().__init__(config)
        self._application = application
        self._finish = finish

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; a second signal, or Ctrl-C, stops at once."""
        if self._application.closing.begun or sig == signal.SIGINT:
            self._application.closing.begin()
            self._application.closing.end()
            super().handle_exit(sig, frame)
            return
        self._application.closing.begin()
        Thread(target=self._end, daemon=True).start()

    def _end(self) -> None:
        until = time.monotonic() + self._finish
        while self._application.answering() and time.monotonic() < until:
            time.sleep(0.05)
        self._application.closing.end()
        # Not by way of uvicorn's own handler: that one raises the signal once more when all is closed.
        self.should_exit = True


def _count_at_once(assistant: Assistant) -> int:
    """Return how many questions are worth being answered at once: a model is waited for, sentences are computed."""
    return min(AT_ONCE, os.cpu_count() or 1) if assistant.answerer == EXTRACTIVE else AT_ONCE


def _make_names(terms: Terms) -> Container[str]:
    return Names((*terms.names, terms.host.strip("[]")), numbers=bool(terms.token))


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
