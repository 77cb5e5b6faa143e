"""Answers the questions of `textgym/Search-v0` as a person would: with search and open alone.

Nothing here knows how an archive was drawn. The forms are those of questions and documents.
"""

from __future__ import annotations

import re
from typing import Any

from textgym.core.text_env import TextEnv
from textgym.messages import assistant_calls, text_of

__all__ = ["play_search"]

_NAME = r"[A-Z][a-z]+(?: [A-Z][a-z]+)?"
_ASKED = [  # how a question asks for a value, and how documents tell it
    (r"the founder of (.+)", [
        r"founded by ({})\.", r"It was ({}) who founded", r"built under ({}), who is honoured",
    ]),
    (r"the mayor of (.+)", [
        r"The mayor is ({})\.", r"({}) governs \w+ as its mayor", r"election ({}) became mayor",
    ]),
    (r"the river on which (.+) lies", [
        r"\w+ lies on the ({})\.", r"past the market is the ({})\.", r"reach \w+ on the ({})\.",
    ]),
    (r"the year in which (.+) received its charter", [
        r"received its charter in (\d+)\.", r"dates from (\d+)\.",
        r"In (\d+) the council was granted a charter",
    ]),
    (r"the birthplace of (.+)", [
        r"was born in ([A-Z]\w+)\.", r"place of birth was ({})\.",
        r"A house in ({}) is shown as the birthplace",
    ]),
    (r"the teacher of (.+)", [
        r"taught by ({})\.", r"served under ({}), the teacher", r"As a teacher {} had ({})\.",
    ]),
    (r"the trade of (.+)", [
        r"worked as a ([a-z ]+)\.", r"By trade {} was a ([a-z ]+)\.",
        r"The guild lists {} as a ([a-z ]+)\.",
    ]),
    (r"the year of birth of (.+)", [
        r"born in the year (\d+)", r"gives (\d+) as the year of birth",
        r"The year of birth is (\d+)",
    ]),
    (r"the town in which (.+) stands", [
        r"stands in ({})\.", r"Its halls are in ({})\.", r"a lane in ({})\.",
    ]),
    (r"the owner of (.+)", [
        r"The {} belongs to ({})\.", r"The owner is ({})\.", r"the property of ({})\.",
    ]),
    (r"the year in which (.+) opened", [
        r"opened in (\d+)\.", r"Work began in (\d+)", r"opened for the first time in (\d+)",
    ]),
    (r"the captain of (.+)", [
        r"is commanded by ({})\.", r"Her captain is ({})\.", r"Captain ({}) has the command",
    ]),
    (r"the home port of (.+)", [
        r"The home port of the {} is ({})\.", r"She winters in ({}), her home port",
        r"Her home is the harbour of ({})\.",
    ]),
    (r"the workshop that built (.+)", [
        r"was built by the ({})\.", r"Her builder was the ({})\.",
        r"left the slip of the ({})\.",
    ]),
    (r"the length of (.+) in feet", [
        r"is (\d+) feet long", r"she measures (\d+) feet", r"Her length is (\d+) feet",
    ]),
]  # fmt: skip
_FORMS = re.compile(
    r"(?:What is|Who is|I would like to know|Please find out|I need to know|Can you tell me"
    r"|Do you know) (.+?)[.?]"
)


def steps_of(question: str) -> tuple[str, list[list[str]]]:
    """Return the name in a question, and for each step the forms in which documents tell it."""
    match = _FORMS.fullmatch(question)
    assert match, question
    phrase, steps = match[1], []
    while True:
        for asked, told in _ASKED:
            inner = re.fullmatch(asked, phrase)
            if inner:
                phrase = inner[1]
                steps.append(told)
                break
        else:
            return phrase.removeprefix("the "), steps[::-1]


_TITLE = re.compile(
    r"(?:Which (?:town|person) is document (D-\d{4}) about\?"
    r"|Open document (D-\d{4})\. Which (?:town|person) is it about\?)"
)


def play_search(env: TextEnv[Any], index: int) -> float:
    """Play a task, and return the last reward."""
    observation, _ = env.reset(options={"index": index})
    if asked := _TITLE.fullmatch(text_of(observation[-1])):
        id = asked[1] or asked[2]
        title = _call(env, "open", {"id": id}).removeprefix(f"{id}: ").partition(",")[0]
        return env.step(f"Answer: {title}\nSources: {id}")[1]
    name, steps = steps_of(text_of(observation[-1]))
    sources: list[str] = []
    for told in steps:
        text = _document(env, name)
        sources.append(text[:6])
        found = [re.search(form.replace("{}", _NAME), text) for form in told]
        name = next((match[1] for match in found if match), "unknown")
        if name == "unknown":
            break
    *_, reward, _, _, _ = env.step(f"Answer: {name}\nSources: {', '.join(sources)}")
    return reward


def _document(env: TextEnv[Any], name: str) -> str:
    """Find the document whose title is about a name."""
    page = 0
    while True:
        page += 1
        said = _call(env, "search", {"query": name, "page": page})
        for line in said.splitlines():
            if re.match(rf"D-\d{{4}}: (?:The (?:ship )?)?{name}(?:,|:)", line):
                return _call(env, "open", {"id": line[:6]})


def _call(env: TextEnv[Any], tool: str, arguments: dict[str, Any]) -> str:
    observation, _, terminated, truncated, _ = env.step(assistant_calls((tool, arguments)))
    assert not terminated
    assert not truncated
    return text_of(observation[-1])
