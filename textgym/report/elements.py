"""HTML of pages that load nothing else: elements, escaped texts, and the page around them.

Texts may come from a model or an author, so all of them go through `escaped`, which also shows
control and invisible characters. Invariant: an element's content is HTML, and a text becomes HTML
only by `escaped`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textgym.display.terminal import visible

__all__ = [
    "MAX_ROWS",
    "MAX_SHOWN",
    "as_json",
    "element",
    "escaped",
    "folded",
    "page",
    "prose",
    "table",
]


MAX_ROWS = 25
"""The number of rows of the longest table that a page unfolds."""

_STYLE = Path(__file__).with_name("page.css")
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
{script}</body>
</html>
"""
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; "
    "base-uri 'none'; form-action 'none'"
)


def page(title: str, body: str, style: str, script: str = "") -> str:
    """Return a page. Its policy forbids the network and all scripts except its own.

    Args:
        title: The title, a text.
        body: HTML.
        style: CSS in addition to `page.css`.
        script: The page's own script, which runs when the body is there.

    Example:
        >>> "script-src 'none'" in page("Title", element("p", escaped("1 < 2")), "")
        True
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _PAGE.format(
        policy=_POLICY.format(scripts=f"'sha256-{digest}'" if script else "'none'"),
        title=escaped(title),
        style=_STYLE.read_text(encoding="utf-8") + style,
        body=body,
        script=f"<script>{script}</script>\n" if script else "",
    )


MAX_SHOWN = 4_000
"""The length of the longest text that a page shows whole, in characters."""


def escaped(text: Any) -> str:
    r"""Return any value as text in HTML. A long text is cut and says so.

    Example:
        >>> escaped("<b>\x1b[2J & \u202e")
        '&lt;b&gt;\\x1b[2J &amp; \\u202e'
    """
    shown = str(text)
    if len(shown) > MAX_SHOWN:
        left = len(shown) - MAX_SHOWN
        shown = f"{shown[:MAX_SHOWN]}… ({left:,} more characters)"
    return html.escape(visible(shown))


def prose(text: str) -> str:
    """Return a sentence in HTML, with code in backquotes as code.

    Example:
        >>> prose("Fix `solve`.")
        'Fix <code>solve</code>.'
    """
    return re.sub("`([^`]+)`", r"<code>\1</code>", escaped(text))


def as_json(value: Any) -> str:
    """Return a value as indented JSON in HTML."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=1))


def element(name: str, content: str, **attributes: str) -> str:
    """Return an element.

    Args:
        name: Its name.
        content: HTML.
        **attributes: Texts; `class_` is `class`, and an empty text is an attribute without value.

    Example:
        >>> element("p", escaped("1 < 2"), class_="note")
        '<p class="note">1 &lt; 2</p>'
    """
    given = "".join(
        f" {key.rstrip('_')}" + (f'="{html.escape(visible(value))}"' if value else "")
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{content}</{name}>"


def folded(title: str, content: str, is_open: bool = False) -> str:
    """Return HTML under a title that folds and unfolds it."""
    more = {"open": ""} if is_open else {}
    return element("details", element("summary", escaped(title)) + content, class_="part", **more)


def table(caption: str, names: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a table of numbers, with the name of each row first.

    Args:
        caption: What the table shows, a text; "" for no caption.
        names: The names of the rows. Those that begin with spaces belong to the row above.
        columns: The title and the cells of each column, as texts.
    """
    titles = element("th", "") + "".join(element("th", escaped(title)) for title, _ in columns)
    rows = ""
    for place, name in enumerate(names):
        kind = {"class_": "inner"} if name.startswith("  ") else {}
        cells = "".join(element("td", escaped(texts[place])) for _, texts in columns)
        rows += element("tr", element("th", escaped(name.strip()), scope="row") + cells, **kind)
    head = element("caption", escaped(caption)) if caption else ""
    head += element("thead", element("tr", titles))
    whole = element("table", head + element("tbody", rows), class_="numbers")
    return element("div", whole, class_="wide")
