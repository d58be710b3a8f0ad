"""What every request passes: who may come in, how much and how often, and a line in the log about it."""

import asyncio
import hmac
from base64 import b64decode
from binascii import Error as NotBase64
from time import monotonic

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.serving.admission import STOPPING, Closing, Rate
from assistant.serving.logs import log_request
from assistant.serving.problems import SOON, Problem, busy_for, find_problem, make_response

LARGEST_BODY = 4 * 1024 * 1024
SECONDS_FOR_A_BODY = 20.0
READING = frozenset({"GET", "HEAD", "OPTIONS"})
PROGRAMS = ("/api/", "/v1/", "/mcp")
NO_TOKEN = "The token is missing or wrong: send it as `Authorization: Bearer TOKEN`, or as the password of any user."
NO_SUCH_PATH = "There is nothing at a path with a line break."
TOO_LARGE = f"The body is larger than {LARGEST_BODY // 1024**2} MiB."
TOO_SLOW = f"The body did not arrive within {SECONDS_FOR_A_BODY:.0f} seconds."


class Door:
    """Middleware for all protocols of a server; without a token there is no limit of requests either."""

    def __init__(self, app: ASGIApp, token: str, rate: Rate, closing: Closing) -> None:
        self._app = app
        self._token = token
        self._rate = rate
        self._closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or turn it away with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, counts = monotonic(), 0, scope["method"] not in READING
        self._closing.working += counts

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._pass(scope, receive, watch)
        except Exception as error:
            # What has been answered has been told and logged as well.
            if not status:
                await make_response(find_problem(error))(scope, receive, watch)
        finally:
            self._closing.working -= counts
            log_request(scope, status, monotonic() - started)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._find_problem(scope)
        if problem is not None:
            response = make_response(problem)
            if problem.status == 401:
                response.headers["WWW-Authenticate"] = 'Basic realm="Paper Assistant", charset="UTF-8"'
            await response(scope, receive, send)
            return
        await self._app(scope, Limited(receive), send)

    def _find_problem(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        if self._token:
            client = scope["client"][0] if scope.get("client") else ""
            known = is_authorised(headers.get("authorization", ""), self._token)
            # Whoever guesses takes nothing from those who know it.
            counted = client if known else f"guesses of {client}"
            if (not known or is_work(scope)) and (wait := self._rate.wait(counted)) > 0:
                return busy_for(wait)
            if not known:
                return Problem(401, NO_TOKEN)
        if self._closing.begun and scope["method"] not in READING:
            return Problem(503, STOPPING, SOON)
        if "\n" in scope["path"]:
            # No route of the framework has a line break in it: the window would answer, in its own form.
            return Problem(404, NO_SUCH_PATH)
        length = headers.get("content-length", "0")
        return Problem(413, TOO_LARGE) if length.isdecimal() and int(length) > LARGEST_BODY else None


class Limited:
    """The body of a request as it arrives: no more than may be sent, and not for ever."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0
        self._whole = False
        self._until = monotonic() + SECONDS_FOR_A_BODY

    async def __call__(self) -> Message:
        """Return the next message; raises HTTPException."""
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._until - monotonic()))
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW) from None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > LARGEST_BODY:
            raise HTTPException(413, TOO_LARGE)
        return message


def is_work(scope: Scope) -> bool:
    """Return whether a request is more than the reading of the page, which is made of a hundred files."""
    return scope["method"] not in READING or scope["path"].startswith(PROGRAMS)


def is_authorised(authorization: str, token: str) -> bool:
    """Return whether a header brings the token, as a bearer or as a password; how long that takes tells nothing."""
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() == "basic":
        given = _read_password(given)
    elif scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())


def _read_password(credentials: str) -> str:
    try:
        return b64decode(credentials).decode("utf-8").partition(":")[2]
    except (NotBase64, ValueError):
        return ""
