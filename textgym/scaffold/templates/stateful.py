"""`my_package/MyEnv-v0`: move things between rooms, which only tools can see and change."""

from __future__ import annotations

import random
from typing import Any

import textgym

__all__ = ["MyEnv"]

_THINGS = ("chair", "clock", "desk", "fan", "globe", "lamp", "mirror", "piano", "plant", "rug")


class MyEnv(textgym.TextEnv[dict[str, int]]):
    """Empty some rooms into other ones. Where all things are in the end is graded, not the text.

    The state of an episode is the room of each thing.
    """

    card = textgym.Card(
        id="my_package/MyEnv-v0",
        summary="Move all things out of some rooms.",
        structure=("multi-step",),
        capabilities=("tool use", "planning"),
        domain=("general",),
        task_type="state change",
        verification=("state",),
        levels=(1, 2, 3),
    )

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw rooms and things. There are as many rooms to empty as the level.

        Each full room has two things or more, so that no single move is ever right.
        """
        rooms = rng.sample(range(100, 1000), 8)
        places = rooms[:4] * 2 + rng.choices(rooms[:4], k=2)
        things = dict(zip(rng.sample(_THINGS, len(_THINGS)), places, strict=True))
        moves = [{"from": rooms[i], "to": rooms[-1 - i]} for i in range(level)]
        return {"rooms": sorted(rooms), "things": things, "moves": moves}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what is asked. The things do not belong to it: only the tools reveal them."""
        return row["moves"]

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Ask for the moves. The answer is where each thing must be in the end."""
        things, targets = row["things"], {move["from"]: move["to"] for move in row["moves"]}
        if not {*targets, *targets.values(), *things.values()} <= {*row["rooms"]}:
            raise textgym.RowError("rooms", "must list the rooms of all things and moves")
        answer = {thing: targets.get(room, room) for thing, room in things.items()}
        if answer == things:
            raise textgym.RowError("moves", "must move something, or doing nothing would be right")
        asked = ", and ".join(f"from room {old} to room {new}" for old, new in targets.items())
        prompt = textgym.user(f"Please move everything {asked}. Nothing else may be moved.")
        return textgym.Task(row["id"], (prompt,), answer, row=row)

    def begin(self, task: textgym.Task) -> dict[str, int]:
        """Return the state before the first message: the room of each thing."""
        return dict(task.row["things"])

    @textgym.tool
    def look(self, room: int) -> list[str]:
        """Return what is in a room.

        Args:
            room: The number of the room.
        """
        self._check(room)
        return sorted(thing for thing, place in self.state.items() if place == room)

    @textgym.tool
    def move(self, thing: str, room: int) -> str:
        """Move a thing to a room.

        Args:
            thing: What to move.
            room: The number of the room.
        """
        self._check(room)
        if thing not in self.state:
            raise textgym.ToolError(f"there is no {thing!r}")
        self.state[thing] = room
        return f"the {thing} is in room {room}"

    def grade(self) -> textgym.Grade:
        """Compare the final state with the answer."""
        right = self.state == self.task.answer
        return textgym.Grade(float(right), right, {"correct": float(right)})

    def solve(self) -> textgym.Message:
        """Make all moves in one message, then stop: this is the oracle."""
        wrong = {
            thing: room for thing, room in self.task.answer.items() if self.state[thing] != room
        }
        if not wrong:
            return textgym.assistant("Done.")
        calls = [("move", {"thing": thing, "room": room}) for thing, room in wrong.items()]
        return textgym.assistant_calls(*calls)

    def guess(self, rng: random.Random) -> textgym.Message:
        """Move something somewhere, then stop: this is the random policy."""
        if self.turn:
            return textgym.assistant("Done.")
        thing, room = rng.choice(_THINGS), rng.choice(self.task.row["rooms"])
        return textgym.assistant_calls(("move", {"thing": thing, "room": room}))

    def _check(self, room: int) -> None:
        if room not in self.task.row["rooms"]:
            raise textgym.ToolError(f"there is no room {room}")
