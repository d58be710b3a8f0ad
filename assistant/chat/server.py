"""Serves the chat window to browsers on this machine."""

import errno
import os
import socket
import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING

from assistant.chat.work import Responder
from assistant.errors import ServerError
from assistant.loopback import is_loopback

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from assistant.chat.window import Window

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7860
SECONDS_TO_CLOSE = 1

# Read by gradio and its friends when they are imported: no telemetry, no other host, no proxy between us and us.
_ENVIRONMENT = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_RUN_HISTORY": "False",
    "GRADIO_MCP_SERVER": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def create_app(assistant: Responder) -> "FastAPI":
    """Return the application that serves the chat window over an assistant, to this machine."""
    from fastapi import FastAPI

    from assistant.chat.guard import Guard

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    mount_window(app, assistant)
    app.add_middleware(Guard)
    return app


def mount_window(app: "FastAPI", assistant: Responder) -> "Window":
    """Serve the chat window at every path of the application that is not taken, and return it."""
    os.environ.update(_ENVIRONMENT)
    import gradio as gr

    from assistant.chat.window import Window, read_data

    window = Window(assistant)
    gr.mount_gradio_app(
        app,
        window.blocks,
        path="/",
        app_kwargs={"docs_url": None, "redoc_url": None, "openapi_url": None},
        server_name=DEFAULT_HOST,
        show_error=False,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        mcp_server=False,
        ssr_mode=False,
        pwa=False,
        allowed_paths=[],
        max_file_size="1mb",
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]),
        css=read_data("style.css"),
        head=f"<script>{read_data('page.js')}</script>",
    )
    return window


def serve(
    assistant: Responder,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    tell: Callable[[str], None] | None = None,
    open_browser: Callable[[str], None] | None = None,
) -> None:
    """Serve the chat window until Ctrl-C.

    `tell` is called with its address once the port is ours, `open_browser`, which may take its time, once it answers.
    """
    import uvicorn

    with listen(_loopback(host), port) as listener:
        config = uvicorn.Config(
            create_app(assistant), log_level="critical", timeout_graceful_shutdown=SECONDS_TO_CLOSE, ws="none"
        )
        server = uvicorn.Server(config)
        if tell is not None:
            tell(locate(listener))
        if open_browser is not None:
            # Some browsers run as long as their window is open, and the page is served meanwhile.
            Thread(target=_open_when_served, args=(server, open_browser, locate(listener)), daemon=True).start()
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            return


def _loopback(host: str) -> str:
    if is_loopback(host):
        return DEFAULT_HOST if host.lower() == "localhost" else host.strip("[]")
    raise ServerError(
        f"The chat window opens on this machine only, until it has passwords: {host} is refused. Use {DEFAULT_HOST}."
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises ServerError where the port cannot be had."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    # On Windows this option would let two programs share the port.
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # At once: until a socket listens, a second window can bind the same port.
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        reason = "is in use" if isinstance(error, OSError) and error.errno == errno.EADDRINUSE else "cannot be used"
        raise ServerError(f"Port {port} of {host} {reason}. Choose another one with --port.") from error
    return listener


def _open_when_served(server: "uvicorn.Server", open_browser: Callable[[str], None], address: str) -> None:
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    open_browser(address)


def locate(listener: socket.socket) -> str:
    """Return the address of the page that a socket serves."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
