"""Starts the command line; a Ctrl-C while it is still loading ends it without a traceback."""

import signal


def main() -> None:
    """Run the command line on the arguments of this process."""
    # Until it can say what is kept there is nothing to keep: the signal ends the process as it ends any other.
    usual = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from assistant.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()
