"""Serves a chat window on a free port of loopback, in this process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from assistant.chat.server import create_app
from assistant.chat.work import Responder


@contextmanager
def serving(assistant: Responder) -> Iterator[str]:
    """Serve the window over an assistant; give its address, without a slash at the end."""
    server = uvicorn.Server(uvicorn.Config(create_app(assistant), log_level="critical", timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
