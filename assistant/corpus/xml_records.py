"""Reads the records of an XML file one at a time, and refuses what XML can do besides: entities, files, depth."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from assistant.corpus.encodings import guess_encoding, tell_marked
from assistant.corpus.files import check_text, read_head, show
from assistant.corpus.lines import read_utf8
from assistant.errors import CorpusError

DEEPEST = 100
"""Elements in each other."""
LONGEST_RECORD = 2**22
"""Characters of one record: what is in memory at a time."""


class _Refused(Exception):
    """The file declares an entity, is too deep, or holds a record that is too long."""


class _Builder:
    """Builds the elements of one name, each as a tree without namespaces, and forgets all others."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._tree: TreeBuilder | None = None
        self._open: list[str] = []
        self._top = 0
        self._size = 0
        self._line = 0
        self.done: list[tuple[int, Element]] = []
        self.parser = expat.ParserCreate()

    def listen(self, encoding: str | None) -> None:
        """Let an expat parser call this; the standard library's own would expand entities."""
        self.parser = expat.ParserCreate(encoding, " ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._put
        self.parser.EntityDeclHandler = _refuse_entity

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = _shorten(name)
        self._open.append(name)
        if len(self._open) > DEEPEST:
            raise _Refused("nested too deeply")
        if self._tree is None and name in self._names:
            self._tree, self._top, self._size = TreeBuilder(), len(self._open), 0
            self._line = self.parser.CurrentLineNumber
        if self._tree is not None:
            self._grow(sum(map(len, attributes.values())) + len(name))
            self._tree.start(name, {_shorten(key): value for key, value in attributes.items()})

    def _end(self, _: str) -> None:
        name = self._open.pop()
        if self._tree is None:
            return
        self._tree.end(name)
        if len(self._open) < self._top:
            self.done.append((self._line, self._tree.close()))
            self._tree = None

    def _put(self, text: str) -> None:
        if self._tree is not None:
            self._grow(len(text))
            self._tree.data(text)

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > LONGEST_RECORD:
            raise _Refused(f"a record is longer than {LONGEST_RECORD:,} characters")


def read_records(path: Path, *names: str) -> Iterator[tuple[int, Element]]:
    """Yield the elements of these names, each with its line; raises CorpusError where the file is not XML."""
    if not read_head(path).strip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"):
        return
    builder = _Builder(frozenset(names))
    builder.listen(_tell_encoding(path))
    try:
        for block in read_utf8(path):
            builder.parser.Parse(block, False)
            yield from builder.done
            builder.done.clear()
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        # What was read is sound, but nobody knows what is missing.
        raise CorpusError(f"{show(path)}:{error.lineno}: not XML ({expat.ErrorString(error.code)}).") from None
    except (_Refused, LookupError, ValueError) as error:
        raise CorpusError(f"{show(path)}:{builder.parser.CurrentLineNumber}: {error}.") from None
    yield from builder.done


def text_of(element: Element | None) -> str:
    """Return the text in an element and those in it, on one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _tell_encoding(path: Path) -> str | None:
    """Return the encoding to read in, None for what the file says of itself."""
    head = read_head(path)
    check_text(path, head)
    if tell_marked(head)[0] != "utf-8":
        return "utf-8"  # read_utf8 has made it so, whatever the declaration says
    if b"encoding=" in head[:200] or head.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return guess_encoding(head) or None if error.reason != "unexpected end of data" else None
    return None


def _shorten(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_entity(*_: object) -> None:
    raise _Refused("declares an entity, which no list of papers needs and an attack does")
