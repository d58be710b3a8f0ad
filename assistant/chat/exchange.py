"""One question of a conversation and what has come of it so far."""

from dataclasses import dataclass, replace

from assistant.domain import Answer, AnswerSentence, Draft, Event, Progress, Step, Turn


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer, in a sentence for the user."""

    text: str


Happening = Event | Progress | Problem


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question, numbered from 1, with the steps taken and the text written for it so far.

    `text` is provisional; once there is an answer, the answer is what counts.
    """

    number: int
    question: str
    steps: tuple[str, ...] = ()
    phase: str = ""
    text: str = ""
    drafted: bool = False
    answer: Answer | None = None
    problem: str = ""
    stopped: bool = False

    @property
    def working(self) -> bool:
        """Return whether more is to come."""
        return not (self.answer or self.problem or self.stopped)


Exchanges = tuple[Exchange, ...]
"""A conversation as the window has it, oldest first."""


def follow(exchange: Exchange, happening: Happening) -> Exchange:
    """Return the exchange as it stands after what has just happened."""
    match happening:
        case Step(text):
            return replace(exchange, steps=(*exchange.steps, text), phase="")
        case Progress(phase, done, total):
            return replace(exchange, phase=f"{phase}: {done} of {total}")
        case Draft(text):
            written = exchange.text + text if exchange.drafted else text
            return replace(exchange, text=written, drafted=True)
        case AnswerSentence():
            return exchange if exchange.drafted else replace(exchange, text=_extend(exchange.text, happening))
        case Answer():
            return replace(exchange, answer=happening, text=happening.text, phase="")
        case Problem(text):
            return replace(exchange, problem=text, phase="")


def _extend(written: str, sentence: AnswerSentence) -> str:
    markers = "".join(f"[{number}]" for number in sentence.numbers)
    text = sentence.text if markers and markers in sentence.text else f"{sentence.text} {markers}"
    return f"{written} {text}".strip()


def history(exchanges: Exchanges) -> tuple[Turn, ...]:
    """Return the turns of the questions that were answered, oldest first."""
    turns: list[Turn] = []
    for exchange in exchanges:
        if exchange.answer is not None:
            turns += [Turn("user", exchange.question), Turn("assistant", exchange.answer.text)]
    return tuple(turns)
