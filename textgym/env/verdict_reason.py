"""Why an episode did not earn its full reward: the default of `info["verdict_reason"]`.

An environment that knows better than this module gives its reason in the `Grade`.
"""

from __future__ import annotations

import re
from typing import Any

from textgym.env.conversation import Conversation
from textgym.rewards import ROUNDING, Grade
from textgym.verifiers.extract import last_answer, last_boxed, last_line

__all__ = ["verdict_reason"]

_REFUSAL = re.compile(
    r"\b(?:(?:I|we)(?:['’]m| am| are|['’]re)? (?:sorry|afraid)\b|(?:I|we) (?:must|have to) decline"
    r"|(?:I|we)(?:(?: can ?not|(?: can|(?: wo)n)['’]?t| will not)|(?:['’]m| am| are|['’]re)"
    r" (?:unable|not (?:able|allowed|comfortable))(?: to| with)?) (?:\w+ )?"
    r"(?:help|assist|answer|compl|provid|fulfil|discuss|do (?:that|this)|giv|respond|support)"
    r"|as an AI(?: language)?(?: model| assistant)?\b)",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"[\w)}$*'\"”] *(?:\b(?:or|and/or)\b|[/|]) *[\w({$*\\'\"“]", re.IGNORECASE
)
_VALUE = r"[*$(]{0,4}(?:[A-Z]|-?\d[\d.,/]{0,20})[*$)]{0,4}"
_EITHER = re.compile(rf"(?<!\w){_VALUE} (?:or|and/or) {_VALUE}(?!\w)")  # in a sentence
_LISTED = re.compile(r"(?<!\w)(\w)\W+(?:and\b\W*)?(\w)(?!\w)")
_OR = re.compile(r"\S or \S", re.IGNORECASE)
_MAX_READ = 2_000  # characters, from either end of a text
_MAX_SHORT = 60  # characters of an answer that is no sentence


def verdict_reason(
    grade: Grade, earned: float, reward_range: tuple[float, float], conversation: Conversation
) -> str:
    r"""Return why an episode that no limit cut does not earn the full reward; "" if it does.

    Args:
        grade: The grade, without a reason of its own.
        earned: The return of the episode.
        reward_range: The lowest and the highest possible return.
        conversation: The conversation.

    Example:
        >>> said = Conversation()
        >>> said.add({"role": "assistant", "content": r"It is \boxed{A or B}."})
        >>> verdict_reason(Grade(0.0, False, extracted_answer=""), 0.0, (0.0, 1.0), said)
        'several_answers'
        >>> verdict_reason(Grade(0.0, False, extracted_answer="C"), 0.0, (0.0, 1.0), said)
        'wrong'
    """
    low, high = reward_range
    if earned > low + ROUNDING:
        return "incomplete" if earned < high - ROUNDING else ""
    answer = grade.extracted_answer
    if answer and " " not in answer:
        return "wrong"
    reply: Any = next(conversation.replies(), {})
    text = conversation.answer_text()
    if not text and not answer and not reply.get("tool_calls"):
        return "empty"
    if _REFUSAL.search((answer or text)[:_MAX_READ]):
        return "refused"
    if answer:
        return "several_answers" if len(answer) <= _MAX_SHORT and _OR.search(answer) else "wrong"
    if answer is None:
        return "wrong"
    return "several_answers" if _offers_several(text[-_MAX_READ:]) else "unreadable"


def _offers_several(text: str) -> bool:
    """Tell whether alternatives are stated: in a box, behind `Answer:` or in the last line."""
    stated = last_boxed(text) or last_answer(text)
    if stated is None:
        return bool(_EITHER.search(last_line(text)))
    return bool(_ALTERNATIVES.search(stated) or _LISTED.search(stated))
