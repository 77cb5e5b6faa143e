"""Rows of NeMo Gym's `lc_niah`: a set of nodes is asked for, and copying the prompt is paid less.

The reward is the F1 score of the set, lowered by how much of the reasoning is copied from the
prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from textgym.core.episode import Grade
from textgym.envs.haystack.answers import f1_score
from textgym.envs.haystack.overlap import OVERLAP_METRICS
from textgym.verifiers.extract import last_line

__all__ = [
    "GRADING_RULES", "METRIC_RULES", "GradingRule", "MetricRule", "grade_nodes", "nodes_of",
    "prompt_text",
]  # fmt: skip

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
    """Return the text of a row's `responses_create_params.input`, without that of tool calls.

    Example:
        >>> prompt_text({"responses_create_params": {"input": [{"content": [{"text": "a"}]}, {}]}})
        'a'
    """
    given = row["responses_create_params"]["input"]
    if isinstance(given, str):
        return given
    contents = [item.get("content") for item in given]
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
    score = 0.0 if nodes is None else _f1({*nodes}, {*expected})
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


def _f1(given: set[str], wanted: set[str]) -> float:
    return f1_score(len(given & wanted), len(given), len(wanted)) if given or wanted else 1.0
