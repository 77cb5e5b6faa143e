"""Audits three generators of reasoning-gym, each wrapped in a `TextEnv`.

reasoning-gym (github.com/open-thought/reasoning-gym) makes tasks and scores answers. The prompt,
the way an answer is taken from a message, and the score are that library's; the wrapper adds
nothing. `python examples/reasoning_gym_audit.py` takes a few minutes. docs/audit.md says what was
found.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from typing import Any, ClassVar

import reasoning_gym
from reasoning_gym.utils import SYSTEM_PROMPTS, extract_answer

import textgym
from textgym.checks.report import panel_of

SHOWN = 5  # attackers


class ReasoningGym(textgym.TextEnv[None]):
    """The tasks and the score of one generator of reasoning-gym, as it is configured by default."""

    generator: ClassVar[str]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scorer = reasoning_gym.create_dataset(self.generator, size=1, seed=0)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a task of the library."""
        drawn = reasoning_gym.create_dataset(self.generator, size=1, seed=rng.getrandbits(32))
        entry: dict[str, Any] = json.loads(json.dumps(drawn[0]))
        return entry

    def canonical(self, row: dict[str, Any]) -> Any:
        """Tell tasks apart by their questions, not by their seeds."""
        return row["question"]

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Ask the question under the library's system prompt."""
        messages = textgym.system(SYSTEM_PROMPTS["default"]), textgym.user(row["question"])
        return textgym.Task(row["id"], messages, row["answer"], row=row)

    def grade(self) -> textgym.Grade:
        """Pay the library's score of the answer."""
        said = extract_answer(self.answer_text)
        try:
            score = float(self.scorer.score_answer(said, dict(self.task.row)))
        except ArithmeticError:  # coin_flip raises one for the answer 1e999
            score = 0.0
        return textgym.Grade(score, score == 1.0, {"score": score}, said or "")

    def solve(self) -> textgym.Message:
        """Give the library's answer in its form."""
        return textgym.assistant(f"<answer>{self.task.answer}</answer>")


class CoinFlip(ReasoningGym):
    """The probability of a number of heads in a number of flips."""

    card = textgym.Card(
        "reasoning-gym/CoinFlip-v0", "Say a probability.", chance=0.1, distinct_tasks=34
    )
    generator = "coin_flip"


class GameOfLifeHalting(ReasoningGym):
    """Whether all cells of a board of the Game of Life die."""

    card = textgym.Card("reasoning-gym/GameOfLifeHalting-v0", "True or False?", chance=0.5)
    generator = "game_of_life_halting"


class BitwiseArithmetic(ReasoningGym):
    """The value of an expression of hexadecimal numbers."""

    card = textgym.Card("reasoning-gym/BitwiseArithmetic-v0", "Say the value.", chance=0.01)
    generator = "bitwise_arithmetic"


def main() -> None:
    """Audit the three, and print what fails and the best attackers."""
    print(f"reasoning-gym {version('reasoning_gym')}, textgym {version('textgym')}")
    for env in (CoinFlip, GameOfLifeHalting, BitwiseArithmetic):
        report = textgym.audit(env)
        print(f"\n{report.target}: {report.verdict}")
        for result in report.results:
            if result.failed:
                print(f"  {result.check_id}: {result.detail}")
        panel = panel_of(report.as_dict())
        for row in panel.rows[:SHOWN] if panel else ():
            print(f"  {row.mean:.3f}  {row.name}")


if __name__ == "__main__":
    main()
