"""The options that say which papers may be found."""

import re
from typing import Annotated

import typer

YearOption = Annotated[
    str | None, typer.Option("--year", metavar="YEARS", help="Only papers of 2024, 2023-2025, 2023- or -2020.")
]
VenueOption = Annotated[str, typer.Option("--venue", metavar="TEXT", help="Only papers whose venue has this in it.")]
AuthorOption = Annotated[str, typer.Option("--author", metavar="TEXT", help="Only papers with such an author.")]
SourceOption = Annotated[str, typer.Option("--source", metavar="TEXT", help="Only papers of such a file.")]
MatchOption = Annotated[
    str, typer.Option("--match", metavar="TEXT", help="Only papers with this in the title or the abstract.")
]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", metavar="ID", help="Only this paper; may be given several times.")
]
WithoutOption = Annotated[
    list[str] | None, typer.Option("--without", metavar="ID", help="Not this paper; may be given several times.")
]

_YEARS = re.compile(r"(?P<first>\d{4})?(?P<to>\s*[-–:]\s*)?(?P<last>\d{4})?")


def read_years(text: str | None) -> tuple[int | None, int | None]:
    """Return the first and the last year of "2024", "2023-2025", "2023-" or "-2020"; None where it is open."""
    if text is None:
        return None, None
    match = _YEARS.fullmatch(text.strip())
    if match is None or not (match["first"] or match["last"]) or (match["last"] and not match["to"]):
        raise typer.BadParameter(f"{text!r} is no year: write 2024, 2023-2025, 2023- or -2020.", param_hint="--year")
    first = int(match["first"]) if match["first"] else None
    if not match["to"]:
        return first, first
    return first, int(match["last"]) if match["last"] else None
