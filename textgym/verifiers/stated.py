r"""The answer that a text states: in `\boxed{}`, in `<answer>` or behind `Answer:`.

All verifiers that read a whole text find its answer with `read_stated`, and then read that answer
in their own way. Invariants: the form that the prompt names decides, or else the one that stands
last; a label that the text denies ("Wrong answer: 42") states nothing; any text is read in linear
time. `boxed` says which boxes are answers.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from textgym.verifiers.boxed import Passage, stated_box
from textgym.verifiers.denial import CONTRACTED, DOUBTED, FALSE, NEGATIONS
from textgym.verifiers.extract import ANSWER_LABEL, line_spans, tag_span

__all__ = [
    "DENIED_LABEL",
    "OPENING",
    "AnswerForm",
    "Stated",
    "named_form",
    "read_stated",
    "stated_answer",
]

AnswerForm = Literal["line", "box", "tag"]
"""How a prompt asks for the answer: behind `Answer:`, in `\\boxed{}`, or in `<answer>`."""

DENIED_LABEL = re.compile(
    rf"(?:\b(?:{FALSE}|{NEGATIONS}|{DOUBTED}|backup|alternative|second|other(?! words)|another"
    r"|first|suppose|if|rejected|says?|(?<!\bi )(?:said|claimed)|claims|thinks|thought|believes"
    r"|might|may|could|possible|assume|falsche|fausse|mauvaise)\b"
    rf"|{CONTRACTED})[^.,;:\n]{{0,40}}\Z"
    r"|\b(?:previous|earlier|old|potential|tentative|sample|example|trap|naive)[ *_]{1,3}\Z",
    re.IGNORECASE,
)
"""Words before `answer:` or `answer is` that keep it from stating an answer."""

OPENING = (
    r"[*_]{0,3}(?:(?:so|thus|therefore|hence|consequently|in (?:conclusion|short|summary)),?"
    r"|(?:(?:final |my )?(?:result|conclusion|solution|verdict|response))[*_]{0,3}:"
    r"|(?:no,? )?(?:wait|actually|correction|sorry|oops|scratch that|i mean)(?:,? no)?"
    r"[,:.…—–-]{0,3})[*_]{0,3}\s{1,9}"
)
"""The words before an answer that only introduce it, as an alternative of expressions."""

_NEAR = 80  # characters before a label that can deny it


class Stated(NamedTuple):
    """The answer that a text states.

    Attributes:
        text: The answer; the whole text if it states none.
        form: The form in which it is stated, the innermost one if one holds another; None if the
            text states no answer.
    """

    text: str
    form: AnswerForm | None


def named_form(prompt: str) -> AnswerForm | None:
    r"""Return the form in which a prompt asks for the answer; None if it names none or several.

    Example:
        >>> named_form("Put it in \\boxed{}."), named_form('End with "Answer: " and a number.')
        ('box', 'line')
        >>> named_form("How many?"), named_form(r"Write Answer: \boxed{} at the end.")
        (None, None)
    """
    names: dict[AnswerForm, bool] = {
        "line": ANSWER_LABEL.search(prompt) is not None,
        "box": "\\boxed" in prompt,
        "tag": "<answer>" in prompt,
    }
    named = [form for form, is_named in names.items() if is_named]
    return named[0] if len(named) == 1 else None


def stated_answer(text: str, form: AnswerForm | None = None) -> str:
    r"""Return the last answer that a text states behind `Answer:`, in `\boxed{}` or in `<answer>`.

    A form within another one, such as a box behind `Answer:`, is read as well. A text that states
    no answer is returned as it is.

    Args:
        text: The text, without its reasoning.
        form: The form that the prompt names; if the text has it, no other form counts. See
            `named_form`. If it is None, the form that stands last counts.

    Example:
        >>> stated_answer("Answer: 7, or \\boxed{8}.\nAnswer: \\boxed{9}"), stated_answer("9")
        ('9', '9')
        >>> text = "Answer: 7\n\nThis is \\boxed{8}."
        >>> stated_answer(text), stated_answer(text, "line"), stated_answer(text, "tag")
        ('8', '7', '8')
    """
    return read_stated(text, form).text


def read_stated(text: str, form: AnswerForm | None = None) -> Stated:
    r"""Return the answer that a text states, and the form in which it does; see `stated_answer`.

    Example:
        >>> read_stated(r"It is $-\boxed{42}$, not \boxed{41}.")
        Stated(text='-42', form='box')
        >>> read_stated(r"\boxed{3} and \boxed{7}"), read_stated(r"It is not \boxed{7}.").form
        (Stated(text='3 , 7', form='box'), None)
    """
    stated = Stated(text, None)
    while (inner := _last_stated(stated, form)) is not None:
        stated, form = inner, None
    return stated


def _last_stated(stated: Stated, form: AnswerForm | None) -> Stated | None:
    """Return what a text states in a form, or in the one that stands last and in no other one."""
    text, span = stated.text, tag_span(stated.text, "answer")
    possible: dict[AnswerForm, Passage | None] = {
        "line": None if stated.form == "box" else _line(text),
        "box": stated_box(text) if "\\boxed" in text else None,
        "tag": Passage(*span, text[slice(*span)]) if span else None,
    }
    answers: dict[AnswerForm, Passage] = {
        name: answer for name, answer in possible.items() if answer
    }
    if form is not None and form in answers:
        return Stated(answers[form].text, form)
    outer = {
        name: answer
        for name, answer in answers.items()
        if not any(around.start < answer.start < around.end for around in answers.values())
    }
    if not outer:
        return None
    last = max(outer, key=lambda name: outer[name].start)
    return Stated(outer[last].text, last)


def _line(text: str) -> Passage | None:
    for label, start, end in reversed([*line_spans(text)]):
        if not DENIED_LABEL.search(text, max(0, label - _NEAR), label):
            return Passage(start, end, text[start:end])
    return None
