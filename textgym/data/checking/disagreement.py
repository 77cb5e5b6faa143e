"""Labels by disagreement: rows where several runs agree on an answer that is not the row's.

Episodes are matched with rows by their prompts. Answers are the same if their texts are, or if the
environment accepts one as the answer of a row whose right answer is the other.

Invariants: each run has one vote on a row, its most frequent wrong answer; a run that answered the
row rightly more often than in that way has no vote.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textgym.checks.episodes import play, say
from textgym.core.text_env import TextEnv
from textgym.data.checking.content import Item, options_of
from textgym.json_values import encode_line, json_round_trip
from textgym.messages import Message, text_of
from textgym.tasks.task import hash_bytes
from textgym.trajectories.run_folder import read_trajectories
from textgym.trajectories.task_identity import prompt_of
from textgym.verifiers.exact import normalize_answer

__all__ = ["Disagreement"]

_LEAST = 2  # runs that agree
_SHOWN = 60  # characters of an answer


class Vote(NamedTuple):
    """The wrong answer of a run.

    Attributes:
        run: The name of the run.
        answer: The answer as the environment read it.
        text: The whole text of one episode with it.
    """

    run: str
    answer: str
    text: str


class Disagreement:
    """The answers of stored runs.

    Args:
        runs: The folders of the runs.

    Attributes:
        episodes: The number of graded episodes.
        rows: The number of rows that were matched with episodes.

    Raises:
        RunError: A folder holds no run, or a broken one.
    """

    def __init__(self, runs: Iterable[str | Path]) -> None:
        self.episodes = self.rows = 0
        self._votes: defaultdict[int, list[Vote]] = defaultdict(list)
        self._runs: Counter[int] = Counter()  # that played a prompt
        for name, folder in _named(runs):
            self._read(name, folder)

    def _read(self, name: str, folder: Path) -> None:
        right: Counter[int] = Counter()
        wrong: defaultdict[int, Counter[str]] = defaultdict(Counter)
        texts: dict[tuple[int, str], Vote] = {}
        played: set[int] = set()
        for episode in read_trajectories(folder):
            if episode["is_success"] is None:
                continue
            self.episodes += 1
            key = _key(prompt_of(episode))
            played.add(key)
            answer = episode["info"].get("extracted_answer")
            if episode["is_success"]:
                right[key] += 1
            elif isinstance(answer, str) and answer:
                text = text_of(episode["messages"][-1])
                same = normalize_answer(answer)
                wrong[key][same] += 1
                texts.setdefault((key, same), Vote(name, answer, text))
        self._runs.update(played)
        for key, answers in wrong.items():
            ((same, count),) = answers.most_common(1)
            if count > right[key]:
                self._votes[key].append(texts[key, same])

    def find(self, item: Item, env: TextEnv[Any]) -> str:
        """Return what several runs answer instead of the row's answer; "" if they do not agree.

        Args:
            item: The row.
            env: The environment, which compares answers.
        """
        key = _key(item.task.messages)
        self.rows += key in self._runs
        votes = self._votes.get(key, [])
        agreed: list[Vote] = []
        for place, vote in enumerate(votes):
            rest = [v for v in votes[place:] if v is vote or _same(vote, v, item, env)]
            agreed = max(agreed, rest, key=len)
        if len(agreed) < _LEAST:
            return ""
        said, names = agreed[0].answer[:_SHOWN], ", ".join(vote.run for vote in agreed)
        gold = str(item.task.answer)[:_SHOWN]
        runs = f"{len(agreed)} of {self._runs[key]} runs"
        return f"{runs} say {said!r}, and the answer is {gold!r} ({names})"


def _named(runs: Iterable[str | Path]) -> list[tuple[str, Path]]:
    """Return the folders with their names, or with their paths if names are the same."""
    folders = [*map(Path, runs)]
    names = Counter(folder.resolve().name for folder in folders)
    return [
        (folder.resolve().name if names[folder.resolve().name] == 1 else str(folder), folder)
        for folder in folders
    ]


def _key(prompt: Sequence[Message]) -> int:
    return hash_bytes(encode_line(json_round_trip([*prompt])))


def _same(first: Vote, second: Vote, item: Item, env: TextEnv[Any]) -> bool:
    """Return whether two wrong answers are the same, as the environment compares them."""
    if normalize_answer(first.answer) == normalize_answer(second.answer):
        return True
    gold = item.task.answer
    fields = [name for name, value in item.row.items() if value == gold]
    if options_of(item.task) or not isinstance(gold, str) or not fields:
        return False
    row = {**item.row, **dict.fromkeys(fields, first.answer)}
    try:
        episode = play(env, say(second.text), task=row)
    except Exception:  # an environment may raise anything
        return False
    return bool(episode.info.get("is_success"))
