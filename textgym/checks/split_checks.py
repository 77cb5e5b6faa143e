"""Checks of groups and splits: repeats, nearly equal tasks, and the balance of answers.

Tasks are compared by the words of their content, which `canonical` takes from a row. Prompts are
not compared, because the tasks of a generator share most of their words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from textgym.checks.checks import CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import oracle, play
from textgym.checks.subject import SEEDS, Subject
from textgym.errors import install_advice
from textgym.json_values import canonical_json, json_round_trip

_SIMILARITY = 0.9
_MIN_WORDS = 12
_MAX_EXAMPLES = 3
_LEAST_CHANCE = 0.01
_NEAR_TASKS = {False: 1000, True: 30}
_BALANCE_TASKS = {False: 300, True: 60}


@check_of(
    "runtime.group_prompts",
    "Let the prompt depend only on the task.",
    fast=False,
    any_env=True,
)
def group_prompts(subject: Subject) -> None:
    """Repeats of a task have byte-identical prompts, in fresh and used environments."""
    used = subject.make_bare()
    for index in subject.indices(used.unwrapped)[: len(SEEDS)]:
        given = subject.reset_to(index)
        seed, options = given.get("seed"), {"index": index} if "index" in given else None
        prompts = set()
        for env in (used, subject.make_bare(), used):
            observation, info = env.reset(seed=seed, options=options)
            prompts.add(json.dumps([observation, info.get("tools"), info.get("task_id")]))
            env.step("I do not know.")
        assert len(prompts) == 1, f"repeats of task {index} have {len(prompts)} different prompts"


@check_of(
    "statistical.near_duplicates",
    "Let `canonical` leave out what does not distinguish tasks, or draw from a larger universe.",
    fast=False,
)
def near_duplicates(subject: Subject) -> Outcome:
    """No test task has nearly the same content as a training task with the same answer.

    The content is `canonical` of the row, as a set of word triples. Two contents are nearly the
    same if their estimated Jaccard similarity (MinHash) is at least 0.9. Contents of fewer than 12
    words are left to `statistical.split_overlap`, because one word makes them another task.
    """
    if not subject.has_splits:
        raise Skipped("the tasks come from a data set")
    if subject.cls.card.shared_splits:
        raise Skipped("the card says that the splits share their tasks")
    minhash = _import_minhash()
    count = _NEAR_TASKS[subject.quick]
    index = minhash.MinHashLSH(threshold=_SIMILARITY, num_perm=64)
    train: dict[str, tuple[str, str]] = {}
    for id, words, answer, content in _contents(subject.make_split("train"), count):
        train[id] = answer, content
        index.insert(id, _sketch(minhash, words))
    tested, examples = 0, []
    for id, words, answer, content in _contents(subject.make_split("test"), count):
        tested += 1
        for twin in index.query(_sketch(minhash, words)):
            if train[twin][0] == answer and answer != "null":
                examples.append({"test": id, "train": twin, "content": [content, train[twin][1]]})
                break
    measured = {"compared": tested, "near_duplicates": len(examples)}
    if examples:
        first = examples[0]
        raise CheckFailed(
            f"{len(examples)} of {tested} test tasks are nearly training tasks with the same "
            f"answer, such as {first['test']} and {first['train']}",
            measured,
            examples[:_MAX_EXAMPLES],
        )
    return Outcome(measured)


def _import_minhash() -> Any:
    try:
        import datasketch
    except ModuleNotFoundError as error:
        raise Skipped(f"it needs the extra 'audit': {install_advice('audit')}") from error
    return datasketch


def _contents(env: Any, count: int) -> Iterator[tuple[str, list[str], str, str]]:
    """Yield the id, the content's words, the answer and the content of long enough tasks."""
    known = env.num_tasks
    for number in range(count if known is None else min(count, known)):
        task = env.get_task(number)
        content = canonical_json(env.canonical(dict(task.row)))
        words = re.findall(r"\w+", content)
        if len(words) >= _MIN_WORDS:
            yield task.id, words, canonical_json(json_round_trip(task.answer)), content


def _sketch(minhash: Any, words: Sequence[str]) -> Any:
    sketch = minhash.MinHash(num_perm=64, seed=1)
    sketch.update_batch([" ".join(words[i : i + 3]).encode() for i in range(len(words) - 2)])
    return sketch


@check_of(
    "statistical.answer_balance",
    "Draw answers more evenly, or say on the card why some are frequent.",
    fast=False,
    any_env=True,
    severity="warn",
)
def answer_balance(subject: Subject) -> Outcome:
    """No final message of the oracle is more frequent than chance allows.

    The measured values are the most frequent final messages with their shares, and the lengths of
    final messages.
    """
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve)")
    env = subject.make_split("test")
    known = getattr(env, "num_tasks", None)
    count = _BALANCE_TASKS[subject.quick]
    episodes = [
        play(env, oracle(env), **subject.reset_to(number))
        for number in range(count if known is None else min(count, known))
    ]
    finals = Counter(json.dumps([_text(action) for action in e.actions]) for e in episodes)
    lengths = sorted(len(_text(episode.actions[-1])) for episode in episodes)
    share = finals.most_common(1)[0][1] / len(episodes)
    measured = {
        "episodes": len(episodes),
        "different": len(finals),
        "most_frequent": [[text[:200], n / len(episodes)] for text, n in finals.most_common(5)],
        "median_length": lengths[len(lengths) // 2],
    }
    spread = (max(subject.chance, _LEAST_CHANCE) / len(episodes)) ** 0.5
    if share > subject.chance + 5 * spread:
        raise CheckFailed(
            f"one answer is right in {share:.0%} of the tasks, at a chance of {subject.chance:.0%}",
            measured,
        )
    return Outcome(measured)


def _text(action: Any) -> str:
    kept = {name: action[name] for name in ("content", "tool_calls") if action.get(name)}
    return canonical_json(kept)
