"""Repairs what a file certainly did to a text on its way: wrong decoding, HTML, ligatures. All else stays."""

import html
import re

_MOJIBAKE = re.compile("[ÂÃÄÅÆÎÏÐÑâãåæçèéïð][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u2122]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31}\d{0,2});")
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]{0,300}"|'[^'<>]{0,300}'))*\s*/?>"""
_HEADING = re.compile(
    rf"<(?:jats:)?(title|b|strong|h\d)(?:{_ATTRIBUTES})\s*(?:abstract|summary)[:.]?\s*</(?:jats:)?\1>", re.IGNORECASE
)
_BLOCK_TAG = re.compile(
    rf"</?(?:jats:)?(?:p|div|br|sec|title|ul|ol|li|list|list-item|h[1-6]){_ATTRIBUTES}", re.IGNORECASE
)
_INLINE_TAG = re.compile(
    rf"</?(?:jats:)?(?:sub|sup|i|b|u|em|strong|span|italic|bold|sc|scp|underline|inline-formula|inf){_ATTRIBUTES}",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\A(?:abstract|summary)(?:\s*[:—–]\s*|\s*\.\s+|\s+-\s+|[^\S\n]*\n\s*)(?=\S)", re.IGNORECASE)
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)


def repair(text: str) -> str:
    """Return a text as its author wrote it: decoded rightly, without HTML, with plain letters for ligatures."""
    if text.isascii() and "&" not in text and "<" not in text:
        return text
    return _strip_tags(_unescape(_decode_again(text))).translate(_LIGATURES)


def drop_label(abstract: str) -> str:
    """Return an abstract without the word Abstract or Summary set before it."""
    return _LABEL.sub("", abstract.strip())


def _decode_again(text: str) -> str:
    """Return a text that was decoded in the wrong encoding as it was meant; only what is certainly so is changed."""
    if not _MOJIBAKE.search(text):
        return text
    from ftfy import fix_encoding

    return fix_encoding(text)


def _unescape(text: str) -> str:
    for _ in range(2):  # "&amp;lt;": some exports escape what is escaped already
        if not _ENTITY.search(text):
            return text
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return text


def _strip_tags(text: str) -> str:
    """Return a text without the tags of text in HTML and JATS; one that is not closed may be a formula."""
    if "<" not in text:
        return text
    text = _HEADING.sub("", text)
    if "</" in text:
        text = _INLINE_TAG.sub("", text)
    if not _BLOCK_TAG.search(text):
        return text
    parts = (" ".join(part.split()) for part in _BLOCK_TAG.split(text))
    return "\n".join(part for part in parts if part)
