"""`reasoning-gym/NAME-v0`: the tasks and scores of each generator of reasoning-gym.

Invariants: reasoning-gym is imported only in worker processes; a task depends only on its
generator, level, configuration and seed; an answer that the package's scorer would run as code, or
that makes it raise or run out of time, earns 0 and says so in a component.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Unpack

from textgym.concurrency.workers import Workers, workers_for
from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import (
    EnvironmentFailure,
    ExtraMissingError,
    OracleError,
    RowError,
    SandboxFailure,
    UnknownNameError,
    UsageError,
    install_advice,
)
from textgym.integrations.reasoning_gym.strict import OWN_GRADES, is_readable, strict_score
from textgym.integrations.reasoning_gym.worker import unpacked
from textgym.json_values import copy_json
from textgym.messages import Message, assistant, system, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.extract import last_boxed

__all__ = ["ReasoningGymEnv", "card_of", "class_of", "table"]

INSTRUCTIONS = (
    "Think step by step about the problem that the user gives you. Then write your final answer "
    "between <answer> and </answer>, and nothing else between them. If the problem shows an "
    "example, write the answer in the form of the example."
)
GRADINGS = ("strict", "original")
_SECONDS = 10.0  # CPU time of a task, or of the score of an answer
_FEW = 40  # different tasks of a level, below which the splits share them
_MAX_SEEDS = 5  # that are tried for a task
_MAX_ANSWER = 4_000_000  # characters; the moves of a tower with 15 disks take 1,200,000


class ReasoningGymEnv(TextEnv[None]):
    r"""Solve a task of one of the generators of reasoning-gym.

    ## Description
    The question and the answer are the package's. The system message asks for the answer
    between `<answer>` and `</answer>`; of several, the last one counts. If a prompt does not name
    these tags, as in NeMo Gym's rows, an answer in `\boxed{}` or the whole text counts, too.

    ## Reward
    With `grading="strict"`, 1 if the package gives its full score, else 0. Generators that give the
    full score to wrong answers, such as `puzzle24`, have an additional check of textgym's own. With
    `grading="original"`, the package's score, from 0 to 1. It is component `score` in either case.

    An answer that is too long, or that the package would run as code, is not passed on: component
    `unreadable` is 1. `raised` and `over_limit` say that the scorer raised on it, or took more
    than 10 seconds of CPU time.

    ## Episode end
    The episode ends with the first message.

    ## Levels
    The levels of the package's curriculum, from 1, without those that make no task in 10 seconds
    or raise. Generators without a curriculum have one level, their default configuration.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question`, `answer`, `metadata` | as the package makes them |
    | `level`, `seed` | of a generated task |

    Args:
        grading: `strict` or `original`.
        config: Changes of the generator's configuration, such as `{"max_terms": 9}`.
        system_prompt: The system message; None leaves it out.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.
    """

    generator: ClassVar[str]
    measured: ClassVar[dict[str, Any]]  # the generator's row of `table`
    blocking = True  # tasks and scores come from worker processes

    def __init__(
        self,
        *,
        grading: str = "strict",
        config: Mapping[str, Any] | None = None,
        system_prompt: str | None = INSTRUCTIONS,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        if find_spec("reasoning_gym") is None:
            raise ExtraMissingError(
                f"{self.card.id} needs the extra 'reasoning-gym': {install_advice('reasoning-gym')}"
            )
        if grading not in GRADINGS:
            raise UnknownNameError(f"grading must be 'strict' or 'original', not {grading!r:.100}")
        self._is_strict = grading == "strict"
        self._config, self._system_prompt = dict(config or {}), system_prompt
        if self._config:
            self._made(kwargs.get("level"), 0)
        super().__init__(**kwargs)

    def _made(self, level: int | None, seed: int) -> dict[str, Any]:
        """Return the entry of a task, with its seed.

        A few generators never end, or raise, for some seeds; the next seed is then taken.

        Raises:
            EnvironmentFailure: None of several seeds makes a task.
        """
        name, place, seconds = self.generator, self._place(level), _SECONDS
        if not self._config and place is not None:
            mean = self.measured["milliseconds"][self.measured["levels"].index(place)] / 1000
            seconds = min(_SECONDS, max(1.0, 10 * mean))
        made: dict[str, Any] = {}
        for tried in range(seed, seed + _MAX_SEEDS):
            made = _asked(name, "entry", seconds, level=place, config=self._config, seed=tried)
            if "question" in made:
                return {**made, "seed": tried}
        reason = made.get("raised", f"it took more than {seconds:g} seconds")
        raise EnvironmentFailure(f"reasoning-gym's {name} made no task: {reason}")

    def _place(self, level: int | None) -> int | None:
        """Return the package's number of a level; None, the default, for one of a data set."""
        levels = self.measured["levels"]
        return levels[level - 1] if levels and level in self.card.levels else None

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a seed; and its task, if the question decides the split."""
        row = {"level": level, "seed": rng.getrandbits(32)}
        return row if self._is_slow else {**row, **self._made(level, row["seed"])}

    @property
    def _is_slow(self) -> bool:
        return bool(self.measured["split_by"] == "seed")

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the question; the seed, where making tasks takes long or there are only a few."""
        by_seed = self._is_slow or self.card.shared_splits
        return [row["level"], row["seed"]] if by_seed else row["question"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a generated row, one of the package's entries, or one of NeMo Gym's."""
        if "question" not in row and "seed" in row and not nemo_rows.has_prompt(row):
            row = {**row, **self._made(row.get("level"), row["seed"])}
        if not isinstance(row.get("answer"), str | None):
            raise RowError("answer", "must be a text, or null if the package has none")
        metadata = row.get("metadata", {})
        if not isinstance(metadata, Mapping):
            raise RowError("metadata", "must be an object")
        if (source := metadata.get("source_dataset", self.generator)) != self.generator:
            raise RowError("metadata", f"is from {source!r:.100}, not from {self.generator}")
        if nemo_rows.has_prompt(row):
            messages = nemo_rows.prompt_of(row)
        else:
            messages = [user(row["question"])]
            if self._system_prompt is not None:
                messages.insert(0, system(self._system_prompt))
        return Task(row["id"], tuple(messages), self._answer_of(row), (), row)

    def _answer_of(self, row: Mapping[str, Any]) -> str | None:
        """Return the right answer, which a few generators have in their metadata."""
        field = self.measured["oracle"]
        answer = row.get("answer") if field in ("", "answer") else row["metadata"].get(field)
        return json.dumps(unpacked(answer)) if isinstance(answer, dict) else answer

    def grade(self) -> Grade:
        """Score the answer."""
        components = dict.fromkeys(("score", "unreadable", "raised", "over_limit"), 0.0)
        answer = extracted(self.answer_text)
        if answer is None and not self._names_tags():
            boxed = last_boxed(self.answer_text)
            answer = self.answer_text if boxed is None else boxed.strip()
        if not answer and self._is_strict:
            return Grade(0.0, False, components, "")
        row = self.task.row
        entry = {"question": row.get("question", ""), "answer": row.get("answer")}
        entry["metadata"] = copy_json(row.get("metadata") or {})
        score = 0.0
        if answer and (len(answer) > _MAX_ANSWER or not is_readable(self.generator, answer)):
            components["unreadable"] = 1.0
        else:
            reply = _asked(
                self.generator,
                "score",
                _SECONDS,
                level=self._place(row.get("level")),
                config=self._config,
                entry=entry,
                answer=answer,
            )
            components["over_limit"] = float("score" not in reply)
            components["raised"] = float("raised" in reply)
            score = reply.get("score", 0.0)
        strict = strict_score(self.generator, answer or "", entry, score)
        components["score"] = score
        reward = strict if self._is_strict else score
        return Grade(reward, strict == 1.0, components, (answer or "")[:1000])

    def _names_tags(self) -> bool:
        """Return whether the prompt asks for the tags."""
        return any("<answer>" in text_of(message) for message in self.task.messages)

    def solve(self) -> Message:
        """Give the package's answer."""
        answer = self.task.answer
        if not isinstance(answer, str) or not is_readable(self.generator, answer):
            raise OracleError(f"the answer of {self.task.id} is not known")
        return assistant(f"<answer>{self.task.answer}</answer>")

    def guess(self, rng: random.Random) -> Message:
        """Give the answer that earns most without the question."""
        return assistant(f"<answer>{self.measured['guess']}</answer>")


def extracted(text: str) -> str | None:
    """Return the text of the last `<answer>…</answer>`; None if there is none.

    Example:
        >>> extracted("It is <answer>4</answer>, no: <answer> 5 </answer>.")
        '5'
    """
    before, closing, _ = text.rpartition("</answer>")
    if not closing:
        return None
    _, opening, answer = before.rpartition("<answer>")
    return answer.strip() if opening else None


def _workers() -> Workers:
    return workers_for("textgym.integrations.reasoning_gym.worker:load", name="reasoning-gym")


def _asked(name: str, do: str, seconds: float, **arguments: Any) -> dict[str, Any]:
    """Ask a worker for a task or a score; the reply is empty if it exceeded a limit.

    Raises:
        UsageError: The generator does not accept the configuration.
        SandboxFailure: The workers cannot be confined here.
        EnvironmentFailure: The generator failed.
        WorkerFailure: No worker could be started.
    """
    reply = _workers().call({"do": do, "name": name, **arguments}, seconds)
    if reply is None:
        return {}
    if "usage" in reply:
        raise UsageError(reply["usage"])
    if "sandbox" in reply:
        raise SandboxFailure(reply["sandbox"])
    if "failed" in reply:
        raise EnvironmentFailure(f"reasoning-gym's {name} failed: {reply['failed']}")
    return reply


@cache
def table() -> dict[str, dict[str, Any]]:
    """Return what was measured of the generators, by their names."""
    path = Path(__file__).with_name("generators.json")
    measured: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return measured


@cache
def class_of(name: str) -> type[ReasoningGymEnv]:
    """Return the class of a generator."""
    values: dict[str, Any] = {
        "generator": name,
        "measured": table()[name],
        "card": card_of(name),
        "__module__": "textgym.integrations.reasoning_gym",
        "__qualname__": name,
        "__doc__": ReasoningGymEnv.__doc__,
    }
    if not table()[name]["oracle"]:
        values["solve"] = TextEnv.solve  # there is no oracle
    return type(name, (ReasoningGymEnv,), values)


def card_of(name: str) -> Card:
    """Return the card of a generator."""
    row = table()[name]
    notes = [f"The package's own score pays {row['chance_original']:g} without the question."]
    if name in OWN_GRADES:
        notes.append("The package gives the full score to wrong answers; a strict check is added.")
    if not row["oracle"]:
        notes.append("The package has no right answer of its tasks, only a check.")
    distinct = row["distinct"]
    few = distinct is not None and (distinct < _FEW or row["split_by"] == "seed")
    if distinct is not None and not few:
        distinct = distinct // 12  # a split of evaluation has a tenth of the tasks
    return Card(
        id=f"reasoning-gym/{name}-v0",
        summary=f"{name.replace('_', ' ').capitalize()}: a generator of reasoning-gym.",
        structure=("single-step",),
        capabilities=("reasoning",),
        domain=(row["category"],),
        task_type="question answering",
        verification=("reasoning-gym's scorer",),
        levels=tuple(range(1, len(row["levels"]) + 1)) or (1,),
        distinct_tasks=500 if distinct is None else distinct,
        chance=row["chance"],
        data="generated by reasoning-gym; .jsonl, .parquet, .csv, hub",
        shared_splits=few,
        licence="Apache-2.0",
        several_answers=True,
        extra="reasoning-gym",
        notes=" ".join(notes),
    )
