"""What a model thinks aloud is not its answer."""

import pytest

from assistant.answering.reasoning import drop_reasoning


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>a plan</think>Sparrow halves it [1].", "Sparrow halves it [1]."),
        ("\n <THINK>a plan\n</Think>\n\nSparrow.", "Sparrow."),
        ("<thinking>a < b</thinking>Sparrow.", "Sparrow."),
        ("<think></think>", ""),
        ("<think>never closed. Sparrow.", "never closed. Sparrow."),
        ("The token <think> opens </think> it.", "The token <think> opens </think> it."),
        ("<b>Sparrow</b>", "<b>Sparrow</b>"),
        ("  Sparrow", "  Sparrow"),
        ("<thi", "<thi"),
        ("", ""),
    ],
)
def test_the_answer_is_what_follows_the_thinking(text: str, answer: str, size: int) -> None:
    pieces = iter([text[start : start + size] for start in range(0, len(text), size)])
    assert "".join(drop_reasoning(pieces)) == answer
