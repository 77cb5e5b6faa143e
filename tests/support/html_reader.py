"""Reads HTML pages that tests look at."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Reads a page, which must be well-formed.

    Attributes:
        elements: The name and the attributes of each element.
        text: All text.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
