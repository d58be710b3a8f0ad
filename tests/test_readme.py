"""The README says what is so: its Python runs, and its commands, options and settings are the ones there are."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from assistant.cli import create_app
from assistant.domain import Paper, Skipped
from assistant.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = get_command(create_app()).commands  # type: ignore[attr-defined]

PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
USES = sorted(set(re.findall(r"(?:^\$ |^|`)assistant ([a-z]+)\b([^`\n|<>]*)", README, re.MULTILINE)))
LINKS = re.findall(r"\]\(([^)\s]+)\)", README)


def environment() -> dict[str, str]:
    """Return the environment of a process that finds the package, installed or not."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])}


def name_anchor(heading: str) -> str:
    """Return what a link to a heading of this file looks like."""
    return "#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.splitlines()[-1].strip())
def test_each_python_example_runs(code: str, place: Path, seeds_store: Path) -> None:
    shutil.copytree(seeds_store, place / "my-store")
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr


def test_the_example_of_a_format_reads_a_file(place: Path) -> None:
    (code,) = (code for code in PYTHON if '@reader(".pairs")' in code)
    read = """
from assistant.corpus import read_papers
for found in read_papers(Path("papers.pairs")):
    print(found)
"""
    (place / "papers.pairs").write_text("Sparrow\tSparse, and fast.\nWren\n", encoding="utf-8")
    child = subprocess.run(
        [sys.executable, "-c", code + read], env=environment(), capture_output=True, text=True, check=False
    )
    assert child.stderr == ""
    sparrow = Paper("papers#1", "Sparse, and fast.", "Sparrow", source="papers.pairs")
    assert child.stdout.splitlines() == [repr(sparrow), repr(Skipped("papers.pairs:2", "no abstract"))]


def test_the_first_example_has_five_lines() -> None:
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) == 5


@pytest.mark.parametrize(("command", "rest"), USES)
def test_each_command_and_option_named_is_there(command: str, rest: str) -> None:
    assert command in COMMANDS
    options = {option for parameter in COMMANDS[command].params for option in parameter.opts}
    assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= {*options, "--help"}


def test_each_command_there_is_is_named() -> None:
    assert COMMANDS.keys() <= {command for command, _ in USES}


def test_the_settings_named_are_those_there_are() -> None:
    assert set(re.findall(rf"{PREFIX}[A-Z_]+", README)) == {PREFIX + name.upper() for name in Settings.model_fields}


@pytest.mark.parametrize("name", ["k", "timeout", "temperature"])
def test_a_default_named_is_the_one_there_is(name: str) -> None:
    (default,) = re.findall(rf"^\| `{PREFIX}{name.upper()}` \| ([\d.]+) \|", README, re.MULTILINE)
    assert float(default) == Settings.model_fields[name].default


@pytest.mark.parametrize("link", LINKS)
def test_each_link_leads_to_something(link: str) -> None:
    if link.startswith("#"):
        assert link in {name_anchor(heading) for heading in re.findall(r"^#+ (.+)$", README, re.MULTILINE)}
    else:
        assert (ROOT / link).exists()


def test_the_two_commands_are_there_and_can_be_run() -> None:
    for command in ("scripts/chat", "scripts/test"):
        assert f"\n./{command}\n" in README
        assert (ROOT / command).stat().st_mode & 0o111
