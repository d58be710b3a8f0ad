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
    if filters.venue:
        parts.append((_contains("papers.venue", filters.venue), (filters.venue,)))
    if filters.source:
        either = f"({_contains('papers.source', filters.source)} OR {_of_origin(_contains('source', filters.source))})"
        parts.append((either, (filters.source, filters.source)))
    if filters.collection:
        parts.append((_of_origin("collection = ?"), (filters.collection,)))
    if filters.match:
        either = " OR ".join(_contains(f"papers.{column}", filters.match) for column in ("title", "abstract"))
        parts.append((f"({either})", (filters.match, filters.match)))
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


def _of_origin(condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM origins WHERE origins.paper = papers.key AND {condition})"


def _contains(column: str, wanted: str) -> str:
    # A function of SQLite itself is some ten times faster.
    function = "lower" if wanted.isascii() else "fold"
    return f"instr({function}({column}), {function}(?)) > 0"


def fold_case(text: str) -> str:
    """Return a text for comparing whatever the case: SQLite itself knows that of ASCII letters only."""
    return text.casefold()
