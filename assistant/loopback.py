"""Which hosts are this machine and no other."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Return whether a host, a name or an address without its port, is this machine."""
    bare = host.removeprefix("[").removesuffix("]").lower()
    if bare == "localhost":
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False
