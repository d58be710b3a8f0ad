"""Questions about a paper's record: who wrote it, when, where it appeared."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from assistant.domain import Paper
from assistant.text.labels import label


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a paper's record: how it is asked for, and how it is told; an empty value is not told."""

    name: str
    asked: re.Pattern[str]
    value: Callable[[Paper], str]
    sentence: str


def _pattern(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE)


FIELDS = (
    Field(
        "authors",
        _pattern(
            r"\bwho (?:wrote|authored|invented|discovered|came up with|(?:is|are) the authors?)\b",
            r"\b(?:which|what) (?:researchers?|scientists?|group|lab|team) "
            r"(?:wrote|discovered|invented|found|made|did|is|are)\b",
            r"^(?:(?:who|name|list|give|show|tell|what|which)\b.{0,30})?\b(?:the )?authors? (?:of|behind)\b",
            r"\bnames? of the authors?\b",
        ),
        lambda paper: ", ".join(paper.authors),
        "The authors of {label} are {value}.",
    ),
    Field(
        "affiliations",
        _pattern(r"\b(?:which|what) (?:university|institut\w+|company)\b", r"\baffiliat\w+"),
        lambda paper: "",
        "",
    ),
    Field(
        "publication dates",
        _pattern(
            r"\b(?:which|what) (?:year|date|month)\b",
            r"\bwhen was .{0,60}\b(?:published|written|released|submitted)\b",
        ),
        lambda paper: str(paper.year or ""),
        "{label} is of {value}.",
    ),
    Field(
        "venues",
        _pattern(r"\b(?:which|what) (?:conference|journal|venue)\b", r"\bwhere was .{0,60}\bpublished\b"),
        lambda paper: paper.venue,
        "{label} appeared in {value}.",
    ),
    Field(
        "identifiers",
        _pattern(r"\b(?:doi|arxiv id|isbn)\b"),
        lambda paper: paper.doi,
        "The DOI of {label} is {value}.",
    ),
    Field(
        "citation counts",
        _pattern(r"\bhow (?:many|often) .{0,30}\b(?:citations?|cited)\b", r"\bimpact factor\b"),
        lambda paper: "",
        "",
    ),
)


def asked_field(question: str) -> Field | None:
    """Return the field of the record that a question asks for."""
    return next((field for field in FIELDS if field.asked.search(question)), None)


def tell_field(field: Field, paper: Paper) -> str:
    """Return the field of a paper in a sentence, empty when its source did not say."""
    value = field.value(paper)
    return field.sentence.format(label=label(paper), value=value) if value else ""
