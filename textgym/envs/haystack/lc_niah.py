"""Grading of NeMo Gym's `lc_niah` rows: a set of nodes is asked for, and copying lowers the reward.

The reward is the F1 score of the set, lowered by how much of the reasoning is copied from the
prompt.

Invariants: each measure of copying is from 0 to 1, and 0 without reasoning; only the first 100,000
characters of the reasoning are compared; the time is linear in the lengths, or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Any, Literal, get_args

from textgym.core.episode import Grade
from textgym.envs.haystack.questions import f1_score
from textgym.verifiers.exact import normalize_text
from textgym.verifiers.extract import last_line

__all__ = [
    "GRADING_RULES", "METRIC_RULES", "OVERLAP_METRICS", "GradingRule", "MetricRule", "grade_nodes",
    "lcs", "ngram16", "nodes_of", "prompt_text", "seq_match",
]  # fmt: skip

_MOST_COMPARED = 100_000  # characters of the reasoning
_MOST_WORK = 3_000_000  # pairs of equal characters that `seq_match` looks at; under a second
_WORDS = 16


def seq_match(reasoning: str, prompt: str) -> float:
    """Return the ratio of `difflib.SequenceMatcher`, which ignores the frequent characters.

    The time for the ratio can grow with the third power of the lengths. Where it takes too long,
    the ratio of the characters that both have, in any order, replaces it. That is never less.

    Example:
        >>> seq_match("the cat", "The cat sat."), seq_match("", "The cat sat.")
        (0.7368421052631579, 0.0)
    """
    text = _prepared(reasoning)
    if not text:
        return 0.0
    matcher = _BoundedMatcher(text, normalize_text(prompt))
    try:
        return matcher.ratio()
    except _OutOfWork:
        return matcher.quick_ratio()


class _OutOfWork(Exception):
    """Raised by a matcher that has looked at too many pairs of characters."""


class _BoundedMatcher(SequenceMatcher[str]):
    """A matcher that stops when it has looked at too many pairs of characters."""

    def __init__(self, reasoning: str, prompt: str) -> None:
        super().__init__(None, reasoning, prompt)
        self._left = _MOST_WORK
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        costs = (1 + len(places.get(character, ())) for character in reasoning)
        self._costs = list(accumulate(costs, initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Return the longest match in a part of both texts."""
        self._left -= self._costs[-1 if ahi is None else ahi] - self._costs[alo]
        if self._left < 0:
            raise _OutOfWork
        return super().find_longest_match(alo, ahi, blo, bhi)


def ngram16(reasoning: str, prompt: str) -> float:
    """Return the share of the reasoning's runs of 16 words that the prompt has, too.

    Example:
        >>> text = " ".join(map(str, range(17)))
        >>> ngram16(f"{text} 99", text), ngram16("1 2 3", text)
        (0.6666666666666666, 0.0)
    """
    words = _prepared(reasoning).split()
    runs = {*zip(*(words[start:] for start in range(_WORDS)), strict=False)}
    if not runs:
        return 0.0
    of_prompt = normalize_text(prompt).split()
    copied = runs.intersection(zip(*(of_prompt[start:] for start in range(_WORDS)), strict=False))
    return len(copied) / len(runs)


def lcs(reasoning: str, prompt: str) -> float:
    """Return the length of the longest common substring as a share of the reasoning.

    Example:
        >>> lcs("abcdwxyz", "qq ABCD pp"), lcs("", "abc")
        (0.5, 0.0)
    """
    text = _prepared(reasoning)
    return _longest_common(text, normalize_text(prompt)) / len(text) if text else 0.0


OVERLAP_METRICS: Mapping[str, Callable[[str, str], float]] = {
    "seq_match": seq_match,
    "ngram16": ngram16,
    "lcs": lcs,
}
"""The measures by the names of NeMo Gym's `overlap_metric_rule`."""


def _prepared(reasoning: str) -> str:
    return normalize_text(reasoning[:_MOST_COMPARED])


class _Substrings:
    """The substrings of a text, as a suffix automaton, built in linear time.

    State 0 stands for the empty substring. Each other state stands for substrings that end at the
    same places; its `length` is the length of the longest. Its `shorter` state has the longest
    suffix of them that ends at more places, and `following` the states after one more character.
    """

    def __init__(self, text: str) -> None:
        self.length, self.shorter = [0], [-1]
        self.following: list[dict[str, int]] = [{}]
        last = 0
        for character in text:
            last = self._append(last, character)

    def _append(self, last: int, character: str) -> int:
        """Add a character to the text; return the state of the whole text."""
        new = self._add_state(self.length[last] + 1, 0, {})
        state = last
        while state >= 0 and character not in self.following[state]:
            self.following[state][character] = new
            state = self.shorter[state]
        if state >= 0:
            self.shorter[new] = self._state_after(state, character)
        return new

    def _state_after(self, state: int, character: str) -> int:
        """Return the state of a state's longest substring with a character appended."""
        target, length = self.following[state][character], self.length[state] + 1
        if self.length[target] == length:
            return target
        split = self._add_state(length, self.shorter[target], dict(self.following[target]))
        self.shorter[target] = split
        while state >= 0 and self.following[state].get(character) == target:
            self.following[state][character] = split
            state = self.shorter[state]
        return split

    def _add_state(self, length: int, shorter: int, following: dict[str, int]) -> int:
        self.length.append(length)
        self.shorter.append(shorter)
        self.following.append(following)
        return len(self.length) - 1


def _longest_common(text: str, other_text: str) -> int:
    """Return the length of the longest common substring of two texts."""
    of_text = _Substrings(text)
    following, shorter = of_text.following, of_text.shorter
    state = length = longest = 0
    for character in other_text:
        while state and character not in following[state]:
            state = shorter[state]
            length = of_text.length[state]
        if character in following[state]:
            state = following[state][character]
            length += 1
            longest = max(longest, length)
    return longest


MetricRule = Literal["seq_match", "ngram16", "lcs"]
GradingRule = Literal["base", "multiply", "minus"]
METRIC_RULES: tuple[MetricRule, ...] = get_args(MetricRule)
GRADING_RULES: tuple[GradingRule, ...] = get_args(GradingRule)
_LABEL = re.compile(r"Final Answer:\s*\[")
_MAX_SHOWN = 200  # characters of the extracted answer


def nodes_of(text: str) -> list[str] | None:
    r"""Return the nodes in the brackets behind `Final Answer:` on the last line; None without it.

    Example:
        >>> nodes_of("I see.\n**Final Answer: [a, 'b']**"), nodes_of("Final Answer: []")
        (['a', 'b'], [])
        >>> nodes_of("Final Answer: [a]\nDone."), nodes_of("[a]")
        (None, None)
    """
    line = last_line(text)
    label, end = _LABEL.search(line), line.rfind("]")
    if label is None or end < label.end():
        return None
    items = (item.strip().strip("\"'").strip() for item in line[label.end() : end].split(","))
    return [item for item in items if item]


def prompt_text(row: Mapping[str, Any]) -> str:
    """Return the text of a row's `responses_create_params.input`, without tool calls.

    Example:
        >>> prompt_text({"responses_create_params": {"input": [{"content": [{"text": "a"}]}, {}]}})
        'a'
    """
    prompt = row["responses_create_params"]["input"]
    if isinstance(prompt, str):
        return prompt
    contents = [item.get("content") for item in prompt]
    texts: list[str] = []
    for content in contents:
        if isinstance(content, str):
            texts.append(content)
        elif content:
            texts += [part["text"] for part in content if part.get("text")]
    return "\n".join(texts)


def grade_nodes(
    text: str,
    reasoning: str,
    prompt: str,
    expected: Sequence[str],
    metric_rule: MetricRule,
    grading_rule: GradingRule,
) -> Grade:
    """Grade an answer as `lc_niah` does, except that no reward is below 0.

    Args:
        text: The text of the model's message.
        reasoning: The message's reasoning.
        prompt: The text of the prompt.
        expected: The right nodes.
        metric_rule: The measure that is `reasoning_overlap`.
        grading_rule: How the overlap lowers the reward.

    Example:
        >>> grade_nodes("Final Answer: [a, c]", "", "", ["a", "b"], "lcs", "multiply").reward
        0.5
    """
    nodes = nodes_of(text)
    score = 0.0
    if nodes is not None:
        answered, wanted = {*nodes}, {*expected}
        both_empty = not answered and not wanted
        score = 1.0 if both_empty else f1_score(len(answered & wanted), len(answered), len(wanted))
    measures = {name: measure(reasoning, prompt) for name, measure in OVERLAP_METRICS.items()}
    overlap = measures[metric_rule]
    reward = {
        "base": score,
        "multiply": score * (1 - overlap),
        "minus": max(0.0, score - overlap),
    }[grading_rule]
    components = {
        "answer_score": score,
        **{f"overlap_{name}": measure for name, measure in measures.items()},
        "reasoning_overlap": overlap,
    }
    shown = ", ".join(nodes or ())[:_MAX_SHOWN]
    return Grade(reward, score == 1, components, extracted_answer=shown)
