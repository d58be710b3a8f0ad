"""Prompts are files whose variables are checked when they are read."""

from pathlib import Path

import pytest

from assistant.answering.sources import read_answer_prompt, read_standalone_prompt
from assistant.errors import PromptError
from assistant.prompts import read_prompt


def write_prompt(folder: Path, text: str) -> Path:
    path = folder / "mine.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_prompt_has_what_stands_under_its_two_headings(tmp_path: Path) -> None:
    write_prompt(tmp_path, "# System\n\nBe {manner}.\n\n# User\n\n{question} {{literally}}\n")
    prompt = read_prompt("mine", ("manner", "question"), tmp_path)
    assert (prompt.name, prompt.system, prompt.user) == ("mine", "Be {manner}.", "{question} {{literally}}")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("# System\nBe kind.\n# User\n{question} {other}\n", "{other}"),
        ("# System\nBe kind.\n# User\nWhat?\n", "{question}"),
        ("# System\nBe kind.\n# User\n{question} {question.__class__}\n", "{question.__class__}"),
        ("# System\nBe kind.\n# User\n{question} {question!r}\n", "{question}"),
        ("# System\nBe kind.\n# User\n{question} {0}\n", "{0}"),
        ("# System\nBe kind.\n# User\n{question} }\n", "brace"),
        ("Be kind. {question}\n", "# System"),
    ],
)
def test_a_prompt_that_does_not_fit_is_refused_with_its_file_and_variable(
    tmp_path: Path, text: str, named: str
) -> None:
    path = write_prompt(tmp_path, text)
    with pytest.raises(PromptError) as caught:
        read_prompt("mine", ("question",), tmp_path)
    assert str(path) in str(caught.value)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_prompt_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"mine\.md cannot be read"):
        read_prompt("mine", (), tmp_path)


def test_the_prompts_of_the_package_fit_their_values() -> None:
    assert "{sources}" in read_answer_prompt().user
    assert "{conversation}" in read_standalone_prompt().user
