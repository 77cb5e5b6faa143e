"""The episode table: one row of numbers per episode, from which all metrics are computed.

Invariants:

- A row holds numbers only. Texts (an environment's id, a level, a stop reason) are stored as codes
  into a list of distinct texts. Trajectories are not kept.
- A row depends only on its trajectory, in every process, because a run's index stores it.
- `EpisodeTable.view` sorts the rows by environment, task and repeat, so that metrics do not depend
  on the order in which episodes finished.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textgym.metrics.statistics import Array
from textgym.tasks.task import hash_bytes
from textgym.trajectories.episode_record import components_of, task_reward_of
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import task_identity

__all__ = ["COLUMNS", "NO_ANSWER", "EpisodeTable", "EpisodeView", "Rows", "TextCodes"]

NO_ANSWER = math.inf
_NAN = math.nan
COLUMNS = (
    "env", "index", "repeat", "identity", "level", "category", "failure",
    "reward", "task_reward", "success", "stop", "truncated", "answer", "steps", "seconds",
    "prompt_tokens", "completion_tokens", "completion_chars", "conversation_chars", "splits",
)  # fmt: skip
_POSITION = {name: position for position, name in enumerate(COLUMNS)}
_CODED = ("env", "level", "category", "failure", "stop")  # as they are looked up, `stop` last
_COMPONENT_COLUMNS = 3  # the row of the episode, the code of the component's name, the value
_UNGRADED = (_NAN,) * (len(COLUMNS) - 1 - _POSITION["failure"])
_TEXT_KEYS = frozenset(
    ("content", "text", "reasoning_content", "tool_calls", "function", "name", "arguments")
)


class TextCodes(dict[Any, int]):
    """The integer code of each distinct text, in order of first use; None has code 0."""

    def __init__(self) -> None:
        super().__init__({None: 0})

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code

    def extend(self, texts: Sequence[Any]) -> None:
        """Give distinct texts the next codes."""
        self.update(zip(texts, itertools.count(len(self)), strict=False))

    def renumbered(self, used: Array) -> tuple[TextCodes, Array]:
        """Return the codes of the texts as they are first used, and the new code of each old one.

        Args:
            used: Codes, in the order of their use.

        Example:
            >>> codes = TextCodes()
            >>> codes.extend(["a", "b", "c"])
            >>> new, code = codes.renumbered(np.array([3, 0, 1, 3]))
            >>> list(new), code.tolist()
            ([None, 'c', 'a'], [0, 2, 0, 1])
        """
        distinct, first = np.unique(used, return_index=True)
        ordered = distinct[np.argsort(first)]
        ordered = ordered[ordered != 0]
        texts, new = list(self), TextCodes()
        new.extend([texts[code] for code in ordered.tolist()])
        codes = np.zeros(len(texts), int)
        codes[ordered] = np.arange(1, len(new))
        return new, codes


@dataclass(frozen=True)
class EpisodeView:
    """Some episodes of a table, sorted by environment, task and repeat.

    A view shares the memory of its table: no episode can be added while a view exists.

    Attributes:
        values: All rows of the table.
        components: For each reward component: the row of its episode, the code of its name, and its
            value.
        texts: The texts by code.
        task_numbers: The number of each row's task; tasks are numbered from 0 in sorted order.
        rows: The row numbers of the episodes of this view, in order.
    """

    values: Array
    components: Array
    texts: Sequence[str | None]
    task_numbers: Array
    rows: Array

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Array:
        """Return one number per episode.

        - `env`, `level`, `category`, `failure` (the boundary), `stop`: the code of a text, 0 for
          none.
        - `index`, `repeat`: with `env`, the key of the episode. `identity`: a hash of the task's id
          and prompt.
        - `reward`, `task_reward` (the environment's own part of it), `success`, `truncated` and all
          columns below: NaN if the episode failed.
        - `answer`: a hash of the extracted answer; `NO_ANSWER` if it is empty, NaN if the
          environment does not report one.
        - `prompt_tokens`, `completion_tokens`: NaN if the policy did not report them.
        - `completion_chars`: the characters that the policy wrote, with reasoning and tool calls;
          `conversation_chars`: the characters of all messages at the end.
        - `splits`: turns that began a new token sequence; NaN if the policy records no tokens.
        """
        return np.asarray(self.values[:, _POSITION[name]][self.rows])

    def where(self, mask: Array) -> EpisodeView:
        """Return the episodes for which the mask is true."""
        return replace(self, rows=self.rows[mask])

    def graded(self) -> EpisodeView:
        """Return the episodes that did not fail."""
        return self.where(self.column("failure") == 0)

    def split(self, name: str) -> dict[str, EpisodeView]:
        """Return the episodes for each text of a column, without those that have no text."""
        column = self.column(name)
        codes = {self.texts[int(code)]: code for code in np.unique(column)}
        return {text: self.where(column == codes[text]) for text in codes if text is not None}

    def counts(self, name: str) -> dict[str, int]:
        """Return the number of episodes for each text of a column, sorted by text."""
        counts = np.bincount(self.column(name).astype(int), minlength=1)
        pairs = zip(self.texts, counts.tolist(), strict=False)  # the last texts have no episodes
        return dict(sorted((text, count) for text, count in pairs if count and text is not None))

    @property
    def tasks(self) -> Array:
        """The number of each episode's task, in ascending order."""
        return self.task_numbers[self.rows]

    def distinct_tasks(self) -> tuple[Array, Array]:
        """Return the number of each task, and how many of these episodes it has."""
        tasks = self.tasks
        firsts = np.flatnonzero(np.diff(tasks, prepend=-1))
        return tasks[firsts], np.diff(firsts, append=len(tasks))

    def component_means(self) -> dict[str, float]:
        """Return the mean of each reward component over the episodes that have it, by name."""
        chosen = np.zeros(len(self.values), bool)
        chosen[self.rows] = True
        rows = self.components[chosen[self.components[:, 0].astype(int)]]
        rows = rows[np.isfinite(rows[:, 2])]
        codes = rows[:, 1].astype(int)
        sums, counts = np.bincount(codes, rows[:, 2]), np.bincount(codes)
        present = np.flatnonzero(counts).tolist()
        means = ((str(self.texts[code]), sums[code] / counts[code]) for code in present)
        return {name: float(mean) for name, mean in sorted(means)}


class Rows:
    """Rows of numbers, one after the other in an array of doubles.

    Lists of Python numbers take more than twice the memory: see `benchmarks/episode_table.py`.

    Args:
        width: The number of columns.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._numbers = array("d")

    def append(self, row: tuple[Any, ...]) -> None:
        """Append a row.

        Raises:
            TypeError: A value is not a number; nothing was appended.
        """
        self._numbers.extend(array("d", row))

    def as_array(self) -> Array:
        """Return all rows as a matrix that shares their memory."""
        return np.frombuffer(self._numbers).reshape(-1, self._width)

    def as_bytes(self) -> bytes:
        """Return all rows as bytes."""
        return self._numbers.tobytes()

    def extend(self, content: memoryview) -> None:
        """Append rows that `as_bytes` returned."""
        self._numbers.frombytes(content)


class EpisodeTable:
    """A table that keeps a few numbers of each trajectory added to it.

    Attributes:
        num_episodes: How many episodes were added.

    Example:
        >>> table = EpisodeTable()
        >>> table.num_episodes, len(table.view())
        (0, 0)
    """

    def __init__(self) -> None:
        self._rows = Rows(len(COLUMNS))
        self._components = Rows(_COMPONENT_COLUMNS)
        self._codes = TextCodes()
        self.num_episodes = 0

    @classmethod
    def restored(
        cls, texts: Sequence[str], rows: memoryview, components: memoryview
    ) -> EpisodeTable:
        """Return a table from what `parts` returned."""
        table = cls()
        table._codes.extend(texts)
        table._rows.extend(rows)
        table._components.extend(components)
        table.num_episodes = len(table._rows.as_array())
        return table

    @classmethod
    def joined(cls, tables: Sequence[EpisodeTable], chosen: Array) -> EpisodeTable:
        """Return the table that has some episodes of other tables, as `add` would have made it.

        Args:
            tables: The tables.
            chosen: The positions of the episodes, counted through all tables, each at most once.
        """
        known, all_rows, all_components, before = TextCodes(), [], [], 0
        for table in tables:
            codes = np.array([known[text] for text in table._codes])
            rows, components = table._rows.as_array().copy(), table._components.as_array().copy()
            _recode(rows, components, codes)
            components[:, 0] += before
            before += len(rows)
            all_rows.append(rows)
            all_components.append(components)
        rows, components = np.concatenate(all_rows)[chosen], np.concatenate(all_components)
        places = np.full(before, -1)
        places[chosen] = np.arange(len(chosen))
        components[:, 0] = places[components[:, 0].astype(int)]
        components = components[components[:, 0] >= 0]
        components = components[np.argsort(components[:, 0], kind="stable")]
        texts, codes = known.renumbered(_codes_as_used(rows, components))
        _recode(rows, components, codes)
        return cls.restored(
            list(texts)[1:], memoryview(rows.tobytes()), memoryview(components.tobytes())
        )

    def parts(self) -> tuple[list[str], bytes, bytes]:
        """Return the texts by code, from 1, the rows and the reward components."""
        return list(self._codes)[1:], self._rows.as_bytes(), self._components.as_bytes()

    def extend(self, texts: Sequence[str], rows: bytes, components: bytes) -> None:
        """Add the episodes of another table, from what `parts` returned there."""
        codes = np.array([self._codes[text] for text in (None, *texts)])
        added = np.frombuffer(rows).reshape(-1, len(COLUMNS)).copy()
        parts = np.frombuffer(components).reshape(-1, _COMPONENT_COLUMNS).copy()
        _recode(added, parts, codes)
        parts[:, 0] += self.num_episodes
        self._rows.extend(memoryview(added.tobytes()))
        self._components.extend(memoryview(parts.tobytes()))
        self.num_episodes += len(added)

    def numbers(self, name: str) -> Array:
        """Return a column of `EpisodeView.column`, in the order in which episodes were added."""
        return np.asarray(self._rows.as_array()[:, _POSITION[name]])

    def texts(self, name: str) -> list[str | None]:
        """Return the texts of a column of codes, in the order in which episodes were added."""
        known = list(self._codes)
        return [known[code] for code in self.numbers(name).astype(int).tolist()]

    def add(self, trajectory: Trajectory) -> None:
        """Add one trajectory."""
        codes = self._codes
        info, failure = trajectory["info"], trajectory["failure"]
        level, category = info.get("level"), info.get("category")
        row = (
            codes[trajectory["env_id"]],
            trajectory["task_index"],
            trajectory["repeat"],
            task_identity(trajectory),
            codes[level if level is None else str(level)],
            codes[category if category is None else str(category)],
            codes[failure["boundary"] if failure else None],
            *(_UNGRADED if failure else self._graded_columns(trajectory, info)),
        )
        self._rows.append(row)
        self.num_episodes += 1

    def _graded_columns(self, trajectory: Trajectory, info: dict[str, Any]) -> tuple[Any, ...]:
        """Return the columns that only a graded episode has, and add its reward components."""
        steps, usage = trajectory["steps"], trajectory["usage"]
        lengths = [_characters(message) for message in trajectory["messages"]]
        written = 0
        for step in steps:
            if step["message_index"] < len(lengths):
                written += lengths[step["message_index"]]
        for name, value in components_of(trajectory).items():
            self._components.append((self.num_episodes, self._codes[name], value))
        answer = info.get("extracted_answer") if info.get("answer_sought", True) else None
        voted = _NAN if answer is None else NO_ANSWER
        if answer is not None and answer != "":
            voted = hash_bytes(str(answer).encode("utf-8", "surrogatepass"))
        return (
            trajectory["reward"],
            task_reward_of(trajectory),
            trajectory["is_success"],
            self._codes[trajectory["stop_reason"]],
            trajectory["truncated"],
            voted,
            len(steps),
            trajectory["seconds"],
            usage.get("prompt_tokens", _NAN),
            usage.get("completion_tokens", _NAN),
            written,
            sum(lengths),
            _NAN if (splits := trajectory.get("splits")) is None else splits,
        )

    def view(self) -> EpisodeView:
        """Return all episodes; none can be added while the view exists."""
        texts = list(self._codes)
        values = self._rows.as_array()
        components = self._components.as_array()
        order = np.argsort(sorted(range(len(texts)), key=lambda code: texts[code] or ""))
        envs = order[values[:, _POSITION["env"]].astype(int)]
        rows = np.lexsort((values[:, _POSITION["repeat"]], values[:, _POSITION["index"]], envs))
        changes = np.diff(envs[rows], prepend=-1) != 0
        changes |= np.diff(values[rows, _POSITION["index"]], prepend=-1) != 0
        task_numbers = np.empty(len(rows), int)
        task_numbers[rows] = np.cumsum(changes) - 1
        episodes = EpisodeView(values, components, texts, task_numbers, rows)
        for name in ("level", "category"):
            _share_label(episodes, name)
        return episodes


def _recode(rows: Array, components: Array, codes: Array) -> None:
    """Put new codes in the place of each code."""
    for column in (*(rows[:, _POSITION[name]] for name in _CODED), components[:, 1]):
        is_code = ~np.isnan(column)  # failed episodes have no stop reason
        column[is_code] = codes[column[is_code].astype(int)]


def _codes_as_used(rows: Array, components: Array) -> Array:
    """Return all codes in the order in which `EpisodeTable.add` looks them up."""
    numbers = np.arange(len(rows))
    before = rows[:, [_POSITION[name] for name in _CODED[:-1]]]
    codes = np.concatenate([before.ravel(), components[:, 1], rows[:, _POSITION[_CODED[-1]]]])
    users = np.concatenate([np.repeat(numbers, before.shape[1]), components[:, 0], numbers])
    codes = codes[np.argsort(users, kind="stable")]
    return np.asarray(codes[~np.isnan(codes)].astype(int))


def _share_label(episodes: EpisodeView, name: str) -> None:
    """Give all episodes of a task the label that any of them has; failed ones have none."""
    column = episodes.values[:, _POSITION[name]]
    labels = np.zeros(len(episodes))
    np.maximum.at(labels, episodes.task_numbers, column)
    column[:] = labels[episodes.task_numbers]


def _characters(written: Any) -> int:
    """Count the characters of messages: text, reasoning, names and arguments of tool calls.

    Example:
        >>> call = {"id": "1", "function": {"name": "add", "arguments": "{}"}}
        >>> _characters({"role": "assistant", "content": "Well", "tool_calls": [call]})
        9
    """
    if type(written) is dict and len(written) == 2:
        content = written.get("content")
        if type(content) is str:  # most messages are a role and a text
            return len(content)
    if isinstance(written, str):
        return len(written)
    if isinstance(written, dict):
        return sum([_characters(value) for key, value in written.items() if key in _TEXT_KEYS])
    return sum(map(_characters, written)) if isinstance(written, list) else 0
