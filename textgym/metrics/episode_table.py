"""A tally: what is kept of each episode for the figures of a run.

An episode becomes one row of numbers, and texts (an environment's id, a level, a stop reason)
become numbers of a list of the tally's own; the trajectory is not kept. `Tally.table` gives the
rows sorted by environment, task and repeat, so that figures do not depend on the order in which
episodes finished.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from struct import Struct
from typing import Any

import numpy as np

from textgym.trajectories.schema import Trajectory

__all__ = ["NO_ANSWER", "Episodes", "Tally"]

Array = np.ndarray[Any, np.dtype[Any]]

NO_ANSWER = math.inf
_NAN = math.nan
_COLUMNS = (
    "env", "index", "repeat", "task_id", "level", "category", "failure",
    "reward", "success", "stop", "truncated", "answer", "steps", "seconds",
    "prompt_tokens", "completion_tokens", "completion_chars", "conversation_chars", "splits",
)  # fmt: skip
_PLACE = {name: place for place, name in enumerate(_COLUMNS)}
_UNGRADED = (_NAN,) * (len(_COLUMNS) - 1 - _PLACE["failure"])
_pack_row = Struct(f"{len(_COLUMNS)}d").pack
_pack_component = Struct("3d").pack  # the row's place, the number of the name, the value
_WRITTEN = frozenset(
    ("content", "text", "reasoning_content", "tool_calls", "function", "name", "arguments")
)


class _Numbers(dict[Any, int]):
    """A number for each text, in the order in which they come; None has 0."""

    def __init__(self) -> None:
        super().__init__({None: 0})

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


@dataclass(frozen=True)
class Episodes:
    """Some of a tally's episodes, sorted by environment, task and repeat.

    It looks at the tally's own memory: done with before the tally counts on.

    Attributes:
        values: All rows of the tally.
        components: A row's place, the number of a component's name, and its value.
        texts: The texts by their numbers.
        numbers: The number of each row's task, from 0 in the order of the tasks.
        rows: The places of these episodes' rows, in order.
    """

    values: Array
    components: Array
    texts: Sequence[str | None]
    numbers: Array
    rows: Array

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Array:
        """Return one number of each episode.

        - `env`, `level`, `category`, `failure` (the boundary), `stop`: a text's number, 0 for none.
        - `index`, `repeat`, `task_id`: which episode; of the id, its hash.
        - `reward`, `success`, `truncated` and all that follow: NaN where the episode failed.
        - `answer`: the extracted answer's hash; `NO_ANSWER` where it is empty, NaN where the
          environment names none.
        - `prompt_tokens`, `completion_tokens`: NaN where the policy did not say.
        - `completion_chars`: what the policy wrote, reasoning and calls included;
          `conversation_chars`: all messages at the end.
        - `splits`: turns that began a new token sequence; NaN where the policy has no tokens.
        """
        return np.asarray(self.values[self.rows, _PLACE[name]])

    def where(self, mask: Array) -> Episodes:
        """Return the episodes for which the mask is true."""
        return replace(self, rows=self.rows[mask])

    def graded(self) -> Episodes:
        """Return the episodes that did not fail."""
        return self.where(self.column("failure") == 0)

    def split(self, name: str) -> dict[str, Episodes]:
        """Return the episodes of each text of a column, without those that have none."""
        column = self.column(name)
        found = {self.texts[int(number)]: number for number in np.unique(column)}
        return {text: self.where(column == found[text]) for text in found if text is not None}

    def counts(self, name: str) -> dict[str, int]:
        """Return how many episodes have each text of a column, by name."""
        counts = np.bincount(self.column(name).astype(int), minlength=1)
        pairs = zip(self.texts, counts.tolist(), strict=False)  # the last texts have no episodes
        return dict(sorted((text, count) for text, count in pairs if count and text is not None))

    @property
    def tasks(self) -> Array:
        """The number of each episode's task, which never falls from one to the next."""
        return self.numbers[self.rows]

    def distinct_tasks(self) -> tuple[Array, Array]:
        """Return the number of each task, and how many of these episodes are of it."""
        tasks = self.tasks
        firsts = np.flatnonzero(np.diff(tasks, prepend=-1))
        return tasks[firsts], np.diff(firsts, append=len(tasks))

    def component_means(self) -> dict[str, float]:
        """Return the mean of each reward component over the episodes that have it, by name."""
        chosen = np.zeros(len(self.values), bool)
        chosen[self.rows] = True
        mine = self.components[chosen[self.components[:, 0].astype(int)]]
        mine = mine[np.isfinite(mine[:, 2])]
        names, which = np.unique(mine[:, 1], return_inverse=True)
        sums, counts = np.bincount(which, mine[:, 2]), np.bincount(which)
        means = zip((str(self.texts[int(name)]) for name in names), sums / counts, strict=True)
        return {name: float(mean) for name, mean in sorted(means)}


class Tally:
    """Counts trajectories as they come; holds a few numbers of each, not the trajectories.

    Attributes:
        episodes: How many were counted.
        failures: How many of them failed, by boundary.

    Example:
        >>> tally = Tally()
        >>> tally.mean_reward, tally.episodes
        (None, 0)
    """

    def __init__(self) -> None:
        self._rows = bytearray()
        self._components = bytearray()
        self._numbers = _Numbers()
        self._rewards = 0.0
        self.episodes = 0
        self.failures: dict[str, int] = defaultdict(int)

    def add(self, trajectory: Trajectory) -> None:
        """Count one trajectory."""
        numbers = self._numbers
        info, failure = trajectory["info"], trajectory["failure"]
        level, category = info.get("level"), info.get("category")
        self._rows += _pack_row(
            numbers[trajectory["env_id"]],
            trajectory["task_index"],
            trajectory["repeat"],
            hash(str(trajectory["task_id"])),
            numbers[level if level is None else str(level)],
            numbers[category if category is None else str(category)],
            numbers[failure["boundary"] if failure else None],
            *(_UNGRADED if failure else self._grades(trajectory, info)),
        )
        self.episodes += 1
        if failure:
            self.failures[failure["boundary"]] += 1
        else:
            self._rewards += trajectory["reward"] or 0.0

    def _grades(self, trajectory: Trajectory, info: dict[str, Any]) -> tuple[Any, ...]:
        """Return what a row says of an episode that did not fail, and note its components."""
        steps, usage = trajectory["steps"], trajectory["usage"]
        lengths = [_characters(message) for message in trajectory["messages"]]
        written = 0
        for step in steps:
            if step["message_index"] < len(lengths):
                written += lengths[step["message_index"]]
        if steps:
            self._note(steps[-1]["components"])
        answer = info.get("extracted_answer")
        return (
            trajectory["reward"],
            trajectory["is_success"],
            self._numbers[trajectory["stop_reason"]],
            trajectory["truncated"],
            _NAN if answer is None else (hash(str(answer)) if answer != "" else NO_ANSWER),
            len(steps),
            trajectory["seconds"],
            usage.get("prompt_tokens", _NAN),
            usage.get("completion_tokens", _NAN),
            written,
            sum(lengths),
            _NAN if (splits := trajectory.get("splits")) is None else splits,
        )

    def _note(self, components: Any) -> None:
        """Note the reward components of the episode that is being counted, if they are numbers."""
        if not isinstance(components, dict):
            return
        for name, value in components.items():
            if isinstance(value, (float, int)):
                self._components += _pack_component(self.episodes, self._numbers[name], value)

    @property
    def mean_reward(self) -> float | None:
        """The mean so far; None before the first episode that did not fail."""
        graded = self.episodes - sum(self.failures.values())
        return self._rewards / graded if graded else None

    def table(self) -> Episodes:
        """Return all episodes; the tally does not count on while they are looked at."""
        texts = list(self._numbers)
        values, components = self._arrays()
        places = np.argsort(sorted(range(len(texts)), key=lambda number: texts[number] or ""))
        envs = places[values[:, _PLACE["env"]].astype(int)]
        rows = np.lexsort((values[:, _PLACE["repeat"]], values[:, _PLACE["index"]], envs))
        changes = np.diff(envs[rows], prepend=-1) != 0
        changes |= np.diff(values[rows, _PLACE["index"]], prepend=-1) != 0
        numbers = np.empty(len(rows), int)
        numbers[rows] = np.cumsum(changes) - 1
        episodes = Episodes(values, components, texts, numbers, rows)
        for name in ("level", "category"):
            _label_all(episodes, name)
        return episodes

    def _arrays(self) -> tuple[Array, Array]:
        rows, components = np.frombuffer(self._rows), np.frombuffer(self._components)
        return rows.reshape(-1, len(_COLUMNS)), components.reshape(-1, 3)


def _label_all(episodes: Episodes, name: str) -> None:
    """Give every episode of a task the label that any of them has: one that failed has none."""
    column = episodes.values[:, _PLACE[name]]
    labels = np.zeros(len(episodes))
    np.maximum.at(labels, episodes.numbers, column)
    column[:] = labels[episodes.numbers]


def _characters(written: Any) -> int:
    """Count the characters of a message or several: text, reasoning, names and arguments of calls.

    Example:
        >>> call = {"id": "1", "function": {"name": "add", "arguments": "{}"}}
        >>> _characters({"role": "assistant", "content": "Well", "tool_calls": [call]})
        9
    """
    if type(written) is dict and len(written) == 2:
        content = written.get("content")
        if type(content) is str:  # what most messages are: a role and a text
            return len(content)
    if isinstance(written, str):
        return len(written)
    if isinstance(written, dict):
        return sum([_characters(value) for key, value in written.items() if key in _WRITTEN])
    return sum(map(_characters, written)) if isinstance(written, list) else 0
