"""A model's refusal is known in its usual wordings, and an answer is not taken for one."""

import pytest

from assistant.answering.refusal import is_refusal
from assistant.answering.sources import REFUSAL


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL,
        f"{REFUSAL} [1][2]",
        "The papers do not say.",
        "the papers do not say who funded it",
        "**The papers do not say.**",
        "I don't know.",
        "I’m sorry, but the sources do not contain information about this.",
        "The provided sources don't mention the capital of France.",
        "None of the papers discuss this topic.",
        "No paper mentions the weather.",
        "Based on the provided sources, I cannot answer this question.",
        "There is not enough information to say.",
        "The answer cannot be determined from the sources.",
        "Unfortunately, the abstracts do not specify the batch size. They only describe the method.",
        "It is not mentioned.",
        "There is no information about the batch size.",
        "There is no evidence of this in the provided papers.",
        "No information.",
        "The sources cannot answer this.",
        "Unanswerable",
    ],
)
def test_a_refusal_is_known(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sparrow halves the memory [1].",
        "The papers do not say who built it. Sparrow halves the memory of training, though [1].",
        "No data is needed for pre-training with Robin [2].",
        "The papers propose sparse attention [1].",
        "I know of two methods [1][2].",
        "No information is lost by quantising to 4 bits [1].",
        "No evidence of forgetting was found with LoRA [2].",
        "The context cannot contain more than 4,096 tokens [1].",
        "The papers do not say how Sparrow works, but that it halves the memory [1].",
        "There is no evidence of forgetting in these papers but for Robin [2].",
        "No information is lost by quantising to 4 bits.",
        "No evidence of forgetting was found with LoRA.",
        "The context cannot contain more than 4,096 tokens.",
        "Not only Sparrow but Wren prunes edges [1].",
    ],
)
def test_an_answer_is_not_taken_for_a_refusal(text: str) -> None:
    assert not is_refusal(text)
