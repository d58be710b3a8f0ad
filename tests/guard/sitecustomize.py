"""Refuses every connection beyond this machine, and writes down each attempt.

An audit hook sees what Python code does with sockets, whoever calls; it cannot be taken off again.
Code below Python (a browser, a compiled extension with its own sockets) is out of its sight. This folder
stands on the PYTHONPATH of each Python process that a test starts, which imports a module of this name first.
"""

import os
import sys
from ipaddress import ip_address
from pathlib import Path

LOG = "NETWORK_GUARD_LOG"
"""The environment variable that hands the log file to child processes."""

_NAMED_FIRST = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_ADDRESS_SECOND = {"socket.connect", "socket.sendto", "socket.sendmsg"}


def refuse_network(log: Path) -> None:
    """Refuse connections and look-ups beyond loopback from now on; each attempt is a line of the log."""

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in _NAMED_FIRST:
            host = arguments[0]
        elif event in _ADDRESS_SECOND and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        else:
            return
        if not _is_here(host):
            with log.open("a", encoding="utf-8") as lines:
                lines.write(f"{event} {host!r}\n")
            raise ConnectionRefusedError(f"a test tried {event} with {host!r}")

    sys.addaudithook(refuse)


def _is_here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in ("", "localhost"):
        return True
    try:
        return ip_address(str(name)).is_loopback
    except ValueError:
        return False


if LOG in os.environ:
    refuse_network(Path(os.environ[LOG]))
