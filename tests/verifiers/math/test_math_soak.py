"""Hostile mathematics among sane: a run neither stalls, nor dies, nor misjudges; `make soak`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.trajectories.run_folder import read_trajectories

pytestmark = pytest.mark.soak

TASKS, REPEATS = 500, 11  # of each task's answers one is hostile
WRONG = "987654321"
HOSTILE_FORMS = (
    "9^{{9^{{9^{{{n}}}}}}}",
    "(10^{{{n}}})!",
    "{n}!!!",
    "2^{{10^{{{n}}}}}",
    "x^{{10^{{10^{{{n}}}}}}}",
    "\\sum_{{k=1}}^{{10^{{{n}}}}} k!",
    "\\prod_{{k=1}}^{{10^{{{n}}}}} k",
    "\\binom{{10^{{{n}}}}}{{10^{{9}}}}",
    "\\int_0^{{{n}}} e^{{x^{{x}}}} dx",
    "\\log_{{10^{{-{n}}}}}(10^{{10^{{{n}}}}})",
    "\\sin(\\cos(\\tan(10^{{10^{{{n}}}}})))",
    "(x+y+z+w)^{{{n}}}-(w+x+y-z)^{{{n}}}",
)
REPEATED = ("(", "\\frac{", "\\sqrt{", "\\boxed{", "1,", "x^", "a", "{", "-", "\\begin{pmatrix}")


def hostile(n: int) -> str:
    """Return one of many texts that are to break a checker of mathematics."""
    form = n % (len(HOSTILE_FORMS) + len(REPEATED))
    if form < len(HOSTILE_FORMS):
        return f"\\boxed{{{HOSTILE_FORMS[form].format(n=n + 100)}}}"
    return f"{n} \\boxed{{{REPEATED[form - len(HOSTILE_FORMS)] * (1_000 + n)}"


class Mixed(Policy):
    """Answers a task's first episode as an attacker, the others rightly and wrongly by turns."""

    name = "mixed"

    def __init__(self, said: Counter[str], env: Any = None) -> None:
        self.said, self.env = said, env

    def for_env(self, env: Any) -> Mixed:
        return Mixed(self.said, env.unwrapped)

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        task = self.env.task
        time = self.said[task.id]
        self.said[task.id] += 1
        if time == 0:
            return Action(assistant(hostile(int(task.id.rpartition("-")[2]))))
        right = task.answer.replace("\\frac", "\\dfrac")
        answer = right if time % 2 else WRONG
        return Action(assistant(f"This is try {time}, and it is $\\boxed{{{answer}}}$."))


def test_hostile_answers_neither_stall_nor_kill_a_run(tmp_path: Path) -> None:
    run = textgym.rollout(
        "textgym/Math-v0",
        Mixed(Counter()),
        episodes=TASKS,
        repeats=REPEATS,
        concurrency=8,
        env_kwargs={"library_verifier_timeout_seconds": 0.5},
        out=tmp_path / "run",
    )
    assert run.metrics["overall"]["failures"] == 0
    played = Counter[str]()
    for episode in read_trajectories(tmp_path / "run"):
        said = episode["messages"][-1]["content"]
        kind = "hostile" if "try" not in said else "wrong" if WRONG in said else "right"
        components = episode["steps"][-1]["components"]
        timed_out = components["library_timeout"] == 1.0
        played[kind] += 1
        played["refused"] += timed_out or components["unevaluated"] == 1.0
        assert episode["reward"] == (kind == "right"), said
        assert kind == "hostile" or not timed_out, said
    assert played["hostile"] == TASKS
    assert played["right"] + played["wrong"] == TASKS * (REPEATS - 1)
    assert played["refused"] > TASKS / 4, "the attacks are none"
