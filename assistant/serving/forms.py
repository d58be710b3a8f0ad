"""What clients send, checked, and what they get, described for the OpenAPI document.

Answers are written by `assistant.documents`; the forms of responses here only describe that (a test compares them).
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.assistant import LONGEST_QUESTION
from assistant.domain import Filters, Paper, Turn

SOURCE = "api"
LONGEST_TEXT = 20_000
MOST_TURNS = 100
MOST_PAPERS = 500
K = Annotated[int | None, Field(ge=1, le=100, description="How many papers to look for; else the server's setting.")]
Year = Annotated[int | None, Field(ge=0, le=9999)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Name = Annotated[str, Field(max_length=1_000)]
# The assistant itself looks at a question, and says in better words what is wrong with it.
Question = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_QUESTION, "pattern": r"\S"})]


class Form(BaseModel):
    """Takes what it names and nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Body(Form):
    """Takes JSON as it is: no text for a number, no number for a truth value."""

    model_config = ConfigDict(strict=True)


class FiltersForm(Body):
    """Which papers may be found; what is left out lets every paper pass."""

    first_year: Year = None
    last_year: Year = None
    venue: Name = ""
    author: Name = ""
    source: Name = ""
    only: Annotated[list[Name], Field(max_length=1_000)] = []
    without: Annotated[list[Name], Field(max_length=1_000)] = []
    collection: Name = ""
    match: Name = ""

    def read(self) -> Filters:
        """Return the filters."""
        return Filters(
            self.first_year, self.last_year, self.venue, self.author, self.source, tuple(self.only), tuple(self.without)
        )


class TurnForm(Body):
    """One message of the conversation before."""

    role: Literal["user", "assistant"]
    text: Text


class Search(Body):
    """What to look for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "linear attention", "k": 2}]})

    question: Question
    k: K = None
    filters: FiltersForm = FiltersForm()


class Ask(Search):
    """A question, with the conversation before it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "How long does TabFlex need for the poker-hand dataset?"},
                {
                    "question": "How fast is it?",
                    "history": [
                        {"role": "user", "text": "What is TabFlex?"},
                        {"role": "assistant", "text": "TabFlex efficiently handles tabular datasets. [1]"},
                    ],
                },
            ]
        }
    )

    history: Annotated[list[TurnForm], Field(max_length=MOST_TURNS, description="Oldest first.")] = []
    stream: Annotated[bool, Field(description="Send events as they come, as `Accept: text/event-stream` does.")] = False

    def read_history(self) -> tuple[Turn, ...]:
        """Return the conversation."""
        return tuple(Turn(turn.role, turn.text) for turn in self.history)


class PaperForm(Body):
    """A paper to add."""

    id: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\r\n]*\S[^\r\n]*$")]
    abstract: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]
    title: Name = ""
    authors: Annotated[list[Name], Field(max_length=1_000)] = []
    year: Year = None
    venue: Name = ""
    url: Name = ""
    doi: Name = ""

    def read(self) -> Paper:
        """Return the paper; its source is the API."""
        return Paper(
            self.id, self.abstract, self.title, tuple(self.authors), self.year, self.venue, self.url, self.doi, SOURCE
        )


class Papers(Body):
    """Papers to add; one whose id is known takes the place of the other when it is the same paper."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "papers": [
                        {
                            "id": "sparrow-2025",
                            "title": "Sparrow: sparse attention for long documents",
                            "abstract": "We propose Sparrow, a sparse attention method. It halves the memory.",
                            "authors": ["Ada Lovelace"],
                            "year": 2025,
                        }
                    ]
                }
            ]
        }
    )

    papers: Annotated[list[PaperForm], Field(min_length=1, max_length=MOST_PAPERS)]
