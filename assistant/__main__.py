"""Runs the command line as `python -m assistant`."""

from assistant.start import main

main()
