"""The wheel carries all that it needs and answers from any folder."""

import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = {
    "seeds": sorted((ROOT / "seeds").glob("*.txt")),
    "prompts": sorted((ROOT / "prompts").glob("*.md")),
    "embedder": sorted(path for path in (ROOT / "embedder").iterdir() if path.is_file() and path.suffix != ".py"),
}


def run(*command: str | Path, where: Path) -> str:
    """Run a command and return what it prints; a failure shows what it said."""
    child = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False, timeout=300)
    assert child.returncode == 0, child.stdout + child.stderr
    return child.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, where=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of a new environment with the wheel; what it depends on comes from the tests' own."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder, where=folder)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, where=folder)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", where=folder).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


@pytest.mark.parametrize("folder", DATA)
def test_the_data_are_in_the_wheel_byte_for_byte(folder: str, wheel: Path) -> None:
    assert DATA[folder]
    with zipfile.ZipFile(wheel) as archive:
        for path in DATA[folder]:
            assert archive.read(f"assistant/data/{folder}/{path.name}") == path.read_bytes()


def test_the_wheel_holds_the_package_its_types_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "assistant/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"assistant", "paper_assistant"}
    assert not [name for name in names if "__pycache__" in name or name.endswith("embedder/export.py")]


def test_every_module_and_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    files = [path for path in (ROOT / "assistant").rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
    with zipfile.ZipFile(wheel) as archive:
        assert {path.relative_to(ROOT).as_posix() for path in files} <= set(archive.namelist())


def test_the_installed_package_answers_from_another_folder(python: Path, place: Path) -> None:
    said = run(python, "-m", "assistant", "ask", "What is TabFlex?", "--json", "--store", place / "store", where=place)
    answer = json.loads(said)
    assert not answer["abstained"]
    seeds = {path.stem: path.read_text(encoding="utf-8") for path in DATA["seeds"]}
    for citation in answer["citations"]:
        source = seeds[citation["paper_id"].partition("#")[0]]
        assert all(quote["text"] in source for quote in citation["quotes"])
    assert "TabFlex" in answer["answer"]


def test_the_installed_command_is_there_and_comes_from_the_wheel(python: Path, place: Path) -> None:
    assert run(python.with_name("assistant"), "--version", where=place).strip()
    where = run(python, "-c", "import assistant; print(assistant.__file__)", where=place)
    assert Path(where.strip()).is_relative_to(python.parents[1])
