"""EndNote's XML."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from assistant.corpus.entry import Entry, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.xml_records import read_records, text_of
from assistant.domain import Paper, Skipped

_PATHS = {
    "title": (".//titles/title",),
    "abstract": (".//abstract",),
    "year": (".//dates/year", ".//dates/pub-dates/date"),
    "venue": (".//titles/secondary-title", ".//periodical/full-title", ".//full-title"),
    "url": (".//urls/related-urls/url", ".//urls/web-urls/url"),
    "doi": (".//electronic-resource-num",),
}


def looks_like_endnote_xml(head: str) -> bool:
    """Return whether a text begins as EndNote's export does."""
    return re.match(r"(?:<\?xml[^>]*\?>\s*)?(?:<xml>\s*)?<records>\s*<record>", head) is not None


@reader(".xml", looks=looks_like_endnote_xml)
def read_endnote_xml(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of the records; a record's number is one of its library, and no id of the paper."""
    return make_papers(path, (Entry(line, _read(record)) for line, record in read_records(path, "record")))


def _read(record: Element) -> dict[str, object]:
    found = {name: [record.find(path) for path in paths] for name, paths in _PATHS.items()}
    fields: dict[str, object] = {
        name: next((text for element in elements if (text := text_of(element))), "") for name, elements in found.items()
    }
    fields["authors"] = [text_of(author) for author in record.iterfind(".//contributors/authors/author")]
    fields["keywords"] = [text_of(keyword) for keyword in record.iterfind(".//keywords/keyword")]
    return fields
