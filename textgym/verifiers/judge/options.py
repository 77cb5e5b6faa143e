"""The keyword arguments that every user of a judge takes, declared once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from typing_extensions import TypedDict

__all__ = ["JudgeOptions", "split_judge_options"]


class JudgeOptions(TypedDict, total=False):
    """How a judge is asked. Environments that use a judge take these as keyword arguments.

    Attributes:
        judge_prompt_template: The prompt, with the placeholders `{question}`, `{expected_answer}`
            and `{generated_answer}`; write a literal brace as `{{` or `}}`. `{equal_label}` and
            `{not_equal_label}`, if used, become the labels with their code. None (the default) uses
            textgym's own prompt.
        judge_system_message: The system message; None (the default) sends none.
        judge_equal_label: What the judge writes if the answers mean the same (default `[[A=B]]`).
            It counts alone on the last line of a reply, together with its code, as the whole reply,
            or as the only label in a sentence that does not speak about it. Without
            `{equal_label}` in the prompt, no code is needed.
        judge_not_equal_label: What the judge writes if they do not (default `[[A!=B]]`).
        judge_endpoint_max_concurrency: The maximum number of concurrent requests to the judge
            (default 64); None for no limit.
        judge_timeout: The time limit for one reply, in seconds (default 600).
        judge_sampling: Sampling settings by name, such as `temperature` (default 0) and
            `max_tokens` (default 2,048). Only for a judge that is named like a policy, for example
            `openai:MODEL`.
    """

    judge_prompt_template: str | None
    judge_system_message: str | None
    judge_equal_label: str
    judge_not_equal_label: str
    judge_endpoint_max_concurrency: int | None
    judge_timeout: float
    judge_sampling: Mapping[str, Any] | None


def split_judge_options(arguments: Mapping[str, object]) -> tuple[JudgeOptions, dict[str, Any]]:
    """Separate the judge's options from other keyword arguments.

    Returns:
        The judge's options, and everything else.

    Example:
        >>> split_judge_options({"judge_timeout": 30.0, "level": 2})
        ({'judge_timeout': 30.0}, {'level': 2})
    """
    names = JudgeOptions.__annotations__
    options = {name: value for name, value in arguments.items() if name in names}
    others = {name: value for name, value in arguments.items() if name not in names}
    return cast(JudgeOptions, options), others
