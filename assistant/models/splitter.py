"""Cuts a sentence that is too long for one passage, with LangChain's recursive splitter."""

from collections.abc import Callable, Sequence

from assistant.text.sentences import Span

SEPARATORS = ["\n", "; ", ": ", "；", "，", "、", ", ", " ", ""]


def split_long(text: str, size: int, count_pieces: Callable[[str], int]) -> Sequence[Span]:
    """Return the spans of the parts, each of at most `size` word pieces, cut at the best place there is."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS,
        keep_separator="end",
        chunk_size=size,
        chunk_overlap=0,
        length_function=count_pieces,
        add_start_index=True,
    )
    parts = [part for part in splitter.create_documents([text]) if part.page_content.strip()]
    return tuple(_trim(int(part.metadata["start_index"]), part.page_content) for part in parts)


def _trim(start: int, text: str) -> Span:
    """Return the span of a text that begins at `start`, without the white space around it."""
    first = start + len(text) - len(text.lstrip())
    return first, first + len(text.strip())
