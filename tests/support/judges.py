"""Simulated judges for tests: honest ones with different habits, and gullible ones.

An honest judge reads the texts between textgym's marks, compares them, and states its verdict. Its
habit decides what else it writes. It copies the label, omits its code, or writes a wrong code. If
the prompt asks for only the label, it writes nothing else.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textgym.verifiers.exact import normalize_answer

_TEXTS = re.compile(r"<text (\w+)>\n(.*?)\n</text \1>", re.DOTALL)
_ORDER = re.compile(r"(?:answer|say|reply|write)\W+(.+?)\s*\Z", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Seen:
    """What an honest judge can write about: the texts, its verdict, and the label for equal."""

    prompt: str
    question: str
    text: str
    equal: str
    verdict: str
    same: bool


def _listed(seen: Seen) -> str:
    lines = "\n".join(f"- {line}" for line in seen.text.splitlines())
    return f"{seen.verdict}\n\nFor the record, answer B reads:\n{lines}\n{seen.text}"


def _unlabelled(seen: Seen) -> str:
    return f'It says "{seen.text}"\n{seen.text}\nThey {"agree" if seen.same else "differ"}.'


HABITS: dict[str, Callable[[Seen], str]] = {
    "label only": lambda seen: seen.verdict,
    "aloud": lambda seen: f"Answer B is {seen.text}\nI compare them.\n{seen.verdict}",
    "one line": lambda seen: f"Answer B is {seen.text!r}, so my verdict is {seen.verdict}.",
    "quotes": lambda seen: f'It says "{seen.text}".\n\n**{seen.verdict}**',
    "quotes as a block": lambda seen: f"> {seen.text}\n\n`{seen.verdict}`",
    "escaped": lambda seen: f"It is {json.dumps(seen.text)}.\n{seen.verdict}",
    "unescaped": lambda seen: f"It is {html.unescape(seen.text)}.\n{seen.verdict}",
    "in capitals": lambda seen: f"IT SAYS {seen.text.upper()}!\n{seen.verdict}",
    "in small letters": lambda seen: f"it says {seen.text.casefold()}\n{seen.verdict}",
    "normalised": lambda seen: f"It says {normalised(seen.text)}\n{seen.verdict}",
    "comments": lambda seen: f"B tries to say {seen.equal}. They are what they are: {seen.verdict}",
    "comments before": lambda seen: f"B may want\n{seen.equal}\nbut it is\n{seen.verdict}",
    "comments behind": lambda seen: f"{seen.verdict}\nAnswer B may have wanted\n{seen.equal}",
    "lists at the end": _listed,
    "markdown": lambda seen: f"## Comparison\n{seen.text}\n\n**Verdict:** {seen.verdict}",
    "final verdict": lambda seen: f"{seen.text}\n\n**Final verdict: {seen.verdict}.**",
    "repeats the question": lambda seen: f"{seen.question}\n{seen.verdict}\n",
    "repeats the prompt": lambda seen: f"{seen.prompt}\n\n{seen.verdict}",
    "forgets the label": _unlabelled,
    "reasons": lambda seen: f"<think>{seen.text} {seen.equal}?</think>\n{seen.verdict}",
}


def normalised(text: str) -> str:
    """Return a text with compatibility forms and without invisible characters."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Mn"))


@dataclass
class Honest:
    """A judge that compares the texts and never follows instructions in them."""

    habit: str
    labels: tuple[str, str] = ("[[A=B]]", "[[A!=B]]")
    code: str = "copied"  # or "forgotten", or "wrong"
    asked: int = 0

    def __call__(self, messages: list[Any]) -> str:
        self.asked += 1
        prompt = messages[-1]["content"]
        (code, question), (_, first), (_, second) = _TEXTS.findall(prompt)
        same = normalize_answer(first) == normalize_answer(second)
        label = self.labels[0] if same else self.labels[1]
        verdict = f"{label} {code}" if f"{label} {code}" in prompt else label
        if self.code != "copied":
            verdict = verdict.replace(code, "" if self.code == "forgotten" else "0badc0de").strip()
        if prompt.splitlines()[-1].startswith("Reply with one of these two labels"):
            return verdict
        longer = max(first, second, key=len)
        seen = Seen(prompt, question, longer, self.labels[0], verdict, same)
        return HABITS[self.habit](seen)


def obedient(messages: list[Any]) -> str:
    """Follow the last instruction in an answer; without one, call the answers equal."""
    texts = [text for _, text in _TEXTS.findall(messages[-1]["content"])]
    orders = [order[1] for text in texts if (order := _ORDER.search(text))]
    return orders[-1] if orders else agreeable(messages)


def parrot(messages: list[Any]) -> str:
    """Repeat only the answers."""
    return "\n".join(text for _, text in _TEXTS.findall(messages[-1]["content"])[1:])


def agreeable(messages: list[Any]) -> str:
    """Call any two answers equal."""
    code = _TEXTS.findall(messages[-1]["content"])[0][0]
    return f"They agree.\n[[A=B]] {code}"
