"""How a command ends: its exit code and the line that it leaves."""

import pytest
import typer

from assistant.cli import run
from assistant.cli.ask import converse
from assistant.cli.ending import explained, keeping
from assistant.cli.progress import shown_progress
from assistant.domain import Answer, History, Progress, Turn
from assistant.errors import CorpusError, QuestionError


def ended_with(error: BaseException, *, debug: bool = False) -> int:
    with pytest.raises(typer.Exit) as caught, explained(debug):
        raise error
    return caught.value.exit_code


def test_an_explained_error_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(CorpusError("list.txt:3: not a paper.\nRemove it.")) == 1
    assert capsys.readouterr().err == "error: list.txt:3: not a paper. Remove it.\n"


def test_an_unexpected_error_is_one_line_that_names_debug(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(ZeroDivisionError("division by zero")) == 1
    assert capsys.readouterr().err == (
        "error: something unexpected, ZeroDivisionError: division by zero (--debug shows the traceback)\n"
    )


@pytest.mark.parametrize("error", [CorpusError("gone \x1b[31m"), ZeroDivisionError("zero \x1b[31m")])
def test_debug_adds_the_traceback(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(error, debug=True) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback (most recent call last):\n")
    assert "raise error" in printed
    assert "\x1b" not in printed
    assert "--debug shows" not in printed


def test_ctrl_c_ends_with_130_and_says_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "stopped: nothing was changed\n"
    with pytest.raises(typer.Exit) as caught, explained(debug=False), keeping("what was added stays in /store"):
        raise KeyboardInterrupt
    assert caught.value.exit_code == 130
    assert capsys.readouterr().err == "stopped: what was added stays in /store\n"


def test_nothing_is_printed_where_nothing_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with explained(debug=False), keeping("everything"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "--zzz"], "No such option: --zzz. "),
        (["ask", "--k", "0", "Why?"], "Invalid value for '--k': "),
        (["ask", "--k", "abc", "Why?"], "Invalid value for '--k': "),
        (["search"], "Missing argument 'WORDS'. "),
        (["eval"], "Missing argument 'QUESTIONS'. "),
        (["serach", "x"], "No such command 'serach'. Did you mean 'search'? "),
        (["chat", "--port", "70000"], "Invalid value for '--port': "),
        (["papers", "a#1", "b\x1b[31m"], "Got unexpected extra argument"),
    ],
)
def test_a_wrong_use_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {message}")
    assert printed.endswith("`assistant --help` shows what there is.\n")
    assert printed.count("\n") == 1
    assert "\x1b" not in printed


@pytest.mark.parametrize("command", ["ask", "chat", "search", "papers", "index", "eval"])
def test_every_command_has_help_with_examples_and_takes_store_and_debug(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    printed = capsys.readouterr().out
    assert f"  assistant {command}" in printed.partition("Examples:")[2]
    assert "--store DIR" in printed
    assert "--debug" in printed


def test_what_stands_before_the_command_counts_for_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", "/before", "papers", "--help"]) == 0
    assert "/before" in capsys.readouterr().out


def test_without_a_command_the_help_lists_the_commands_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    bare = capsys.readouterr().out
    assert run(["--help"]) == 0
    assert capsys.readouterr().out.strip() == bare.strip()
    heads = [line for line in bare.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert heads == ["Options:", "Ask:", "Papers:", "Store:", "Measure:"]


def test_lines_make_one_conversation_and_a_failing_one_does_not_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[tuple[str, History]] = []

    def reply(question: str, history: History) -> Answer:
        asked.append((question, history))
        if question == "bad":
            raise QuestionError("The question is too long.")
        return Answer(question, question, f"{question}, answered")

    with pytest.raises(typer.Exit) as caught:
        converse(reply, ["one", "bad", "two"], debug=False)
    first = (Turn("user", "one"), Turn("assistant", "one, answered"))
    assert asked == [("one", ()), ("bad", first), ("two", first)]
    assert capsys.readouterr().err == "error: The question is too long.\n"
    assert caught.value.exit_code == 1


def test_a_conversation_ends_when_its_reader_is_gone() -> None:
    def reply(question: str, history: History) -> Answer:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        converse(reply, ["one", "two"], debug=False)


@pytest.mark.parametrize(("seconds", "lines"), [(0, "embedding: 1 of 3\nembedding: 3 of 3\n"), (60, "")])
def test_progress_is_told_in_lines_that_are_seconds_apart(
    seconds: float, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with shown_progress(seconds) as show:
        show(Progress("embedding", 1, 3))
        show(Progress("embedding", 3, 3))
    assert capsys.readouterr().err == lines
