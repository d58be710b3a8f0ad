"""A real server of the OpenAI protocol on loopback: it plays scripted replies and remembers the requests."""

import json
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

LONGEST_WAIT = 20.0
"""Seconds after which a reply that stalls ends by itself."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    path: str
    key: str
    body: dict[str, object]

    @property
    def prompt(self) -> str:
        """Return all messages as one text."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return "\n\n".join(str(message["content"]) for message in messages)


@dataclass(slots=True)
class OpenAIServer:
    """A running server: `base_url` is what a client is given."""

    base_url: str
    requests: list[Request] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    """Set when a client left a reply that had not come to its end."""

    @property
    def host(self) -> str:
        """Return host and port."""
        return self.base_url.split("/")[2]


class Exchange:
    """One request and the line back to its client."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: Request, server: OpenAIServer) -> None:
        self.request = request
        self.streamed = bool(request.body.get("stream"))
        self._handler = handler
        self._server = server

    def send(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        """Send a whole reply."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", content_type)
        self._handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def open_stream(self) -> None:
        """Begin a reply of events."""
        self._handler.close_connection = True
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def send_piece(self, text: str | None = None, finish: str | None = None, refusal: str | None = None) -> None:
        """Send an event with a piece of text."""
        content = {"content": text, "refusal": refusal}
        choice = {"index": 0, "delta": content, "finish_reason": finish}
        self.send_event(json.dumps({"id": "1", "object": "chat.completion.chunk", "choices": [choice]}))

    def send_event(self, data: str) -> None:
        """Send an event as it is."""
        self.write(f"data: {data}\n\n".encode())

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def wait(self, seconds: float = LONGEST_WAIT) -> bool:
        """Wait; return whether the client left meanwhile."""
        readable, _, _ = select.select([self._handler.connection], [], [], seconds)
        left = bool(readable) and not self._handler.connection.recv(1, socket.MSG_PEEK)
        if left:
            self._server.hung_up.set()
        return left

    def reset(self) -> None:
        """Break the connection."""
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.connection.close()


Reply = Callable[[Exchange], None]


def say(text: str, finish: str | None = "stop", size: int = 12, refusal: str | None = None) -> Reply:
    """Return a reply with a text, in pieces of a size where the client asked for a stream."""

    def reply(exchange: Exchange) -> None:
        if not exchange.streamed:
            message = {"role": "assistant", "content": text, "refusal": refusal}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            body = {"id": "1", "object": "chat.completion", "model": "scripted", "choices": [choice]}
            exchange.send(200, json.dumps(body).encode())
            return
        exchange.open_stream()
        exchange.send_piece("", refusal=refusal)
        for start in range(0, len(text), size):
            exchange.send_piece(text[start : start + size])
        if finish:
            exchange.send_piece(finish=finish)
            exchange.send_event("[DONE]")

    return reply


def say_whole(text: str) -> Reply:
    """Return a reply in one piece of JSON, also to a client that asked for a stream."""

    def reply(exchange: Exchange) -> None:
        exchange.streamed = False
        say(text)(exchange)

    return reply


def fail(status: int, message: str = "boom", code: str | None = None, **headers: str) -> Reply:
    """Return an error in the form of the protocol."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return lambda exchange: exchange.send(status, body, **headers)


def refuse_key(exchange: Exchange) -> None:
    """Refuse the key, and repeat it."""
    fail(401, f"Incorrect API key provided: {exchange.request.key}")(exchange)


def send(body: bytes, content_type: str = "application/json", status: int = 200, **headers: str) -> Reply:
    """Return a reply of bytes."""
    return lambda exchange: exchange.send(status, body, content_type, **headers)


def send_events(*events: str) -> Reply:
    """Return a stream of events as they are."""

    def reply(exchange: Exchange) -> None:
        exchange.open_stream()
        for event in events:
            exchange.send_event(event)

    return reply


def keep_silent(exchange: Exchange) -> None:
    """Send nothing."""
    exchange.wait()


def stall(text: str) -> Reply:
    """Return a stream that begins with a text and goes on with comments that say nothing."""

    def reply(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.send_piece(text)
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end and not exchange.wait(0.05):
            exchange.write(b": still here\n\n")

    return reply


def pause(text: str) -> Reply:
    """Return a stream that begins with a text and then sends nothing."""

    def reply(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.send_piece(text)
        exchange.wait()

    return reply


def cut(text: str) -> Reply:
    """Return a stream whose connection breaks after a text."""

    def reply(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.send_piece(text)
        exchange.write(b'data: {"id": "1", "cho')
        time.sleep(0.1)
        exchange.reset()

    return reply


def flood(text: str) -> Reply:
    """Return a stream that says a text again and again."""

    def reply(exchange: Exchange) -> None:
        exchange.open_stream()
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end:
            exchange.send_piece(text)

    return reply


@contextmanager
def serve(*replies: Reply) -> Iterator[OpenAIServer]:
    """Run a server that gives the replies in turn, the last one to every further request."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            _answer(self, server, replies)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        running.block_on_close = False
        server = OpenAIServer(f"http://127.0.0.1:{running.server_address[1]}/v1")
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            running.shutdown()
            thread.join()


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answer(handler: BaseHTTPRequestHandler, server: OpenAIServer, replies: Sequence[Reply]) -> None:
    body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    key = str(handler.headers.get("Authorization") or "").removeprefix("Bearer ")
    server.requests.append(Request(handler.path, key, _read_json(body)))
    reply = replies[min(len(server.requests), len(replies)) - 1]
    handler.close_connection = True
    try:
        reply(Exchange(handler, server.requests[-1], server))
    except (BrokenPipeError, ConnectionResetError):
        server.hung_up.set()
    except OSError:
        with suppress(OSError):
            handler.connection.close()


def _read_json(body: bytes) -> dict[str, object]:
    try:
        read = json.loads(body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
