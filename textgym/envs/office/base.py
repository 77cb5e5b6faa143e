"""The base classes of the office environments.

`OfficeEnv` grades by the final state of tables, `CompanyEnv` has the tools of a company, and
`UserEnv` a user who answers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from textgym.core.authoring import StateT
from textgym.core.text_env import TextEnv
from textgym.envs.generation import check_worlds, choice, draw_world
from textgym.envs.office.company.database import database_of, new_state
from textgym.envs.office.company.reference import CompanyRun
from textgym.envs.office.company.toolkits import Tools
from textgym.envs.office.databases import SharedDatabase, State, Table
from textgym.envs.office.reference import Call, OfficeTask
from textgym.messages import Message, assistant, assistant_calls
from textgym.tasks.task import hash_int
from textgym.users import PolicyUser, UserLike, add_usage

__all__ = ["CompanyEnv", "OfficeEnv", "UserEnv"]


class OfficeEnv(TextEnv[StateT]):
    """An environment with tables that tools change, and with reference calls.

    A subclass defines `draw`, `edits`, `effect` and the methods of `TextEnv` that are missing here.
    Its `begin` sets `database`.

    Args:
        worlds: The number of different companies or desks in the generated tasks of a split; None
            for a new one at each index.
        **kwargs: The arguments of `TextEnv`.

    Raises:
        UsageError: `worlds` is less than 1.

    Attributes:
        database: The tables at the start of the episode.
    """

    task: OfficeTask
    database: SharedDatabase

    def __init__(self, *, worlds: int | None = 16, **kwargs: Any) -> None:
        check_worlds(worlds)
        self.worlds = worlds
        super().__init__(**kwargs)

    def draw(self, rng: random.Random, level: int, world: int) -> dict[str, Any]:
        """Draw a row about the company or desk with this seed."""
        raise NotImplementedError(f"{type(self).__name__} must define draw")

    def edits(self) -> State:
        """Return what the episode changed in the tables."""
        raise NotImplementedError(f"{type(self).__name__} must define edits")

    def effect(self, calls: Sequence[Call]) -> State:
        """Return what some calls change in the tables of the task."""
        raise NotImplementedError(f"{type(self).__name__} must define effect")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a world of the split, and a task in it."""
        world = draw_world(rng, self.split, self.worlds)
        return {**self.draw(rng, level, world), "world": world}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the world, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.edits())

    def check_state(self) -> None:
        """Check that the changed tables, rows and columns exist."""
        self.database.check(self.edits())

    def differing(self, calls: Sequence[Call]) -> list[str]:
        """Return the names of the tables that are not as after some calls."""
        return self.database.differing(self.edits(), self.effect(calls))

    def table_components(self, differing: Sequence[str]) -> dict[str, float]:
        """Return the component of each table, and `side_effects`.

        Args:
            differing: The tables that are not as they should be.
        """
        database, edits = self.database, self.edits()
        is_changed = bool(database.differing(edits, database.new_state()))
        return {
            **{name: float(name not in differing) for name in database.changeable},
            "side_effects": float(is_changed and bool(differing)),
        }

    def solve(self) -> Message:
        """Make the next look-up or reference call, then end."""
        return self.follow([*self.task.look_ups, *self.task.answer][self.turn :])

    def follow(self, calls: Sequence[Call], ending: str = "It is done.", texts: int = 1) -> Message:
        """Return a message with the first of some calls; with all of them if the turns run out.

        Args:
            calls: The calls that remain.
            ending: The message if none remains.
            texts: The number of messages without calls that remain in the episode.
        """
        if not calls:
            return assistant(ending)
        fits = len(calls) + texts <= self.max_turns - self.turn
        return assistant_calls(*calls[:1] if fits else calls)


class CompanyEnv(OfficeEnv[StateT], Tools):
    """An environment with the databases and tools of a company."""

    def open_company(self, task: OfficeTask) -> State:
        """Open the databases of a task, and return a state without changes."""
        assert task.world is not None
        self.database, self.clock = database_of(task.world), task.clock
        return new_state()

    def effect(self, calls: Sequence[Call]) -> State:
        """Return what some calls change in the databases of the task."""
        return CompanyRun(self.database, self.clock, self.reply_mark).make(calls)

    def guess(self, rng: random.Random) -> Message:
        """Delete a random event, then end."""
        if self.turn:
            return assistant("Done.")
        events = list(self.table("calendar_events"))
        event_id = choice(rng, events)["event_id"] if events else "00000001"
        return assistant_calls(("calendar_delete_event", {"event_id": event_id}))


class UserState(Protocol):
    """The state of an episode with a user.

    Attributes:
        changes: What the episode changed in the databases.
        user_usage: The tokens of the model that speaks as the user.
    """

    changes: State
    user_usage: dict[str, int]


UserStateT = TypeVar("UserStateT", bound=UserState)


class UserEnv(CompanyEnv[UserStateT]):
    """An environment whose user is a script or a model.

    Args:
        user: The model, see `PolicyUser`; None for the script.
        **kwargs: The arguments of `OfficeEnv`.

    Raises:
        UsageError: An argument is not valid.

    Attributes:
        user_instructions: The system message of the model, with `{task}`; None for the default.
    """

    user_instructions: str | None = None

    def __init__(self, *, user: UserLike | None = None, **kwargs: Any) -> None:
        self._model: PolicyUser | None = None
        if user is not None:
            owner = type(self).__name__
            self._model = PolicyUser(user, instructions=self.user_instructions, owner=owner)
        self.blocking = user is not None
        super().__init__(**kwargs)

    def edits(self) -> State:
        """Return what the episode changed in the databases."""
        return self.state.changes

    def worded(self, model: PolicyUser, text: str, *seeds: object) -> str | None:
        """Return what a model says as the user; None if it ends the conversation.

        Args:
            model: The model.
            text: What the user wants or knows.
            *seeds: What the sampling seed is made of, with the task's id.

        Raises:
            UserFailure: The model gave no reply.
        """
        seed = hash_int("user", self.task.id, *seeds)
        reply = model.reply(self._conversation.messages, text, seed=seed)
        self.state.user_usage = add_usage(self.state.user_usage, reply.usage)
        return reply.text

    def user_info(self) -> dict[str, Any]:
        """Return the info of the grade: the model's tokens, if a model speaks as the user."""
        if self._model is None:
            return {"answer_sought": False}
        return {"answer_sought": False, "user_usage": add_usage(self.state.user_usage, {})}
