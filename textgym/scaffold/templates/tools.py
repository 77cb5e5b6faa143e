"""`my_package/MyEnv-v0`: look up the weights of parcels with a tool, and add them."""

from __future__ import annotations

import random
from typing import Any

import textgym

__all__ = ["MyEnv"]


class MyEnv(textgym.TextEnv[None]):
    """Weigh parcels with a tool. The answer is the number behind the last `Answer:`."""

    card = textgym.Card(
        id="my_package/MyEnv-v0",
        summary="Weigh parcels with a tool, and add the weights.",
        structure=("multi-step",),
        capabilities=("tool use", "calculation"),
        domain=("general",),
        task_type="question answering",
        verification=("exact match",),
        levels=(1, 2, 3),
        chance=0.01,
        accepts=("sentences", "full stop"),
    )
    max_turns = 10

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw parcels. The task asks for one more than the level."""
        labels = [f"{rng.choice('BCDFGHJK')}{number}" for number in rng.sample(range(100, 1000), 6)]
        weights = {label: rng.randint(101, 5000) for label in labels}
        return {"weights": weights, "wanted": labels[: level + 1]}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what is asked. The weights do not belong to it: only the tool reveals them."""
        return sorted(row["wanted"])

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Ask for the total weight of the wanted parcels."""
        weights, wanted = row["weights"], row["wanted"]
        if any(type(weight) is not int for weight in weights.values()):
            raise textgym.RowError("weights", "must map parcels to whole numbers of grams")
        if not wanted or any(label not in weights for label in wanted):
            raise textgym.RowError("wanted", "must be a list of parcels that have a weight")
        question = (
            f"What do the parcels {', '.join(wanted)} weigh together, in grams? "
            "Weigh them, then end with a line `Answer: NUMBER`."
        )
        total = sum(weights[label] for label in wanted)
        return textgym.Task(row["id"], (textgym.user(question),), total, row=row)

    @textgym.tool
    def weigh(self, parcel: str) -> str:
        """Weigh a parcel.

        Args:
            parcel: Its label, such as B123.
        """
        weights = self.task.row["weights"]
        if parcel not in weights:
            raise textgym.ToolError(f"there is no parcel {parcel!r}")
        return f"{weights[parcel]} g"

    def grade(self) -> textgym.Grade:
        """Compare the last stated answer with the total."""
        answer = textgym.last_answer(self.answer_text) or ""
        right = textgym.match(str(self.task.answer), answer)
        return textgym.Grade(float(right), right, {"correct": float(right)}, answer)

    def solve(self) -> textgym.Message:
        """Weigh all wanted parcels in one message, then answer: this is the oracle."""
        if self.turn == 0:
            calls = [("weigh", {"parcel": label}) for label in self.task.row["wanted"]]
            return textgym.assistant_calls(*calls)
        return textgym.assistant(f"Answer: {self.task.answer}")

    def guess(self, rng: random.Random) -> textgym.Message:
        """Give an answer in the right form that knows nothing: this is the random policy."""
        return textgym.assistant(f"Answer: {rng.randint(202, 20_000)}")
