"""The default embedder: its files, its limits, its memory of what a text means."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import EmbedderError
from assistant.models.minilm import LONGEST, MODEL_FILE, NAME, TOKENIZER_FILE, MiniLM
from assistant.resources import data_folder

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_texts_that_mean_the_same_are_near(minilm: MiniLM) -> None:
    vectors = minilm.embed(["A dog runs in the park.", "A puppy is running outside.", "Bonds yield less this year."])
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > far + 0.4


def test_its_vectors_are_the_ones_known(minilm: MiniLM) -> None:
    """The first values as onnxruntime 1.32 gave them: another file or pooling would be far from them."""
    vector = minilm.embed(["We propose a sparse attention method."])[0]
    assert vector.shape == (384,)
    assert np.allclose(vector[:4], [0.0508, -0.0219, -0.0506, -0.0381], atol=0.02)


def test_word_pieces_are_counted_without_the_marks_around_a_text(minilm: MiniLM) -> None:
    assert minilm.count_pieces("mice") == 1
    assert minilm.count_pieces("word " * 1000) == 1000


def test_a_text_is_read_up_to_256_word_pieces(minilm: MiniLM) -> None:
    read = "word " * (LONGEST - 1)
    same, longer, shorter = minilm.embed([read + "mice", read + "mice and much more", read + "dogs"])
    assert same.tobytes() == longer.tobytes() != shorter.tobytes()


def test_threads_share_one_embedder_from_its_first_use() -> None:
    embedder = MiniLM()
    texts = [f"Question {number % 5} about mice." for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text])[0].tobytes(), texts))
    assert rows == [row.tobytes() for row in embedder.embed(texts)]
    assert len(set(rows)) == 5


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE])
def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    shutil.copytree(data_folder("embedder"), tmp_path / "embedder")
    (tmp_path / "embedder" / name).unlink()
    with pytest.raises(
        EmbedderError, match=r"cannot be read \(No such file or directory\)\. Install .* again"
    ) as caught:
        MiniLM(tmp_path / "embedder").embed(["mice"])
    assert str(caught.value).startswith(f"{tmp_path / 'embedder' / name}: ")


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE])
def test_a_file_with_one_byte_changed_is_refused(tmp_path: Path, name: str) -> None:
    shutil.copytree(data_folder("embedder"), tmp_path / "embedder")
    changed = bytearray((tmp_path / "embedder" / name).read_bytes())
    changed[1000] ^= 1
    (tmp_path / "embedder" / name).write_bytes(changed)
    with pytest.raises(EmbedderError, match=f"is not the file of {NAME}"):
        MiniLM(tmp_path / "embedder").embed(["mice"])


def test_counting_pieces_loads_no_model() -> None:
    code = (
        "import sys; from assistant.models.minilm import MiniLM; assert 'tokenizers' not in sys.modules;"
        "assert MiniLM().count_pieces('mice') == 1; assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent.parent)


def test_the_runtime_leaves_no_trace_of_the_machine_to_report(tmp_path: Path) -> None:
    """onnxruntime keeps a device id and a queue of events for its makers unless its telemetry is off."""
    code = "from assistant.models.minilm import MiniLM; MiniLM().embed(['a'])"
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, check=True)
    assert list(tmp_path.rglob("*")) == []
