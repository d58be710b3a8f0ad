"""Plain text: a heading, then abstracts parted by empty lines."""

from pathlib import Path

import pytest

from assistant.corpus import read_papers
from assistant.corpus.lines import LONGEST_LINE
from assistant.domain import Paper, Skipped


def read(tmp_path: Path, content: str | bytes) -> list[Paper | Skipped]:
    path = tmp_path / "list.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_papers(path))


def abstracts(records: list[Paper | Skipped]) -> list[str]:
    return [record.abstract for record in records if isinstance(record, Paper)]


def test_blocks_after_the_heading_are_papers_numbered_from_1(tmp_path: Path) -> None:
    first, second = read(tmp_path, "ICML 2025 论文列表\n\nWe do this.\n\n \n\nWe do that.\n")
    assert first == Paper("list#1", "We do this.", source="list.txt")
    assert second == Paper("list#2", "We do that.", source="list.txt")


@pytest.mark.parametrize(
    "first",
    ["We study mice.", "Do mice age?", "我们研究。", 'They say "no."', "word " * 25, "Two\nlines", "An open end,"],
)
def test_a_first_block_that_is_no_heading_is_a_paper(tmp_path: Path, first: str) -> None:
    assert abstracts(read(tmp_path, f"{first}\n\nWe do that.\n")) == [first.strip(), "We do that."]


def test_the_only_block_of_a_file_is_a_paper(tmp_path: Path) -> None:
    assert abstracts(read(tmp_path, "mice without a gene")) == ["mice without a gene"]


def test_the_inside_of_an_abstract_is_kept(tmp_path: Path) -> None:
    text = "Two  spaces\tand\u00a0more \r\n  $x_1$  \\textbf{y}\r\n\r\n\r\n Next one. \r\n"
    assert abstracts(read(tmp_path, text)) == ["Two  spaces\tand\u00a0more \n  $x_1$  \\textbf{y}", "Next one."]


def test_a_block_without_words_is_skipped_and_keeps_its_number(tmp_path: Path) -> None:
    records = read(tmp_path, "List\n\nOne.\n\n12 34 -- 5\n\nTwo.\n")
    assert records[1] == Skipped(f"{tmp_path}/list.txt:5", "no words in the abstract")
    assert [record.id for record in records if isinstance(record, Paper)] == ["list#1", "list#3"]


@pytest.mark.parametrize("block", ["x" * (LONGEST_LINE + 1), "many words in a line\n" * (LONGEST_LINE // 20)])
def test_a_block_over_the_limit_is_skipped_and_the_rest_is_read(tmp_path: Path, block: str) -> None:
    records = read(tmp_path, f"One.\n\n{block}\n\nTwo.\n")
    assert abstracts(records) == ["One.", "Two."]
    assert records[1] == Skipped(f"{tmp_path}/list.txt:3", "longer than 1,048,576 characters")


def test_a_block_with_a_nul_is_skipped(tmp_path: Path) -> None:
    records = read(tmp_path, "One.\n\nT\0wo.\n")
    assert records[1] == Skipped(f"{tmp_path}/list.txt:3", "the abstract holds a broken character")


def test_a_list_in_latin_1_is_read(tmp_path: Path) -> None:
    assert abstracts(read(tmp_path, b"List\n\nCaf\xe9 au lait.\n\nNo\xebl.\n")) == ["Café au lait.", "Noël."]


@pytest.mark.parametrize("encoding", ["gb18030", "shift_jis", "cp1251"])
def test_a_list_in_another_encoding_is_read_if_there_is_enough_of_it(tmp_path: Path, encoding: str) -> None:
    texts = {
        "gb18030": "我们提出一种新的方法,用于在大规模数据集上训练神经网络,实验表明该方法有效。",
        "shift_jis": "本論文では、大規模なデータに対してニューラルネットワークを学習する手法を提案する。",
    }
    text = texts.get(encoding, "Мы предлагаем новый метод обучения нейронных сетей на больших наборах данных.")
    assert abstracts(read(tmp_path, f"List\n\n{text}\n".encode(encoding))) == [text]


def test_a_block_of_bytes_that_are_no_text_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    bad, good = read(tmp_path, b"List\n\n\xf0\xff\x80 \xc3\x28\xff\n\nWe do that.\n")
    assert bad == Skipped(f"{tmp_path}/list.txt:3", "not UTF-8 at byte 1")
    assert isinstance(good, Paper)
