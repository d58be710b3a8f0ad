"""Turns away requests that another site's page could make, and tells the browser to fetch from here alone."""

from collections.abc import Container
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.loopback import is_loopback

# Gradio needs inline scripts and eval. Nothing may be fetched from, or sent to, another host.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-src 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "base-uri 'self'",
        "worker-src 'self' blob:",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
REFUSED = "This server answers to its own names only: localhost, 127.0.0.1, and those of `assistant serve --name`."


class Guard:
    """Middleware: the Host and the Origin must be this server, and each answer carries the headers."""

    def __init__(self, app: ASGIApp, names: Container[str] = ()) -> None:
        """Take requests that name this machine, or one of the names by which others know it."""
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        app = self._app if is_ours(Headers(scope=scope), self._names) else PlainTextResponse(REFUSED, status_code=403)
        await app(scope, receive, send_with_headers)


def is_ours(headers: Headers, names: Container[str] = ()) -> bool:
    """Return whether a request names this machine as its host and, where it tells, this window as its origin."""
    host, origin = headers.get("host", ""), headers.get("origin")
    named = _without_port(host)
    return (is_loopback(named) or named in names) and (origin is None or _netloc(origin) == host)


def _without_port(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
