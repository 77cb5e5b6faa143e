"""Write a page for each environment from its docstring: `python docs/make_pages.py`.

It also writes the environments' cards to `textgym/core/cards.json`, which `textgym list` reads, and
`docs/reference-models.md` with its picture.

Docstrings are Markdown except for their Google-style sections. Those become headings with a list,
and the example becomes a code block. The figures of reference models and of the last audit follow.
The pages of some environments end with an episode that the oracle plays.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import re
import textwrap
from pathlib import Path

import gymnasium as gym
from page_figures import audits, learnability_section, overview, reference_section
from reference_picture import DRAWING, drawing
from reference_rows import read, suite

import textgym
from textgym.display.transcript import format_episode
from textgym.errors import ExtraMissingError
from textgym.registry import environment_class, is_registered
from textgym.verifiers.judge.prompt import JudgeOptions

PAGES = Path(__file__).parent / "environments"
OVERVIEW = PAGES.with_name("reference-models.md")
CARDS = Path(textgym.__file__).parent / "core/cards.json"
_HEADINGS = {"Args": "Arguments", "Raises": "Errors", "Example": "Example"}
_EPISODES = {  # level and index of a test task
    "textgym/AskFirst-v0": (3, 2),
    "textgym/Calendar-v0": (4, 6),
    "textgym/Constraints-v0": (4, 10),
    "textgym/Contingency-v0": (2, 2),
    "textgym/FunctionCall-v0": (5, 3),
    "textgym/Haystack-v0": (5, 106),
    "textgym/MultiIntent-v0": (3, 0),
    "textgym/Pictures-v0": (3, 4),
    "textgym/Program-v0": (3, 0),
    "textgym/RedefinedRules-v0": (4, 4),
    "textgym/RewardModel-v0": (3, 1),
    "textgym/Search-v0": (2, 1),
    "textgym/StructuredOutput-v0": (3, 5),
    "textgym/WorkplaceAssistant-v0": (5, 56),
}
_SECTION = re.compile(rf"^({'|'.join(_HEADINGS)}):\n((?: {{4}}.*\n|\n)+)", re.M)


def page(id: str) -> str:
    """Return the page of an environment."""
    doc = inspect.cleandoc(environment_class(id).__doc__ or "")
    text = f"# `{id}`\n\n{_SECTION.sub(_as_markdown, doc)}\n"
    if id in suite():
        ladder = audits().get(id, {}).get("learnability", {})
        text += learnability_section(id, ladder) + reference_section(id, read())
    return text + episode_section(id) if id in _EPISODES else text


def overview_page(page: str) -> str:
    """Return the page of reference models with its table made from the rows."""
    before, mark, rest = page.partition("<!-- environments -->\n")
    _, end, after = rest.partition("<!-- end -->")
    assert end, f"{OVERVIEW} must have a part 'environments'"
    return f"{before}{mark}\n{overview(suite(), read())}\n\n{end}{after}"


def episode_section(id: str) -> str:
    """Return the section with an episode that the oracle plays, by default the first one."""
    level, index = _EPISODES.get(id, (1, 0))
    return (
        f"\n## An episode\nAs the oracle plays it:\n\n```text\n{_episode(id, level, index)}\n```\n"
    )


def _episode(id: str, level: int, index: int) -> str:
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
        body = _as_list(body)
        if "(`JudgeOptions`)" in body:
            body += f"\n\nThe judge's options:\n\n{_judge_options()}"
    return f"## {_HEADINGS[section[1]]}\n\n{body}\n\n"


def _as_list(entries: str) -> str:
    return re.sub(r"^(\S+):", r"- `\1`:", entries, flags=re.M)


def _judge_options() -> str:
    """Return the options of `JudgeOptions` as a list."""
    doc = inspect.cleandoc(JudgeOptions.__doc__ or "")
    return _as_list(textwrap.dedent(doc.partition("Attributes:\n")[2]).strip())


def cards() -> str:
    """Return the cards of the package's environments, by entry point, as JSON.

    Guests are among them, including those whose packages are not installed.
    """
    found = {}
    for id in sorted(id for id in gym.registry if is_registered(id)):
        place = str(gym.registry[id].entry_point)
        if place.startswith(("textgym.envs.", "textgym.integrations.")):
            with contextlib.suppress(ExtraMissingError):  # Aviary's class needs its package
                found[place] = environment_class(id).card.as_dict()
    return json.dumps(found, indent=1) + "\n"


def main() -> None:
    """Write the page of every environment, the reference models, and the cards."""
    PAGES.mkdir(exist_ok=True)
    for id in sorted(id for id in gym.registry if is_registered(id)):
        if not id.startswith("textgym/"):
            continue  # the environments of a large suite have one page, see make_guests.py
        path = PAGES / f"{id.split('/')[-1]}.md"
        path.write_text(page(id))
        print(path)
    OVERVIEW.write_text(overview_page(OVERVIEW.read_text(encoding="utf-8")), encoding="utf-8")
    DRAWING.write_text(drawing(suite(), read()), encoding="utf-8")
    CARDS.write_text(cards(), encoding="utf-8")
    print(OVERVIEW, DRAWING, CARDS, sep="\n")


if __name__ == "__main__":
    main()
