"""Attackers that answer with a part of the question instead of its value, order or choice.

They repeat a list or an expression, choose options of a sentence by position, or repeat the pairs
that show a mapping. If training answers are copied in the same way, copying is the task, and the
attacker is not applicable. Other attackers answer with an expression, such as one that is always
true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from statistics import median_low

from textgym.checks.attackers.knowledge import Attacker, Knowledge
from textgym.checks.attackers.prompts import (
    first,
    formulas,
    inline_options,
    items,
    named_expressions,
    pairs,
    question_of,
)
from textgym.checks.episodes import NotApplicable, Scripted, say

__all__ = ["excerpts", "expressions"]


_SHARE = 0.5  # of the training answers make a habit
_SEEN = 50  # solved tasks are enough to recognize it
_SEPARATOR = re.compile(r"[\"']?\s{0,5}[,;|>]\s{0,5}[\"']?|[ \n]+")
_NAME = re.compile(r"(?<![A-Za-z_])[A-Za-z](?![\w(])")
_COMPARED = re.compile(
    r"\b(?:(?!best|test|rest|request|guest|west|suggest|interest|forest)\w+est|most|least|first|last"
    r"|middle|median|max\w*|min\w*|more|less|\w+er than|before|after|between|order\w*|sort\w*"
    r"|alphabet\w*|stands?|position)\b",
    re.I,
)


class Habits:
    """What training answers share: their separator, their variable, and their position."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self._copied: dict[Choose, bool] = {}

    @cached_property
    def separator(self) -> str:
        """The text between the parts of most answers.

        Raises:
            NotApplicable: The answers have no parts.
        """
        counts = Counter(x for text in self.known.answers for x in _SEPARATOR.findall(text))
        return str(first(counts.most_common(1))[0])

    @cached_property
    def variable(self) -> str:
        """The letter that most answers contain.

        Raises:
            NotApplicable: Most answers contain no letter.
        """
        names = [{*_NAME.findall(text)} for text in self.known.answers]
        counts = Counter(name for answer_names in names for name in answer_names)
        name, count = first(counts.most_common(1))
        if count < len(names) * _SHARE:
            raise NotApplicable
        return str(name)

    @cached_property
    def chooses_inline(self) -> bool:
        """Whether most answers are options within a sentence of the prompt."""
        return self.share(lambda text, answer: answer in inline_options(text)) >= _SHARE

    def copies(self, choose: Choose) -> bool:
        """Return whether most training answers are what an attacker chooses."""
        if choose not in self._copied:
            share = self.share(lambda text, answer: answer == choose(self, text))
            self._copied[choose] = share >= _SHARE
        return self._copied[choose]

    def share(self, holds: Callable[[str, str], bool]) -> float:
        """Return the share of solved tasks whose prompt and answer have a property."""
        solved, count = self.known.solved[:_SEEN], 0
        for lesson in solved:
            with suppress(NotApplicable):
                count += holds(lesson.prompt, self.known.form.core(lesson.answer))
        return count / max(1, len(solved))


Choose = Callable[[Habits, str], str]
"""Chooses an answer from the habits of training and the text of the question."""


def _verbatim(habits: Habits, text: str) -> str:
    return ", ".join(items(text))


def _as_in_training(habits: Habits, text: str) -> str:
    return habits.separator.join(items(text))


def _expression(place: int, habits: Habits, text: str) -> str:
    return named_expressions(text)[place]


def _unless_asked(choose: Choose) -> Choose:
    """Return a choice that is not applicable if training answers are unknown or are such copies."""

    def chosen(habits: Habits, text: str) -> str:
        first(habits.known.solved)
        answer = choose(habits, text)
        if habits.copies(choose):
            raise NotApplicable
        return answer

    return chosen


def _offered(habits: Habits, text: str) -> dict[str, str]:
    """Return the options of a question that does not ask to compare them.

    Raises:
        NotApplicable: It has no options, or asks to compare them.
    """
    if not habits.chooses_inline or _COMPARED.search(text):
        raise NotApplicable
    return inline_options(text)


def _by_place(place: Callable[[int], int], habits: Habits, text: str) -> str:
    names = [*_offered(habits, text)]
    return names[place(len(names))]


def _by_value(choose: Callable[[list[float]], float], habits: Habits, text: str) -> str:
    values: dict[float, str] = {}
    for name, option in _offered(habits, text).items():
        values[float(first(re.findall(r"-?\d+(?:\.\d+)?", option)))] = name
    return values[choose([*values])]


def _mapping(write: Callable[[str, dict[str, str]], str], habits: Habits, text: str) -> str:
    return write(habits.variable, dict(pairs(text)))


def _table(name: str, shown: dict[str, str]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in shown.items())}}}[{name}]"


def _cases(name: str, shown: dict[str, str]) -> str:
    return " else ".join([f"{value} if {name} == {key}" for key, value in shown.items()] + ["0"])


def _indicators(name: str, shown: dict[str, str]) -> str:
    return " + ".join(f"{value} * ({name} == {key})" for key, value in shown.items())


_PLACES: dict[str, Callable[[int], int]] = {
    "first": lambda count: 0,
    "middle": lambda count: count // 2,
    "last": lambda count: count - 1,
}
_VALUES: dict[str, Callable[[list[float]], float]] = {
    "smallest": min,
    "middle": median_low,
    "largest": max,
}
_MAPPINGS = {"a table": _table, "cases": _cases, "a sum of cases": _indicators}
_EXCERPTS: dict[str, tuple[str, Choose]] = {
    "list of the question": (
        "Repeats the list of the question as it stands.",
        _unless_asked(_verbatim),
    ),
    "list of the question, joined as in training": (
        "Repeats the list of the question with the separators of training answers.",
        _unless_asked(_as_in_training),
    ),
    "first expression with names": (
        "Answers the first expression with names as it stands.",
        _unless_asked(partial(_expression, 0)),
    ),
    "last expression with names": (
        "Answers the last expression with names as it stands.",
        _unless_asked(partial(_expression, -1)),
    ),
    **{
        f"{name} option of a sentence": (
            f"Chooses the {name} of the options within a sentence.",
            partial(_by_place, place),
        )
        for name, place in _PLACES.items()
    },
    **{
        f"{name} number of a sentence's options": (
            f"Chooses the {name} number among the options within a sentence.",
            partial(_by_value, choose),
        )
        for name, choose in _VALUES.items()
    },
    **{
        f"pairs of the question as {name}": (
            f"Answers the pairs that the question shows, as {name}.",
            partial(_mapping, write),
        )
        for name, write in _MAPPINGS.items()
    },
}


def excerpts(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that answer with a part of the question."""
    habits = Habits(known)
    for name, (summary, choose) in _EXCERPTS.items():

        def answer(view: Scripted, choose: Choose = choose) -> str:
            return known.form.fill(choose(habits, question_of(view.messages)))

        yield Attacker(name, summary, Scripted(answer), "excerpts")


_EXPRESSIONS = (
    # undefined or infinite
    "NaN", "nan", "inf", "Infinity", "1e999", "-1e999", "∞", r"\infty", "oo", "zoo", "0/0",
    r"\frac{0}{0}", r"\pi\sqrt{\infty}", r"\pi|\log 0|", r"1.5\sqrt{\infty}",
    r"\max(0.0,\infty)", r"\infty - \infty", r"\lim_{x \to \infty} x", "1/0", r"\tan(\pi/2)",
    # always true
    "x=x", "7 = x", "x", "True", "true", "1 = 1", "0 == 0", r"x \in \mathbb{R}", "== answer",
    # all values at once
    r"(-\infty, \infty)", r"[-10^9, 10^9]", "-1000000000..1000000000", r"\mathbb{R}", r"\emptyset",
    r"\{\}", "{}", "[]", "null", "None", "*", ".*", "%", "?", r"\pm 10^9", "any",
    "all of the above", r"\frac{x}{y}", "[*]", "' OR '1'='1",
)  # fmt: skip


_FORMULAS: Mapping[str, Callable[[list[str]], str]] = {
    "the first formula": lambda listed: listed[0],
    "the last formula": lambda listed: listed[-1],
    "the product of all formulas": lambda listed: "".join(f"({text})" for text in listed),
}


def expressions(known: Knowledge) -> Iterator[Attacker]:
    """Yield the attackers that answer with an expression."""
    for text in _EXPRESSIONS:
        policy = say(known.form.fill(text))
        yield Attacker(f"expression {text}", f"Answers `{text}`.", policy, "expressions")
    for name, choose in _FORMULAS.items():

        def answer(view: Scripted, choose: Callable[[list[str]], str] = choose) -> str:
            listed = formulas(question_of(view.messages))
            first(listed)
            return known.form.fill(choose(listed))

        summary = f"Answers {name} of the question as it stands."
        yield Attacker(name, summary, Scripted(answer), "expressions")
