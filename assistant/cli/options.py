"""The options that several commands share."""

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="The folder of the store; else ASSISTANT_STORE, ./store, your own."),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error as well.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
CollectionOption = Annotated[
    str | None, typer.Option("--collection", metavar="NAME", help="Only papers of this collection; see `collections`.")
]
IntoOption = Annotated[
    str | None, typer.Option("--collection", metavar="NAME", help="The collection to put them into; else `default`.")
]
KOption = Annotated[
    int | None,
    typer.Option("--k", metavar="N", min=1, max=100, help="How many papers to look for; else ASSISTANT_K."),
]
