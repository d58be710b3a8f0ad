"""What deploy/ holds fits the program: no container is made here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from assistant import Assistant
from assistant.cli import create_app
from assistant.serving.server import SECONDS_TO_FINISH, Terms
from assistant.settings import PREFIX, Settings
from tests.servers import served

ROOT = Path(__file__).resolve().parents[1]
CONTAINERFILE = (ROOT / "deploy/Containerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
TOKEN = "canary-token-0123456789"


def check_health(url: str, token: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "deploy/health.py"), url.rpartition(":")[2]]
    environment = {**os.environ, "ASSISTANT_TOKEN": token}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_health_check_tells_a_server_that_answers_from_one_that_does_not(seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant, served(assistant, Terms(token=TOKEN)) as server:
        assert check_health(server.url, TOKEN).returncode == 0
        refused = check_health(server.url, "wrong")
    gone = check_health(server.url, TOKEN)
    for failed in (refused, gone):
        assert failed.returncode == 1
        assert failed.stderr.startswith("The server does not answer: ")
        assert failed.stderr.count("\n") == 1


def test_what_the_image_is_made_of_is_there() -> None:
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", CONTAINERFILE, re.MULTILINE)
    assert all((ROOT / name).exists() for line in copied for name in line.split())


def test_the_image_runs_the_command_as_nobody_of_note() -> None:
    (entry,) = re.findall(r"^ENTRYPOINT (.+)$", CONTAINERFILE, re.MULTILINE)
    program, command, *options = json.loads(entry)
    known = {option for each in get_command(create_app()).commands[command].params for option in each.opts}  # type: ignore[attr-defined]
    assert program == "assistant"
    assert {option for option in options if option.startswith("--")} <= known
    assert re.findall(r"^USER (.+)$", CONTAINERFILE, re.MULTILINE) == ["10001"]


def test_the_services_leave_answers_the_time_to_finish_and_need_a_token() -> None:
    service = yaml.safe_load(COMPOSE)["services"]["assistant"]
    assert int(service["stop_grace_period"].rstrip("s")) > SECONDS_TO_FINISH
    assert service["environment"]["ASSISTANT_TOKEN"].startswith("${ASSISTANT_TOKEN:?")
    assert service["ports"] == ["127.0.0.1:7860:7860"]
    assert (ROOT / "deploy" / service["build"]["context"] / service["build"]["dockerfile"]).exists()


@pytest.mark.parametrize("text", [CONTAINERFILE, COMPOSE], ids=["Containerfile", "compose.yaml"])
def test_the_settings_named_are_those_there_are(text: str) -> None:
    assert set(re.findall(rf"{PREFIX}[A-Z_]+", text)) <= {PREFIX + name.upper() for name in Settings.model_fields}
