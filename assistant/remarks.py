"""What is said of an answer beside its text, in the same words wherever it is shown."""

from assistant.domain import Answer, AnswerSentence


def list_remarks(answer: Answer) -> tuple[str, ...]:
    """Return why the answer is not what was asked for, and what was done to it; a line each."""
    return tuple(
        line
        for line in (
            answer.reason if answer.reason not in answer.text else "",
            answer.notice,
            _tell_removed(answer.removed_markers),
            "The answer is incomplete." if answer.incomplete and not answer.notice else "",
        )
        if line
    )


def describe_doubt(sentence: AnswerSentence) -> str:
    """Return what is wrong with a sentence that the papers do not hold."""
    if not sentence.numbers:
        return "no paper cited"
    papers = "cited paper" if len(sentence.numbers) == 1 else "cited papers"
    return f"only in part found in the {papers}" if sentence.verdict == "partly" else f"not found in the {papers}"


def describe_answerer(answerer: str) -> str:
    """Return in words who writes the answers; empty where nobody knows."""
    if answerer == "extractive":
        return "Sentences quoted from the papers, no model at work"
    return f"Written by {answerer}, each sentence compared with the paper that it cites" if answerer else ""


def _tell_removed(count: int) -> str:
    if not count:
        return ""
    return (
        f"{count} citations that name no paper were removed."
        if count > 1
        else ("A citation that names no paper was removed.")
    )
