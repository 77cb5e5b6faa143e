"""`check_files`: all checks of files of rows, in one pass over them.

The first rows of each file are read before, for the lines that prompts share. Rows are then read in
portions: each is read by the environment, its labels are graded, and it is compared with the rows
before it. Nearly equal rows and the balance are judged at the end.

Invariant: the findings depend only on the files, the environment and the seed.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from textgym.checks.episodes import play, send
from textgym.core.text_env import TextEnv
from textgym.data.checking.balance import Balance
from textgym.data.checking.content import (
    Content,
    ContentReader,
    Item,
    is_shown,
    options_of,
    shared_lines,
)
from textgym.data.checking.disagreement import Disagreement
from textgym.data.checking.hints import (
    invalid_pattern,
    is_placeholder,
    option_faults,
    stated_answer,
)
from textgym.data.checking.labels import Label, Labels
from textgym.data.checking.reading import read_rows
from textgym.data.checking.report import Place, Report
from textgym.data.checking.schema import TaskReader
from textgym.data.checking.texts import text_faults, values_in
from textgym.data.checking.twins import Known, Twins
from textgym.errors import UsageError
from textgym.messages import Message
from textgym.registry import make, registered_id
from textgym.tasks.named import is_dataset_name, named_dataset, named_rows_file
from textgym.tasks.rows import check_columns

__all__ = ["check_files"]

_LEARNT = 500  # rows of each file that are read for shared lines
_PORTION = 256  # rows
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")


def check_files(
    files: Sequence[str | Path],
    env: str,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    against: Iterable[str | Path] = (),
    runs: Iterable[str | Path] = (),
    labels: int | None = None,
    examples: int | None = 10,
    seed: int = 0,
    on_rows: Callable[[Report], None] | None = None,
) -> Report:
    r"""Find what is wrong in files of rows: errors, labels, repetitions, leaks, imbalance.

    Args:
        files: The files (.jsonl, .csv, .parquet). Each is a split: a row of one that is in another
            is a leak.
        env: The id of the environment that plays the rows.
        env_kwargs: The environment's keyword arguments. `columns` names the columns of the files.
        against: Benchmarks that no row may be from: files, or names of data sets (`gsm8k`), or
            `NAME:SPLIT`. A name without a split stands for its evaluation splits.
        runs: The folders of runs that played the rows. Rows where several of them agree on another
            answer are listed.
        labels: The number of rows, from the first, whose labels are verified; None for all.
        examples: The number of findings of each kind that are kept; None for all.
        seed: The seed of wrong answers.
        on_rows: Called with the report after each portion of rows.

    Raises:
        UsageError: A file, environment or run does not exist, or an argument is not valid.
        DatasetError: A benchmark cannot be loaded.
        ExtraMissingError: Parquet files and benchmarks by name need the extra `data`.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name) / "rows.jsonl"
        >>> _ = path.write_text(
        ...     '{"question": "2 + 2?", "expected_answer": "4"}\n'
        ...     '{"question": "2 + 3?", "expected_answer": 5}\n'
        ...     '{"question": "2 + 2?", "expected_answer": "22"}\n'
        ... )
        >>> report = check_files([path], "textgym/Math-v0")
        >>> for finding in report.findings():
        ...     print(finding.kind, finding.place.number, finding.reason)
        schema 2 field 'expected_answer' must be a string such as '32', not 5
        conflict 3 has the answer '22', and line 1 with the same prompt has '4'
        >>> folder.cleanup()
    """
    if not files:
        raise UsageError("there is no file to check")
    if labels is not None and labels < 0:
        raise UsageError(f"labels, the number of rows to verify, must be 0 or more, not {labels}")
    if examples is not None and examples < 0:
        raise UsageError(f"examples must be 0 or more, not {examples}")
    started = time.monotonic()
    kwargs = dict(env_kwargs or {})
    id = registered_id(env)
    report = Report(id, dict(kwargs), examples)
    columns = kwargs.pop("columns", None)
    if columns is not None:
        check_columns(columns)
    with ExitStack() as stack:
        checker = _Checker(report, stack, id, kwargs, labels, seed, Disagreement(runs))
        paths = [*dict.fromkeys(map(Path, files))]
        sources = [Source(checker.env, str(path), path, columns) for path in paths]
        checker.learn(sources, [*_benchmarks(against, id, kwargs, columns, stack)])
        for path, source in zip(paths, sources, strict=True):
            for count in checker.check(source):
                report.rows[str(path)] = count
                report.seconds = time.monotonic() - started
                if on_rows:
                    on_rows(report)
        checker.finish()
    report.seconds = time.monotonic() - started
    return report


def _text_env(id: str, kwargs: Mapping[str, Any], stack: ExitStack) -> TextEnv[Any]:
    """Make an environment without wrappers, which is closed with the stack."""
    made = make(id, **kwargs)
    stack.callback(made.close)
    inner = made.unwrapped
    if not isinstance(inner, TextEnv):
        raise UsageError(f"{id} is not a TextEnv, so it reads no rows")
    return inner


@dataclass(frozen=True, eq=False)
class Source:
    """A file of rows, and how it is read.

    Attributes:
        env: The environment that reads its rows.
        name: Its name.
        path: The file.
        columns: The column that each field is read from, or None.
    """

    env: TextEnv[Any]
    name: str
    path: Path
    columns: Mapping[str, str] | None = None

    def rows(self, report: Report) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        """Yield the rows, and report what cannot be read."""
        yield from read_rows(self.path, report, self.columns)


def _benchmarks(
    against: Iterable[str | Path],
    id: str,
    kwargs: Mapping[str, Any],
    columns: Mapping[str, str] | None,
    stack: ExitStack,
) -> Iterator[Source]:
    """Yield the source of each benchmark."""
    for benchmark in against:
        name, _, split = str(benchmark).partition(":")
        if not is_dataset_name(name):
            env = _text_env(id, kwargs, stack)
            yield Source(env, str(benchmark), Path(benchmark), columns)
            continue
        dataset = named_dataset(name)
        others = [known for known in dataset.splits if known != "train"]
        for part in [split] if split else others or ["train"]:
            env = _text_env(dataset.env, dataset.env_kwargs, stack)
            yield Source(env, f"{name}:{part}", named_rows_file(name, part))


class _Checker:
    """Checks files, one after the other."""

    def __init__(
        self,
        report: Report,
        stack: ExitStack,
        id: str,
        kwargs: Mapping[str, Any],
        limit: int | None,
        seed: int,
        runs: Disagreement,
    ) -> None:
        self._report, self._runs, self._left = report, runs, limit
        self.env = _text_env(id, kwargs, stack)
        self._labels = Labels(lambda: _text_env(id, kwargs, stack), seed)
        self._twins = Twins(report, self._conflict)
        self._balance = Balance()
        report.labels.unverified = self._labels.unverified

    def learn(self, sources: Sequence[Source], benchmarks: Sequence[Source]) -> None:
        """Read the lines that prompts share, and the rows of benchmarks."""
        prompts: list[tuple[Message, ...]] = []
        for source in [*sources, *benchmarks]:
            unused = Report(source.env.card.id, max_examples=0)
            read = TaskReader(source.env, unused).read
            for place, row in islice(source.rows(unused), _LEARNT):
                item = read(place, row)
                if item is not None:
                    prompts.append(item.task.messages)
        self._contents = ContentReader(shared_lines(prompts))
        for source in benchmarks:
            env, name = source.env, source.name
            unused = Report(env.card.id, max_examples=0)
            read = TaskReader(env, unused).read
            for place, row in source.rows(unused):
                item = read(Place(name, place.number, place.unit), row)
                if item is not None:
                    self._twins.add_benchmark(item, self._contents.read(item, env.card))
            if unused.count("schema"):
                problem = f"{unused.count('schema'):,} rows of {name} cannot be read"
                self._report.notes.append(f"{problem}, and were not compared")

    def check(self, source: Source) -> Iterator[int]:
        """Check the rows of a file, and yield their number after each portion."""
        count, ids, types = 0, dict[str, tuple[Place, int]](), _Types()
        rows, read = source.rows(self._report), TaskReader(source.env, self._report).read
        while portion := [*islice(rows, _PORTION)]:
            count += len(portion)
            items = []
            for place, row in portion:
                self._check_texts(place, row)
                item = read(place, row)
                if item is not None:
                    types.add(place, row)
                    items.append(item)
            for item, label in zip(items, self._verify(items), strict=True):
                self._check_item(item, label, ids)
            yield count
        types.report(self._report)
        yield count

    def finish(self) -> None:
        """Report what only all rows show."""
        self._twins.finish()
        whole = Place(", ".join(self._report.rows))
        for kind, reason in self._balance.findings():
            self._report.add(kind, whole, reason)
        if self._runs.episodes and not self._runs.rows:
            self._report.notes.append("no row has the prompt of an episode of the runs")

    def _check_texts(self, place: Place, row: Mapping[str, Any]) -> None:
        for path, value in values_in(row):
            if isinstance(value, str):
                for kind, reason in text_faults(value):
                    self._report.add(kind, place, reason, ".".join(map(str, path)))

    def _verify(self, items: Sequence[Item]) -> list[Label]:
        """Return the labels of some rows; an empty one for each that is not verified."""
        figures = self._report.labels
        wanted = 0 if self._labels.unverified else len(items)
        if self._left is not None and self._left < wanted:
            wanted = self._left
            figures.unverified = f"only the first {figures.verified + wanted:,} rows were verified"
        started = time.monotonic()
        labels = self._labels.verify(items[:wanted])
        figures.seconds += time.monotonic() - started
        for label in labels:
            figures.verified += not label.failure
            figures.unverified = label.failure or figures.unverified
        if self._left is not None:
            self._left -= wanted
        return labels + [Label() for _ in items[wanted:]]

    def _check_item(self, item: Item, label: Label, ids: dict[str, tuple[Place, int]]) -> None:
        report, place, task = self._report, item.place, item.task
        content = self._contents.read(item, self.env.card)
        for kind, reason in label.findings:
            report.add(kind, place, reason)
        name = item.row.get("id") or item.row.get("uuid")
        if name:
            first, key = ids.setdefault(str(name), (place, content.key))
            if key != content.key:
                report.add("id_doubled", place, f"has the id {name!r} of {first.seen_from(place)}")
        if is_placeholder(task.answer):
            report.add("label_placeholder", place, f"has the answer {task.answer!r}")
        if isinstance(task.answer, str) and "####" in task.answer:
            problem = "is a solution with its answer behind '####', and is compared as a whole"
            report.add("label_unreadable", place, problem)
        pattern = invalid_pattern(item.row)
        if pattern:
            report.add("pattern_invalid", place, f"has {pattern!r}", "template_metadata")
        options = options_of(task)
        for kind, letter, reason in option_faults(options, task.answer):
            report.add(kind, place, reason, f"options.{letter}")
        answers = [task.answer, *([options[task.answer]] if options else [])]
        question = self._contents.question(task)
        for answer in answers:
            stated = stated_answer(question, str(answer)) if isinstance(answer, (str, int)) else ""
            if stated:
                report.add("answer_in_prompt", place, f"says {stated!r}")
                break
        self._twins.add(item, content, label.solution)
        self._balance.add(item, content)
        disputed = self._runs.find(item, self.env) if self._runs.episodes else ""
        if disputed:
            report.add("label_disputed", place, disputed)

    def _conflict(self, item: Item, content: Content, first: Known) -> bool:
        """Return whether a row and an earlier one with its prompt have different answers."""
        card, own, other = self.env.card, content.answer, first.content.answer
        if not is_shown(card) or card.several_answers or not own or not other or own == other:
            return False
        if options_of(item.task) or first.solution is None:
            return True
        try:
            episode = play(self.env, send([first.solution]), task=item.row)
        except Exception:  # an environment may raise anything
            return True
        return not episode.info.get("is_success")


class _Types:
    """Which fields of a file's rows hold both numbers and texts."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._first: dict[tuple[str, str], Place] = {}

    def add(self, place: Place, row: Mapping[str, Any]) -> None:
        """Count the types of a row's values."""
        for name, value in row.items():
            kind = "a number"
            if isinstance(value, str):
                kind = "a number in quotes" if _NUMBER.fullmatch(value) else "a string"
            elif not isinstance(value, (int, float)):
                continue
            self._counts[name][kind] += 1
            self._first.setdefault((name, kind), place)

    def report(self, report: Report) -> None:
        """Report the first value of each field whose type is unusual there.

        A field may hold numbers and words, but not a number in both ways.
        """
        for name, counts in self._counts.items():
            numbers, quoted = counts["a number"], counts["a number in quotes"]
            strings = counts["a string"] + quoted
            usual, kind = "a number", "a number in quotes"
            if strings > numbers:
                usual, kind = "a string", "a number"
            count, most = (numbers, strings) if strings > numbers else (quoted, numbers)
            if count and most:
                more = f" and in {count - 1:,} more rows" if count > 1 else ""
                problem = f"is {kind} here{more}, and {usual} in {most:,} rows"
                report.add("type_mixed", self._first[name, kind], problem, name)
