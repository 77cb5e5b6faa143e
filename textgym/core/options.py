"""The keyword arguments that environments pass on, as types for `**kwargs: Unpack[...]`."""

from __future__ import annotations

from typing_extensions import TypedDict

from textgym.verifiers.judge.options import JudgeOptions

__all__ = ["JudgedEnvOptions", "TextEnvOptions"]


class TextEnvOptions(TypedDict, total=False):
    """The keyword arguments of `TextEnv`, which documents them."""

    dataset: str | None
    split: str
    level: int | None
    max_turns: int | None
    render_mode: str | None


class JudgedEnvOptions(JudgeOptions, TextEnvOptions, total=False):
    """The keyword arguments that an environment with a judge passes on."""
