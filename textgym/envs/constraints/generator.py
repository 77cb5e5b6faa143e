"""Drawing a task: a brief, a witness that answers it, and instructions that the witness follows.

The witness is written first and shaped by instructions; the arguments of others are read off it. So
no two instructions contradict each other. A task that could be passed without reading them is drawn
again: each of the `careless_texts` must break one of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from textgym.envs.constraints import additions, layouts, measures  # noqa: F401  fill the table
from textgym.envs.constraints.additions import KEYWORDS, NAMES, PALINDROMES
from textgym.envs.constraints.facts import Facts
from textgym.envs.constraints.first_rung import draw_first_task
from textgym.envs.constraints.layouts import MARKERS, SEPARATORS
from textgym.envs.constraints.notes import Brief, draw_brief
from textgym.envs.constraints.witness import DRAWS, Arguments, Draw, WitnessDraft, write_draft
from textgym.envs.generation import choice, listing, randint, sample
from textgym.verifiers.instructions import INSTRUCTIONS

__all__ = ["LEVELS", "Asked", "careless_texts", "draw_task", "stuffed"]

_ALL_WORDS = " ".join([*PALINDROMES, *NAMES, *KEYWORDS])
_SECTIONS = " ".join(f"{marker} {number}" for marker in MARKERS for number in range(1, 6))
_ITEMS = " ".join(f"{separator} this {separator} that" for separator in SEPARATORS)
_PADDING = """
Quick zephyrs blow over the vexing hills and a wizard packs my box with five dozen liquor jugs. We
judge that big fjords of black quartz will please all of you who have been there with us for more
than it is worth, from here to the top of our town. You can be at one with everything that is not
your own, or do as they do."""


def stuffed(text: str, padding: str = "") -> str:
    """Return a text that also has a bit of everything that instructions may ask for."""
    return f"""<<A title>>

{text}

* My Answer: <i>both</i> of them [name] [city] [date] [sum] [day]
- and but or so for nor yet (a [b {{c (d [e])}}]) What a plan?! So: now; then, later. Is it? Yes!
*one* *two* *three*
{_ALL_WORDS}
{_SECTIONS}
{_ITEMS}
My Conclusion: "They say 'it is "home" now' here." So it is.
Future Outlook: good.{padding}
******
P.S. P.P.S Goodbye."""


def _forms(text: str) -> tuple[str, str, str]:
    """Return a text, the text as a quotation, and as one in one line, which is JSON too."""
    line = " ".join(text.replace('"', "").split())
    return text, f'"{text}"', f'"{line}"'


_FACTS = "(FACTS)"
_WITH_COMMAS = _forms(stuffed(_FACTS))
_WITHOUT_COMMAS = tuple(
    form.replace(",", "") for padding in ("", _PADDING) for form in _forms(stuffed(_FACTS, padding))
)


def careless_texts(brief: Brief, plain: str) -> Iterator[str]:
    """Yield texts with the right facts that follow instructions only by chance.

    Args:
        brief: What the texts are about.
        plain: A plain text with the right facts.
    """
    listed = f"This is {listing(brief.facts)}."
    yield plain
    yield listed
    for form in _WITH_COMMAS:
        yield form.replace(_FACTS, listed)
    for form in _WITHOUT_COMMAS:
        yield form.replace(_FACTS, listed.replace(",", ""))


LEVELS = (1, 2, 3, 4, 5, 6)
"""The levels from 1 up. A task has as many instructions as its level says."""

Asked = tuple[str, Arguments]
"""The id of an instruction and its arguments."""

_HEADINGS = (
    "Some rules for the text:", "Please keep to these rules:", "Requirements:",
    "A few things about the form:", "The text also has to meet the following:",
    "How it should be written:", "Our editors insist on this:", "Formal matters:",
)  # fmt: skip
_ORDERS = ("{request} {rule}\n\n{notes}\n\n{form}", "{notes}\n\n{request} {rule}\n\n{form}",
           "{request}\n\n{notes}\n\n{rule}\n\n{form}", "{request}\n\n{notes}\n\n{form}\n\n{rule}",
           "{request} {rule}\n\n{form}\n\n{notes}")  # fmt: skip
"""The orders of what a prompt says."""


class DrawnTask(NamedTuple):
    """A generated task.

    Attributes:
        prompt: The prompt.
        kind: The kind of text.
        instructions: The instructions.
        required: The facts that an answer must mention.
        known: All facts that it may mention.
        forbidden: The facts that it must leave out.
        witness: A right answer.
    """

    prompt: str
    kind: str
    instructions: list[Asked]
    required: list[str]
    known: list[str]
    forbidden: list[str]
    witness: str


def draw_task(
    rng: random.Random, level: int, fits: Callable[[Brief], bool] = lambda brief: True
) -> DrawnTask:
    """Draw a task with as many instructions as the level says; at level 0, one without facts.

    Args:
        rng: The generator of the task.
        level: The level.
        fits: Whether a task about a brief is wanted; the brief is drawn again until it is.
    """
    if level == 0:
        prompt, instruction, answer = draw_first_task(rng)
        return DrawnTask(prompt, "sentence", [instruction], [], [], [], answer)
    brief = draw_brief(rng, level)
    while not fits(brief):
        brief = draw_brief(rng, level)
    while True:
        draft = write_draft(rng, brief, randint(rng, 2, 4 + level))
        plain = draft.text()
        asked, witness = _asked_of(draft, _draw_types(rng, level))
        if asked and _is_sound(brief, asked, witness, plain):
            prompt = _prompt(rng, brief, asked)
            return DrawnTask(
                prompt, brief.job.kind, asked, brief.facts, brief.known, brief.others, witness
            )


def _draw_types(rng: random.Random, count: int) -> list[Draw]:
    """Draw types of instruction that go together."""
    chosen: list[Draw] = []
    for draw in sample(rng, DRAWS.values(), len(DRAWS)):
        if all(draw.goes_with(earlier) for earlier in chosen):
            chosen.append(draw)
            if len(chosen) == count:
                break
    return chosen


def _asked_of(draft: WitnessDraft, types: Sequence[Draw]) -> tuple[list[Asked], str]:
    """Shape a draft and read arguments off it; return no instructions if none fit."""
    asked: list[Asked] = [(draw.id, draw.shape(draft)) for draw in types if draw.shape]
    text = draft.text()
    for draw in types:
        if draw.read:
            arguments = draw.read(draft, text)
            if arguments is None:
                return [], text
            asked.append((draw.id, arguments))
    return sample(draft.rng, asked, len(asked)), text


def _is_sound(brief: Brief, asked: Sequence[Asked], witness: str, plain: str) -> bool:
    """Return whether the witness is right and every careless text is wrong."""
    facts = Facts(tuple(brief.facts), tuple(brief.known), tuple(brief.others))
    tried = sorted(asked, key=lambda item: DRAWS[item[0]].read is not None)  # slow checks last
    return (
        all(_breaks_one(text, tried) for text in careless_texts(brief, plain))
        and _broken(witness, tried) is None
        and facts.share_in(witness) == 1.0
    )


def _breaks_one(text: str, asked: list[Asked]) -> bool:
    """Return whether a text breaks an instruction, and put that first: others may break it too."""
    place = _broken(text, asked)
    if place is None:
        return False
    asked.insert(0, asked.pop(place))
    return True


def _broken(text: str, asked: Sequence[Asked]) -> int | None:
    """Return the index of the first instruction that a text breaks."""
    for place, (id, arguments) in enumerate(asked):
        if not INSTRUCTIONS[id].check(text, **arguments):
            return place
    return None


def _prompt(rng: random.Random, brief: Brief, asked: Sequence[Asked]) -> str:
    texts = [INSTRUCTIONS[id].describe(arguments) for id, arguments in asked]
    return choice(rng, _ORDERS).format(
        request=brief.request, rule=brief.rule, notes=brief.notes, form=_form(rng, texts)
    )


def _form(rng: random.Random, texts: list[str]) -> str:
    """Return the instructions as a list, or as sentences."""
    style = randint(rng, 0, 2)
    if len(texts) == 1 or (style == 0 and not any("\n" in text for text in texts)):
        return " ".join(texts)
    marks = [f"{n}." for n in range(1, len(texts) + 1)] if style == 1 else ["-"] * len(texts)
    lines = [f"{mark} {text}" for mark, text in zip(marks, texts, strict=True)]
    return "\n".join([choice(rng, _HEADINGS), *lines])
