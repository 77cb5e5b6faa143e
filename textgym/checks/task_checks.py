"""Checks of tasks: leaks in prompts and infos, splits, and duplicates."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from textgym.checks.checks import Outcome, Skipped, check_of
from textgym.checks.episodes import as_message, defines, oracle, play, say
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json
from textgym.messages import text_of
from textgym.tasks.source import NUM_GENERATED_TASKS

_COINCIDENCES = 5  # tasks whose infos may contain the answer by chance
_TELLING = (
    r"(?i:\b(?:answer|solution|gold|correct|expected|target|key|label|result|truth|reference|"
    r"secret|hint)\b)"
    r"[\s\"'`*_(=:{-]{0,6}(?:is\b|are\b)?[\s\"'`*_(=:{-]{0,6}"
)
_FROM_DATASET = "the tasks come from a data set"


def generator_draws_only_from_its_rng(subject: Subject) -> None:
    """Check that the rows do not depend on the state of the global random generators."""
    before, arrays_before = random.getstate(), np.random.get_state()
    rows = []
    try:
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)
            env = subject.make_split("train")
            rows.append([canonical_json(env.get_task(i).row) for i in subject.indices(env)[:50]])
    finally:
        random.setstate(before)
        np.random.set_state(arrays_before)
    name = subject.cls.generate.__qualname__
    assert rows[0] == rows[1], f"{name} draws different rows for the same rng: draw only from rng"


@check_of(
    "runtime.task_declaration_accuracy",
    "Make `read_row` depend only on the row, and give every task its own id.",
)
def task_declaration_accuracy(subject: Subject) -> None:
    """Task ids are unique, and a row passed to `reset` as an option gives the same task."""
    env = subject.make_unwrapped()
    indices = subject.indices(env)
    ids = {env.get_task(index).id for index in indices}
    assert len(ids) == len(indices), f"{len(indices)} tasks have {len(ids)} different ids"
    for index in indices[:20]:
        observation, info = env.reset(options={"index": index})
        row = json.loads(json.dumps(env.task.row))
        assert env.reset(options={"task": row}) == (observation, info), f"row {index} differs"


@check_of(
    "semantic.no_solution_leakage",
    "Keep the answer out of the prompt, infos, and task ids.",
)
def no_solution_leakage(subject: Subject) -> None:
    """Infos and ids do not contain the answer, and the prompt does not reveal it.

    The prompt reveals the answer if it contains the oracle's message, or if words such as `answer:`
    precede the answer in more tasks than chance explains. It may contain the answer otherwise,
    because a task may be to find or repeat something. The schemas of tools may list it among other
    choices, as a question lists its options.
    """
    for level in subject.levels:
        env = subject.at_level(level)
        seen, asked = [], []
        for index in subject.indices(env)[:100]:
            observation, info = env.reset(options={"index": index})
            shown = json.dumps([observation, info])
            if subject.defines("solve"):
                solution = json.dumps(as_message(env.solve()))
                assert solution not in shown, f"the oracle's message is shown in {env.task.id}"
            infos = [step[-1] for step in play(env, say(""), index=index).steps]
            seen.append((env.task, infos))
            asked.append((_text_of(env.task.answer), "\n".join(map(text_of, observation))))
        told = []
        common = _common_tools([infos for _, infos in seen])
        for task, infos in seen:
            telling = [_without_choices(info, common) for info in infos]
            assert not any(_contains(info, task.answer) for info in telling), (
                f"info contains the answer of {task.id}"
            )
            told.append((_text_of(task.answer), json.dumps(telling)))
        _check_texts(told, "the ids or infos of {} of {} tasks contain their answers", _has_word)
        _check_texts(asked, "the prompts of {} of {} tasks tell their answers", _tells)


def _common_tools(episodes: Sequence[Sequence[Mapping[str, Any]]]) -> set[str]:
    """Return the schemas of tools that all of several tasks offer, as JSON."""
    offered = [{*map(canonical_json, infos[0].get("tools", ()))} for infos in episodes]
    return set.intersection(*offered) if len(offered) > 1 else set()


def _without_choices(info: Mapping[str, Any], common: Collection[str]) -> dict[str, Any]:
    """Return an info without common tools, and without the choices among other tools.

    The choices are the values of their enums, and their names.
    """
    tools = info.get("tools", ())
    left = [_pruned(tool) for tool in tools if canonical_json(tool) not in common]
    if len(tools) > 1:
        left = [{**tool, "function": {**tool["function"], "name": ""}} for tool in left]
    others = {key: value for key, value in info.items() if key != "tools"}
    return {**others, "tools": left} if left else others


def _pruned(schema: Any) -> Any:
    """Return a JSON Schema without its enums of several values."""
    if isinstance(schema, list):
        return [_pruned(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _pruned(value)
        for key, value in schema.items()
        if key != "enum" or len({*map(canonical_json, value)}) < 2
    }


def _check_texts(
    told: list[tuple[str, str]], message: str, contains: Callable[[str, str], bool]
) -> None:
    """Check that texts contain the answers of their own tasks no more often than other answers.

    Args:
        told: The answer of each task as a text, and the text that is shown.
        message: The error, which is filled in with the count and the number of tasks.
        contains: Whether a text contains an answer.
    """
    own = other = 0
    leak = ""
    for (answer, text), (others_answer, _) in zip(told, told[1:] + told[:1], strict=True):
        if answer != others_answer and answer and others_answer:
            found = contains(text, answer)
            leak = text if found else leak
            own, other = own + found, other + contains(text, others_answer)
    assert own <= other + max(_COINCIDENCES, len(told) / 10), (
        f"{message.format(own, len(told))}: {leak:.100}"
    )


def _text_of(answer: Any) -> str:
    return str(answer).strip() if isinstance(answer, (str, int, float)) else ""


def _tells(text: str, answer: str) -> bool:
    """Return whether a text has the answer after a word such as `answer`."""
    return re.search(_TELLING + re.escape(answer) + r"(?![A-Za-z0-9])", text) is not None


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text) is not None


def _contains(value: Any, secret: Any) -> bool:
    if isinstance(value, dict):
        return any(_contains(item, secret) for item in value.values())
    if isinstance(value, list) and not isinstance(secret, list):
        return any(_contains(item, secret) for item in value)
    return type(value) is type(secret) and value == secret and not isinstance(value, (bool, float))


@check_of(
    "statistical.split_overlap",
    "Let `canonical` return the content that distinguishes tasks, so that splits divide it.",
)
def split_overlap(subject: Subject) -> None:
    """No task is in two splits, and training has no prompt of a test task with its solution.

    All test tasks are compared with ten times as many training tasks as the other checks play per
    level, divided among the levels.
    """
    if not subject.has_splits:
        raise Skipped(_FROM_DATASET)
    contents: dict[str, str] = {}
    for split in ("train", "validation", "test"):
        env = subject.make_split(split)
        for index in subject.indices(env):
            task = env.get_task(index)
            content = canonical_json(env.canonical(dict(task.row)))
            assert contents.setdefault(content, split) == split, f"{task.id} is in two splits"
    if not subject.cls.card.shared_splits:
        for level in subject.levels:
            _compare_prompts(subject, level)


def _compare_prompts(subject: Subject, level: int | None) -> None:
    chosen = {} if level is None else {"level": level}
    test, train = (subject.make_split(split, **chosen) for split in ("test", "train"))
    by_prompt = {canonical_json(test.get_task(i).messages): i for i in subject.indices(test)}
    for index in range(10 * subject.tasks // len(subject.levels)):
        twin = by_prompt.get(canonical_json(train.get_task(index).messages))
        if twin is not None and _solution(train, index) == _solution(test, twin):
            ids = train.get_task(index).id, test.get_task(twin).id
            raise AssertionError(f"{ids[0]} and {ids[1]} have the same prompt and solution")


def _solution(env: Any, index: int) -> Any:
    """Return the oracle's messages in a task; without an oracle, the answer."""
    if not defines(env, "solve"):
        return env.get_task(index).answer
    play(env, oracle(env), index=index)
    return [dict(message) for message in env.replies]


@check_of(
    "statistical.evaluation_duplicates",
    "Draw from a larger universe, or state on the card how many tasks differ (`distinct_tasks`).",
)
def evaluation_duplicates(subject: Subject) -> Outcome:
    """The prompts of the generated test tasks of a level differ, or the card says how many do.

    In a data set, rows with the prompt of an earlier row are only counted.
    """
    if not subject.is_generated:
        env = subject.make_unwrapped()
        repeated = env.num_tasks - _count_prompts(env, range(env.num_tasks))
        detail = f"{repeated} rows repeat the prompt of an earlier one" if repeated else ""
        return Outcome({"rows": env.num_tasks, "repeated": repeated}, detail=detail)
    field = "first_rung_tasks" if subject.is_first_rung else "distinct_tasks"
    stated, fewest = getattr(subject.cls.card, field), NUM_GENERATED_TASKS
    says = f"but the card has {field}={stated}"
    says += ", the default" if stated == NUM_GENERATED_TASKS else ""
    too_few: dict[int | None, int] = {}
    for level in subject.levels:
        chosen = {} if level is None else {"level": level}
        test = subject.make_split("test", **chosen)
        count = _count_prompts(test, subject.indices(test))
        if count < min(len(subject.indices(test)), stated):
            too_few[level] = _count_prompts(test, range(NUM_GENERATED_TASKS))
        fewest = min(fewest, count)
    if too_few:
        level = min(too_few, key=too_few.__getitem__)
        where = "" if level is None else f" of level {level}"
        raise AssertionError(
            f"the {NUM_GENERATED_TASKS} test tasks{where} have {too_few[level]} different "
            f"prompts, {says}"
        )
    if subject.tasks >= NUM_GENERATED_TASKS and (subject.is_first_rung or not subject.kwargs):
        assert stated == fewest, f"the test tasks have {fewest} different prompts, {says}"
    return Outcome({"distinct": fewest})


def _count_prompts(env: Any, indices: range) -> int:
    """Return how many tasks have different prompts."""
    tasks = map(env.get_task, indices)
    return len({canonical_json([task.messages, task.tools]) for task in tasks})
