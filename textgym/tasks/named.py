"""Data sets by name: where each comes from, and the file that its rows are kept in.

`catalogue.json` describes each data set. Its records are loaded from the hub once, converted to
rows of an environment, and saved as a .jsonl file in the user's cache folder, from which every
process reads them.

Invariants: a cached file is whole or missing; its name changes with the revision of the source and
with the code that converts it, so a file never holds rows of an older conversion. A record that is
left out is counted with its reason, and a number of rows that is not the expected one is reported.
`NAME_published` has the records of NAME; only prompts and settings differ, see `published`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from textgym.errors import (
    DatasetError,
    ExtraMissingError,
    RowError,
    UnknownNameError,
    did_you_mean,
    in_one_line,
)
from textgym.json_values import canonical_json, json_row
from textgym.names import import_module, import_object
from textgym.tasks import published
from textgym.tasks.published import PublishedEvaluation, published_row, worked_example
from textgym.tasks.table_rows import load_from_hub
from textgym.tasks.task import hash_int
from textgym.whole_file import cache_folder, whole_file

__all__ = [
    "Convert", "NamedDataset", "convert_records", "dataset_names", "hub_records",
    "is_dataset_name", "named_dataset", "named_rows_file", "published_names",
]  # fmt: skip

Convert = Callable[[Mapping[str, Any], int, str], "dict[str, Any] | str"]
"""Makes a row from a record, its number in its split, from 1, and the split. It returns a string,
the reason, for a record that is left out, and raises `RowError` for one of another schema."""

CATALOGUE = Path(__file__).with_name("catalogue.json")

_VARIANT = "_published"

_log = logging.getLogger(__name__)

Located = tuple[str, Mapping[str, Any]]
"""A record with its location."""


@dataclass(frozen=True)
class NamedDataset:
    """A data set that has a name.

    Attributes:
        name: The name, an identifier such as `gsm8k`.
        title: The name in prose.
        summary: What it holds, in one sentence.
        env: The id of the environment that plays its rows.
        convert: The function that converts a record, as `module:function`, see `Convert`.
        source: `hub`, the hub id, or null; `config`, a name, a list of them (one for each task), or
            null; `revision`, or null; `url`, of a page about it; `files`, their URLs, if it is not
            on the hub.
        splits: For each split of the environment: `source`, the split of the source, and `rows`,
            the number of its records, or null.
        fields: The fields of the source that each field of a row is made from.
        env_kwargs: Arguments of the environment.
        licence: The licence; None if it was not read at the source.
        use: `train`, or `evaluation` if models must not be trained on it.
        canary: What its authors ask of those who train models; "" if nothing.
        prompt: The published prompt; "" if it was not read at the source.
        extraction: How the published evaluation finds the answer; "" if it was not read.
        published: Published figures: `model`, `score`, `metric`, `url`.
        streamed: Whether it is so large that it is streamed rather than downloaded.
        repeated: Whether the source has records many times. Only the first of equal ones is kept.
        unverified: The attributes that were not read at the source.
        evaluation: A published evaluation whose prompt was read at its source; None if there is no
            such one.
        is_published: Whether rows have the prompt and settings of the evaluation.
    """

    name: str
    title: str
    summary: str
    env: str
    convert: str
    source: Mapping[str, Any]
    splits: Mapping[str, Mapping[str, Any]]
    fields: Mapping[str, str]
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    licence: str | None = None
    use: str = "evaluation"
    canary: str = ""
    prompt: str = ""
    extraction: str = ""
    published: tuple[Mapping[str, Any], ...] = ()
    streamed: bool = False
    repeated: bool = False
    unverified: tuple[str, ...] = ()
    evaluation: PublishedEvaluation | None = None
    is_published: bool = False

    def as_published(self) -> NamedDataset:
        """Return the data set with the prompts and settings of its published evaluation.

        The split that worked examples come from is left out.

        Raises:
            UnknownNameError: It has no evaluation that can be played.
        """
        if self.evaluation is None:
            raise UnknownNameError(
                f"data set {self.name!r} has no variant with a published prompt (textgym data list "
                f"{self.name} shows what is known); {', '.join(published_names())} have one"
            )
        used = self.evaluation.examples.get("split")
        return replace(
            self,
            name=f"{self.name}{_VARIANT}",
            splits={split: entry for split, entry in self.splits.items() if split != used},
            is_published=True,
        )

    def split(self, split: str) -> Mapping[str, Any]:
        """Return an entry of `splits`.

        Raises:
            UnknownNameError: It has no such split.
        """
        if split not in self.splits:
            known = " or ".join(f"split={known!r}" for known in self.splits)
            raise UnknownNameError(f"data set {self.name!r} has no split {split!r}: pass {known}")
        return self.splits[split]


@cache
def _catalogue() -> dict[str, NamedDataset]:
    entries = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    for entry in entries.values():
        entry["evaluation"] = entry["evaluation"] and PublishedEvaluation(**entry["evaluation"])
    return {name: NamedDataset(name=name, **entry) for name, entry in entries.items()}


def dataset_names() -> list[str]:
    """Return the sorted names of all data sets that have one, without variants."""
    return sorted(_catalogue())


def published_names() -> list[str]:
    """Return the sorted names of the variants that play a published prompt.

    Example:
        >>> "gsm8k_published" in published_names()
        True
    """
    return sorted(f"{name}{_VARIANT}" for name, entry in _catalogue().items() if entry.evaluation)


def is_dataset_name(name: object) -> bool:
    """Return whether a value names a data set or its variant, and no file has this name.

    Example:
        >>> is_dataset_name("gsm8k"), is_dataset_name("openai/gsm8k")
        (True, False)
    """
    return (
        isinstance(name, str)
        and name.removesuffix(_VARIANT) in _catalogue()
        and not os.path.exists(name)
    )


def named_dataset(name: str) -> NamedDataset:
    """Return a data set by its name, or its variant by `NAME_published`.

    Raises:
        UnknownNameError: There is no such data set, or it has no such variant.

    Example:
        >>> named_dataset("gsm8k").env, named_dataset("gsm8k_published").evaluation.by
        ('textgym/Math-v0', 'ZeroEval')
    """
    dataset = _catalogue().get(name.removesuffix(_VARIANT))
    if dataset is None:
        hint = did_you_mean(name, [*dataset_names(), *published_names()])
        raise UnknownNameError(f"there is no data set {name!r}{hint}")
    return dataset.as_published() if name.endswith(_VARIANT) else dataset


def named_rows_file(name: str, split: str) -> Path:
    """Return the .jsonl file with the rows of a split, which is made if it is missing.

    Args:
        name: The name of the data set.
        split: `train`, `validation` or `test`.

    Raises:
        UnknownNameError: There is no such data set, or it has no such split.
        DatasetError: The source cannot be loaded, or its records have another schema.
        ExtraMissingError: The extra `data` is not installed.
    """
    dataset = named_dataset(name)
    entry = dataset.split(split)
    path = cache_folder("datasets") / name / f"{split}-{_version(dataset, entry)}.jsonl"
    if path.exists():
        return path
    rows = convert_records(dataset, split, hub_records(dataset, split))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        folder = str(path.parent)
        raise DatasetError(f"folder {folder!r} cannot be made: {error.strerror}") from error
    with whole_file(path) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
    return path


def _version(dataset: NamedDataset, entry: Mapping[str, Any]) -> str:
    """Return a hash of what decides the rows: the source, and the code of the conversion."""
    module = import_module(dataset.convert.partition(":")[0])
    parts = [dataset.convert, inspect.getsource(module), dict(dataset.source), dict(entry)]
    if dataset.is_published and dataset.evaluation:
        parts += [asdict(dataset.evaluation), inspect.getsource(published)]
    text = json.dumps(parts, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def hub_records(dataset: NamedDataset, split: str) -> Iterator[Located]:
    """Yield the records of a split from the hub, each with its location.

    A source with several configurations has one for each task: their records follow each other,
    and get a field `task` with the name of the configuration.

    Raises:
        DatasetError: The hub cannot be read.
        ExtraMissingError: The extra `data` is not installed.
    """
    source, name = dataset.source, dataset.split(split)["source"]
    origin = source["hub"] or source["url"]
    try:
        for task, arguments in _sources(source):
            records = load_from_hub(**arguments, split=name, streaming=dataset.streamed)
            for number, record in enumerate(records):
                yield f"row {number} of {origin} ({task})", {"task": task, **record}
    except ExtraMissingError:
        raise
    except Exception as error:
        raise DatasetError(
            f"data set {dataset.name!r} (split {split!r}) cannot be loaded from {origin!r}: "
            f"{in_one_line(error)}"
        ) from error


def _sources(source: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each part of a source, and the arguments that load it."""
    for url in source.get("files", ()):
        yield Path(url).stem, {"path": Path(url).suffix[1:], "data_files": url}
    configs = source["config"]
    for config in configs if isinstance(configs, list) else [configs]:
        if source["hub"]:
            arguments = {"path": source["hub"], "name": config, "revision": source["revision"]}
            yield config or "default", arguments


def convert_records(
    dataset: NamedDataset,
    split: str,
    records: Iterable[Located],
    examples: Iterable[Located] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split's records. At the end, log how many were left out and why.

    Args:
        dataset: The data set.
        split: The split that the records are.
        records: The records, each with its location.
        examples: The records that a published prompt takes its worked examples from; None loads
            them from the hub.

    Raises:
        RowError: A record has another schema; the error names its location.
        DatasetError: No record is left, or a published prompt lacks worked examples.
    """
    convert: Convert = import_object(dataset.convert)
    worked = _worked_examples(dataset, examples)
    left_out: Counter[str] = Counter()
    known: set[int] = set()  # hashes of the rows so far, if records are repeated
    count = 0
    for count, (place, record) in enumerate(records, 1):
        try:
            row = convert(json_row(dict(record)), count, split)
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        if isinstance(row, dict) and dataset.repeated:
            content = hash_int(canonical_json({**row, "id": None}))
            if content in known:
                row = "it occurred before"
            known.add(content)
        if isinstance(row, str):
            left_out[row] += 1
        elif dataset.is_published and dataset.evaluation:
            yield published_row(dataset.evaluation, row, worked)
        else:
            yield row
    name = f"{dataset.name} ({split})"
    if count == left_out.total():
        raise DatasetError(f"data set {name} has no rows")
    if left_out:
        why = "; ".join(f"{reason}: {number}" for reason, number in left_out.items())
        _log.warning("%s: %d records are left out (%s)", name, left_out.total(), why)
    expected = dataset.split(split)["rows"]
    if expected not in (None, count):
        _log.warning("%s: %d records, not %d", name, count, expected)


def _worked_examples(
    dataset: NamedDataset, records: Iterable[Located] | None
) -> dict[str, list[str]]:
    """Return the worked examples of a published prompt by their categories."""
    found: dict[str, list[str]] = defaultdict(list)
    evaluation = dataset.evaluation
    if not (dataset.is_published and evaluation and evaluation.examples):
        return found
    if records is None:
        plain = named_dataset(dataset.name.removesuffix(_VARIANT))
        records = hub_records(plain, evaluation.examples["split"])
    for place, record in records:
        try:
            category, text = worked_example(evaluation, record)
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        found[category].append(text)
    return found
