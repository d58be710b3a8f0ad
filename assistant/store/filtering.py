"""Filters as conditions of SQL over the papers."""

import json

from assistant.domain import Filters

Condition = tuple[str, tuple[str | int, ...]]


def write_condition(filters: Filters) -> Condition:
    """Return what is true of the rows of `papers` that pass, with its parameters; texts match inside, in any case."""
    parts: list[Condition] = []
    if filters.first_year is not None:
        parts.append(("papers.year >= ?", (filters.first_year,)))
    if filters.last_year is not None:
        parts.append(("papers.year <= ?", (filters.last_year,)))
    for column, wanted in (("venue", filters.venue), ("source", filters.source)):
        if wanted:
            parts += [(_contains(f"papers.{column}", wanted), (wanted,))]
    if filters.author:
        parts.append(
            (
                "EXISTS (SELECT 1 FROM json_each(papers.authors) WHERE "
                + _contains("json_each.value", filters.author)
                + ")",
                (filters.author,),
            )
        )
    if filters.only:
        parts.append(("papers.id IN (SELECT value FROM json_each(?))", (json.dumps(filters.only),)))
    if filters.without:
        parts.append(("papers.id NOT IN (SELECT value FROM json_each(?))", (json.dumps(filters.without),)))
    condition = " AND ".join(text for text, _ in parts) or "1"
    return condition, tuple(value for _, values in parts for value in values)


def _contains(column: str, wanted: str) -> str:
    # A function of SQLite itself is some ten times faster.
    function = "lower" if wanted.isascii() else "fold"
    return f"instr({function}({column}), {function}(?)) > 0"


def fold_case(text: str) -> str:
    """Return a text for comparing whatever the case: SQLite itself knows that of ASCII letters only."""
    return text.casefold()
