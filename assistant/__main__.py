"""Runs the command line as `python -m assistant`."""

from assistant.cli import main

main()
