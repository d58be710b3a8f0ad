"""Measures answers against questions whose answers are known."""

from assistant.evaluation.judging import judge
from assistant.evaluation.questions import Prediction, Question, ShownQuote, read_questions
from assistant.evaluation.summary import CategoryFigures, Figures, Judgement, summarise

__all__ = [
    "CategoryFigures",
    "Figures",
    "Judgement",
    "Prediction",
    "Question",
    "ShownQuote",
    "judge",
    "read_questions",
    "summarise",
]
