"""A Sphinx extension that adds what is known of each environment to its page, and the catalogue.

A page gets the fields of its card, the figures of its last audit (`audit.json`), and, if it shows
no episode yet, one that the oracle plays while the site is built. The catalogue is the list of all
environments in `environments/index.md`; `static/catalogue.js` filters it.
"""

from __future__ import annotations

import contextlib
import html
import json
from collections.abc import Collection
from typing import Any

import gymnasium as gym
import make_pages
from page_figures import audits
from sphinx.application import Sphinx
from sphinx.util import logging

import textgym
from textgym import Card
from textgym.errors import UsageError
from textgym.registry import is_registered

_logger = logging.getLogger(__name__)
FILTERS = ("structure", "capabilities", "domain", "task_type", "verification", "levels")


def add(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to the source of a page of environments, before it is read."""
    folder, _, name = page.partition("/")
    if folder != "environments":
        return
    if name == "index":
        source[0] += catalogue(app.env.found_docs)
        return
    id = f"textgym/{name}"
    heading, _, text = source[0].partition("\n")
    source[0] = f"{heading}\n\n{_card_table(textgym.card(id))}\n{text}\n{_figures(id)}"
    if "## An episode" not in text:
        with contextlib.suppress(UsageError):  # a guest that needs arguments, or its package
            source[0] += make_pages.episode_section(id)


def _card_table(card: Card) -> str:
    values = {
        "structure": ", ".join(card.structure),
        "capabilities": ", ".join(card.capabilities),
        "domain": ", ".join(card.domain),
        "task type": card.task_type,
        "verification": ", ".join(card.verification),
        "levels": f"{card.levels[0]} to {card.levels[-1]}",
        "reward": f"{card.reward_range[0]:g} to {card.reward_range[1]:g}",
        "data": card.data,
    }
    rows = "".join(f"| {name} | {value} |\n" for name, value in values.items())
    return f"| card | |\n| --- | --- |\n{rows}"


def _figures(id: str) -> str:
    """Return what policies without knowledge and the oracle earn, by the last audit."""
    audit = audits().get(id)
    if audit is None:  # a guest
        return ""
    best = sorted(audit["attackers"].items(), key=lambda item: item[1], reverse=True)[:3]
    rows = [
        ("oracle", audit["references"]["oracle"], ""),
        ("random policy", audit["references"]["random"], ""),
        *((f"attacker: {name}", mean, f" ±{1.96 * error:.3f}") for name, (mean, error, _) in best),
    ]
    lines = "".join(f"| {name} | {mean:.3f}{error} |\n" for name, mean, error in rows)
    return (
        "\n## What it pays\n\nMean returns of the oracle, of a random policy, and of the best of "
        f"{len(audit['attackers'])} scripted attackers, which know the form of an answer but not "
        f"the answer ([audits](../audit.md)).\n\n| policy | mean return |\n| --- | --- |\n{lines}"
    )


def catalogue(pages: Collection[str]) -> str:
    """Return the catalogue as Markdown with HTML: an entry for each environment, with its card.

    The environments of textgym come first. Data sets with a name are left out, as in the command.

    Args:
        pages: The pages of the site. A link to any other page is a warning.
    """
    ids = [id for id in gym.registry if is_registered(id) and not id.startswith("nemo-gym/")]
    ids = [id for id in ids if "dataset" not in gym.registry[id].kwargs]
    ids.sort(key=lambda id: (not id.startswith("textgym/"), id))
    entries = "\n".join(_entry(id, pages) for id in ids)
    return f'\n```{{raw}} html\n<div id="catalogue">\n{entries}\n</div>\n```\n'


def _entry(id: str, pages: Collection[str]) -> str:
    card, (namespace, _, name) = textgym.card(id), id.partition("/")
    page = f"environments/{name}" if namespace == "textgym" else f"guests/{namespace}"
    if page not in pages:
        _logger.warning("the catalogue links to %s, which does not exist", page)
    fields = {field: _values(getattr(card, field)) for field in FILTERS}
    tags = [tag for field in ("structure", "capabilities", "domain") for tag in fields[field]]
    shown = "".join(f"<li>{html.escape(tag)}</li>" for tag in tags)
    return (
        f'<article data-fields="{html.escape(json.dumps(fields), quote=True)}">'
        f'<h3><a href="../{page}.html">{html.escape(id)}</a></h3>'
        f"<p>{html.escape(card.summary)}</p><ul>{shown}</ul></article>"
    )


def _values(value: Any) -> list[str]:
    values = value if isinstance(value, tuple) else (value,)
    return [str(item) for item in values]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("source-read", add)
    return {"parallel_read_safe": True}
