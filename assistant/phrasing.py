"""An answer as one plain text, for what reads nothing else."""

from assistant.domain import Answer
from assistant.remarks import list_remarks

SOURCES = "Sources:"


def write_text(answer: Answer) -> str:
    """Return the answer with what is to be said of it and its numbered sources, as one text."""
    sources = "\n".join(f"[{each.number}] {each.label} ({each.paper.id})" for each in answer.citations)
    parts = (answer.text, *list_remarks(answer), f"{SOURCES}\n{sources}" if sources else "")
    return "\n\n".join(part for part in parts if part).strip()
