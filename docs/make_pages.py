"""Write one page per environment from its docstring: `python docs/make_pages.py`.

Docstrings are Markdown, except for sections in Google style, whose lines Markdown would join. These
sections become headings with a list, or with a code block for the example. Some pages end with an
episode that the oracle plays.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import textgym
from textgym.display.transcript import format_episode
from textgym.registry import environment_class

PAGES = Path(__file__).parent / "environments"
_HEADINGS = {"Args": "Arguments", "Raises": "Errors", "Example": "Example"}
_EPISODES = {  # level and index of a test task
    "textgym/Calendar-v0": (4, 6),
    "textgym/WorkplaceAssistant-v0": (5, 56),
}
_SECTION = re.compile(rf"^({'|'.join(_HEADINGS)}):\n((?: {{4}}.*\n|\n)+)", re.M)


def page(id: str) -> str:
    """Return the page of an environment."""
    doc = inspect.cleandoc(environment_class(id).__doc__ or "")
    text = f"# `{id}`\n\n{_SECTION.sub(_as_markdown, doc)}\n"
    if id in _EPISODES:
        text += f"\n## An episode\nAs the oracle plays it:\n\n```text\n{_episode(id)}\n```\n"
    return text


def _episode(id: str) -> str:
    level, index = _EPISODES[id]
    env = environment_class(id)(split="test", level=level)
    env.reset(options={"index": index})
    ended = False
    while not ended:
        observation, reward, terminated, truncated, info = env.step(env.solve())
        ended = terminated or truncated
    lines = format_episode(observation, (), (reward, info)).split("\n")
    return "\n".join(textwrap.fill(line, 125) for line in lines)


def _as_markdown(section: re.Match[str]) -> str:
    body = textwrap.dedent(section[2]).strip()
    if section[1] == "Example":
        body = textwrap.indent(body, "    ")
    else:
        body = re.sub(r"^(\S+):", r"- `\1`:", body, flags=re.M)
    return f"## {_HEADINGS[section[1]]}\n\n{body}\n\n"


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for id in textgym.ids():
        path = PAGES / f"{id.split('/')[-1]}.md"
        path.write_text(page(id))
        print(path)


if __name__ == "__main__":
    main()
