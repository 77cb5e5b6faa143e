"""Recorded answers, graded by a single-step environment without a model.

Invariants: answers are graded and counted in the order of the file; memory holds only the answers
under way and the listed differences; an answer that cannot be graded has no reward, not 0, and is
counted with its reason.
"""

from __future__ import annotations

import json
import queue
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from textgym.concurrency.calls import step_may_block
from textgym.core.text_env import TextEnv
from textgym.errors import BoundaryFailure, RowError, RunError, UsageError
from textgym.json_values import encode_line
from textgym.registry import make
from textgym.rescoring.agreement import Agreement, share_interval
from textgym.rescoring.answers import TaskAnswers
from textgym.rescoring.recorded import RecordedAnswer, read_records, recorded_answers, task_row
from textgym.trajectories.run_folder import read_config

__all__ = ["GradedAnswer", "Grading", "grade"]

_WAITING = 4  # queued answers per thread


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """The grade of one recorded answer.

    Attributes:
        place: Where the answer is, such as `line 7 of samples.jsonl`.
        id: Its id, or None.
        reward: Its reward; None if it could not be graded.
        is_success: Whether it is right; None if it could not be graded.
        components: The named parts of the reward.
        extracted_answer: The answer as the environment read it.
        verdict_reason: Why the reward is not full, as in `info`.
        recorded: The verdict in the file; None without one.
        problem: Why it could not be graded, or "".
        question: The prompt as one text; only if the verdicts differ.
        answer: The right answer, likewise.
        output: What the model wrote, likewise.
    """

    place: str
    id: Any
    reward: float | None = None
    is_success: bool | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    extracted_answer: str = ""
    verdict_reason: str = ""
    recorded: bool | None = None
    problem: str = ""
    question: str = ""
    answer: Any = None
    output: str = ""

    @property
    def differs(self) -> bool:
        """Whether the recorded verdict differs from the new one."""
        return self.is_success is not None and self.recorded not in (None, self.is_success)


@dataclass(slots=True)
class Grading:
    """The result of grading a file.

    Attributes:
        graded: The number of answers with a reward.
        right: The number of right answers.
        reasons: How often each `verdict_reason` other than "" was given.
        agreement: The agreement with the recorded verdicts.
        problems: Why answers could not be graded, with their numbers.
        differences: The first answers whose recorded verdict differs.
        out: The folder of the files, if they were written.
    """

    graded: int = 0
    right: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    agreement: Agreement = field(default_factory=Agreement)
    problems: Counter[str] = field(default_factory=Counter)
    differences: list[GradedAnswer] = field(default_factory=list)
    out: Path | None = None
    _sum: float = 0.0

    @property
    def mean_reward(self) -> float | None:
        """The mean reward of the graded answers; None without any."""
        return self._sum / self.graded if self.graded else None

    def add(self, answer: GradedAnswer, keep: int) -> None:
        """Count an answer, and list it if its recorded verdict differs.

        Args:
            answer: The answer.
            keep: How many differences are listed.
        """
        if answer.reward is None:
            self.problems[answer.problem] += 1
            return
        self.graded += 1
        self.right += bool(answer.is_success)
        self._sum += answer.reward
        if answer.verdict_reason:
            self.reasons[answer.verdict_reason] += 1
        if answer.recorded is not None:
            self.agreement.add(bool(answer.is_success), answer.recorded)
        if answer.differs and len(self.differences) < keep:
            self.differences.append(answer)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "graded": self.graded,
            "right": self.right,
            "right_rate": self.right / self.graded if self.graded else None,
            "right_interval": share_interval(self.right, self.graded),
            "mean_reward": self.mean_reward,
            "verdict_reasons": dict(self.reasons.most_common()),
            "agreement": self.agreement.as_dict() if self.agreement.total else None,
            "not_graded": dict(self.problems.most_common()),
            "out": None if self.out is None else str(self.out),
        }


def grade(
    answers: str | Path | Iterable[Mapping[str, Any]],
    env: str,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    concurrency: int = 16,
    retries: int = 2,
    keep: int = 20,
    on_answer: Callable[[GradedAnswer], None] | None = None,
) -> Grading:
    r"""Grade recorded answers without a model, and compare with the recorded verdicts.

    Files of JSON lines, Parquet, lm-evaluation-harness, Inspect, verifiers, OpenAI's batches and
    runs of textgym are recognised; see docs/grade.md. A record without the right answer is matched
    by its id with a task of the environment's data set.

    Args:
        answers: The path of a file or of a run's folder, or records.
        env: The id of a single-step environment.
        env_kwargs: The environment's keyword arguments.
        columns: Which value of a record is the `question`, `answer`, `options`, `output`,
            `recorded` or `id`, or another field of a row, as a path such as `doc.question`.
        out: A new folder for `graded.jsonl`, `differences.txt` and `summary.json`.
        concurrency: The number of answers graded at once, if steps may wait.
        retries: How often a failed step, of a judge for example, is retried.
        keep: How many differences are listed.
        on_answer: Called with each answer, in order.

    Raises:
        UsageError: An argument is invalid, or no answer can be graded.
        DatasetError: The file is missing or broken.
        RunError: `out` is in use.

    Example:
        >>> records = [
        ...     {"question": "?", "choices": ["tin", "tea"], "answer": 0, "output": r"\boxed{A}",
        ...      "correct": True},
        ...     {"question": "?", "choices": ["tin", "tea"], "answer": 0, "output": "Tin!",
        ...      "correct": True},
        ... ]
        >>> result = grade(records, "textgym/MCQA-v0")
        >>> result.right, dict(result.reasons), result.agreement.only_recorded
        (1, {'unreadable': 1}, 1)
    """
    if concurrency < 1 or retries < 0 or keep < 0:
        raise UsageError("concurrency must be 1 or more, and retries and keep 0 or more")
    records: Iterator[tuple[str, Any]]
    config: dict[str, Any] = {}
    if isinstance(answers, (str, Path)):
        records = read_records(answers)
        if Path(answers).is_dir():
            config = read_config(answers)
    else:
        records = ((f"record {number}", record) for number, record in enumerate(answers))
    with ExitStack() as stack:
        own = stack.enter_context(TaskAnswers(config))
        grader = _Grader(env, dict(env_kwargs or {}), own, retries, concurrency)
        stack.callback(grader.close)
        result = Grading(out=None if out is None else Path(out))
        files = stack.enter_context(_Files(result.out)) if result.out else None
        for answer in grader.grade_all(recorded_answers(records, columns or {})):
            result.add(answer, keep)
            if files:
                files.add(answer)
            if on_answer:
                on_answer(answer)
        if not result.graded:
            reason = next(iter(result.problems), "the file has no answers")
            raise UsageError(f"no answer can be graded: {reason}")
        if files:
            files.finish(result)
    return result


class _Grader:
    """Grades answers in one environment, or, if its steps may wait, in one for each thread."""

    def __init__(
        self, id: str, kwargs: dict[str, Any], own: TaskAnswers, retries: int, concurrency: int
    ) -> None:
        self._id, self._kwargs, self._own, self._retries = id, kwargs, own, retries
        env = make(id, **kwargs)
        first = env.unwrapped
        if not isinstance(first, TextEnv) or "single-step" not in first.card.structure:
            raise UsageError(f"{id} is not a single-step environment: its episodes have many turns")
        self._first, self._made = first, [first]
        self._threads = concurrency if step_may_block(env) else 0
        self._idle: queue.SimpleQueue[TextEnv[Any]] = queue.SimpleQueue()
        self._idle.put(first)

    def close(self) -> None:
        """Close the environments."""
        for env in self._made:
            env.close()

    def grade_all(self, answers: Iterable[RecordedAnswer]) -> Iterator[GradedAnswer]:
        """Yield the grades of answers, in order."""
        rows = ((answer, *self._row(answer)) for answer in answers)
        if not self._threads:
            for answer, row, problem in rows:
                yield self._grade(answer, row, problem)
            return
        waiting: deque[Future[GradedAnswer]] = deque()
        with ThreadPoolExecutor(self._threads) as threads:
            for answer, row, problem in rows:
                waiting.append(threads.submit(self._grade, answer, row, problem))
                if len(waiting) >= _WAITING * self._threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _row(self, answer: RecordedAnswer) -> tuple[Any, str]:
        """Return the row of an answer's task, or None and the reason."""
        if answer.problem:
            return None, answer.problem
        if answer.trajectory is not None:
            try:
                return self._own.task(answer.trajectory).row, ""
            except (UsageError, BoundaryFailure) as error:
                return None, str(error)
        row = task_row(answer.row)
        if "dataset" in self._kwargs and "answer" not in row:
            if str(answer.id) not in self._rows_by_id:
                return None, "the data set has no task with its id"
            return self._rows_by_id[str(answer.id)], ""
        return row, ""

    @cached_property
    def _rows_by_id(self) -> dict[str, Any]:
        """The rows of the environment's data set."""
        tasks = map(self._first.get_task, range(self._first.num_tasks or 0))
        return {task.id: task.row for task in tasks}

    def _grade(self, answer: RecordedAnswer, row: Any, problem: str) -> GradedAnswer:
        if problem:
            return _ungraded(answer, problem)
        try:
            env = self._idle.get_nowait()
        except queue.Empty:
            env = make(self._id, **self._kwargs).unwrapped  # type: ignore[assignment]
            self._made.append(env)
        try:
            return self._grade_in(env, answer, row)
        finally:
            self._idle.put(env)

    def _grade_in(self, env: TextEnv[Any], answer: RecordedAnswer, row: Any) -> GradedAnswer:
        try:
            prompt, _ = env.reset(options={"task": row})
        except RowError as error:
            return _ungraded(answer, str(error))
        output = answer.output or ""
        for attempt in range(self._retries + 1):
            try:
                _, reward, _, _, info = env.step({"role": "assistant", "content": output})
                break
            except BoundaryFailure as failure:
                if attempt == self._retries:
                    return _ungraded(answer, f"{failure.boundary}: {failure}")
        right = bool(info["is_success"])
        shown: dict[str, Any] = {}
        if answer.recorded not in (None, right):
            question = "\n\n".join(str(message.get("content") or "") for message in prompt)
            shown = {"question": question, "answer": env.task.answer, "output": output}
        return GradedAnswer(
            answer.place,
            answer.id,
            reward,
            right,
            info["reward_components"],
            info["extracted_answer"],
            info["verdict_reason"],
            answer.recorded,
            **shown,
        )


def _ungraded(answer: RecordedAnswer, problem: str) -> GradedAnswer:
    return GradedAnswer(answer.place, answer.id, recorded=answer.recorded, problem=problem)


class _Files:
    """The files of a grading, in a new folder; `differences.txt` is for people."""

    _LEFT_OUT = ("question", "answer", "output")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunError(f"{str(folder)!r} exists and is not an empty folder")
        folder.mkdir(parents=True, exist_ok=True)
        self._graded = (folder / "graded.jsonl").open("wb")
        self._differences = (folder / "differences.txt").open("w", encoding="utf-8")

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *error: object) -> None:
        self._graded.close()
        self._differences.close()

    def add(self, answer: GradedAnswer) -> None:
        """Write an answer."""
        line = asdict(answer)
        for name in self._LEFT_OUT:
            del line[name]
        self._graded.write(encode_line(line))
        if answer.differs:
            verdicts = ["wrong", "right"]
            name = answer.place if answer.id is None else f"{answer.place}, id {answer.id}"
            reason = answer.verdict_reason
            reason = "" if reason in ("", "wrong") else f" ({reason})"
            text = (
                f"==== {name}\n"
                f"recorded: {verdicts[bool(answer.recorded)]}\n"
                f"now: {verdicts[bool(answer.is_success)]}{reason}, reward {answer.reward:g}\n"
                f"right answer: {answer.answer}\nextracted: {answer.extracted_answer}\n"
                f"---- question\n{answer.question}\n---- output\n{answer.output}\n\n"
            )
            self._differences.write(text.encode("utf-8", "replace").decode())

    def finish(self, result: Grading) -> None:
        """Write the summary."""
        summary = json.dumps(result.as_dict(), indent=2)
        (self._folder / "summary.json").write_text(summary + "\n", encoding="utf-8")
