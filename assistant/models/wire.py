"""The connection to a model's server: bounded, never redirected, and closed from outside when it must be."""

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from threading import Event

import httpx2

from assistant.loopback import is_loopback

MOST_BYTES = 16 * 1024 * 1024
"""Of one reply: 64 KiB of text in the smallest pieces stay below it."""
LONGEST_LINE = 1024 * 1024
_DONE = re.compile(rb"(?:\A|\n)data: ?\[DONE\]")
_DECLINED = re.compile(rb'(?<!\\)"refusal"\s{0,3}:\s{0,3}"')
_LONGEST_SIGN = 32


class WireFault(Exception):
    """A reply that is not read further; the message goes on from "the model ... "."""


class Call:
    """One request as it can be seen and ended from another thread."""

    def __init__(self) -> None:
        self.ended = Event()
        self.done = False
        """Whether the server said that the stream is at its end."""
        self.declined = False
        """Whether a refusal came in the place of text, which LangChain passes over in a stream."""
        self.content_type = ""
        self._socket: socket.socket | None = None
        self._reply: httpx2.SyncByteStream | None = None

    def connected(self, connection: socket.socket) -> None:
        """Take the socket of the request."""
        self._socket = connection
        if self.ended.is_set():
            self.hang_up()

    def replied(self, reply: httpx2.SyncByteStream) -> None:
        """Take the bytes of the reply."""
        self._reply = reply

    def let_go(self) -> None:
        """Close the reply, from the thread that read it: after a fault its client leaves it open."""
        reply, self._reply = self._reply, None
        if reply is not None:
            with suppress(Exception):
                reply.close()

    def hang_up(self) -> None:
        """End the request at once: a thread that waits for its bytes wakes up."""
        self.ended.set()
        if self._socket is not None:
            with suppress(OSError):
                # close() would leave the reading thread asleep; shutdown() wakes it.
                self._socket.shutdown(socket.SHUT_RDWR)


CALL: ContextVar[Call | None] = ContextVar("call", default=None)
"""The call that the requests of this thread belong to."""


def open_client(host: str, seconds: float) -> httpx2.Client:
    """Return an HTTP client for a host; no read of it waits longer than the seconds."""
    return httpx2.Client(
        follow_redirects=False,
        # No proxy stands before this machine.
        trust_env=not is_loopback(host),
        timeout=httpx2.Timeout(seconds, connect=min(seconds, 10.0)),
        headers={"Accept-Encoding": "identity"},
        # A kept connection would be handed to a later call without its socket being known.
        limits=httpx2.Limits(max_keepalive_connections=0),
        event_hooks={"request": [_watch], "response": [_guard]},
    )


def _watch(request: httpx2.Request) -> None:
    call = CALL.get()
    if call is None:
        return

    def trace(name: str, info: Mapping[str, object]) -> None:
        stream = info.get("return_value")
        if name.endswith(("connect_tcp.complete", "start_tls.complete")) and stream is not None:
            found = getattr(stream, "get_extra_info", lambda _: None)("socket")
            if isinstance(found, socket.socket):
                call.connected(found)

    request.extensions = {**request.extensions, "trace": trace}


def _guard(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise WireFault("sent a compressed answer, which it was not asked for")
    if response.has_redirect_location:
        raise WireFault("sends its requests to another address, which is not followed: check ASSISTANT_BASE_URL")
    call = CALL.get() or Call()
    call.content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if isinstance(response.stream, httpx2.SyncByteStream):
        call.replied(response.stream)
        response.stream = _Bounded(response.stream, call)


class _Bounded(httpx2.SyncByteStream):
    """The bytes of a reply, up to a limit."""

    def __init__(self, stream: httpx2.SyncByteStream, call: Call) -> None:
        self._stream = stream
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        """Yield the bytes; raises WireFault when they, or a line of them, are too many."""
        total = line = 0
        before = b""
        for part in self._stream:
            if self._call.ended.is_set():
                raise WireFault("was ended")
            total += len(part)
            last = part.rfind(b"\n")
            line = line + len(part) if last < 0 else len(part) - last - 1
            if total > MOST_BYTES or max(line, len(part)) > LONGEST_LINE:
                raise WireFault("sent more than an answer can be")
            before = before[-_LONGEST_SIGN:] + part
            self._call.done = self._call.done or _DONE.search(before) is not None
            self._call.declined = self._call.declined or _DECLINED.search(before) is not None
            yield part

    def close(self) -> None:
        """Close the reply."""
        self._stream.close()
