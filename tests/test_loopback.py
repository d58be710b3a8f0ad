"""Only this machine's own names and addresses are loopback."""

import pytest

from assistant.loopback import is_loopback


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"])
def test_the_names_and_addresses_of_this_machine_are_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["", "0.0.0.0", "::", "[::2]", "192.168.0.7", "localhost.evil.example", "127.0.0.1.evil.example", "2130706433"],
)
def test_every_other_host_is_not(host: str) -> None:
    assert not is_loopback(host)
