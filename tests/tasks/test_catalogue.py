"""The catalogue of data sets: entries are complete, and what was not read at a source says so."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest

from textgym.errors import TextgymError
from textgym.names import import_object
from textgym.tasks.named import CATALOGUE, NamedDataset
from textgym.tasks.published import PublishedEvaluation
from textgym.verifiers.patterns import compile_pattern

NAMES = (
    "agieval", "aime_24", "aime_25", "amc_23", "arc", "bbh", "dapo_17k", "gpqa", "gsm8k",
    "gsm_plus", "hotpotqa", "ifbench", "ifeval", "math", "math_500", "minerva_math", "mmlu",
    "mmlu_pro", "nemotron_mcqa", "olympiad_bench", "open_math_reasoning", "workbench",
    "workplace_assistant",
)  # fmt: skip
NOT_IN_THE_FILE = ("name", "is_published")
ATTRIBUTES = tuple(
    item.name for item in dataclasses.fields(NamedDataset) if item.name not in NOT_IN_THE_FILE
)
PLACEHOLDERS = {
    "messages": {"question", "options", "category", "examples"},
    "option": {"letter", "text"},
    "example": {"question", "options", "solution"},
}
NEVER_EMPTY = ("title", "summary", "env", "convert", "splits", "fields")
EMPTY_IF_UNREAD = ("licence", "prompt", "extraction", "published")
SPLITS = ("train", "validation", "test")
TEXT = CATALOGUE.read_text(encoding="utf-8")
ENTRIES: dict[str, dict[str, Any]] = json.loads(TEXT)


def faults(entry: dict[str, Any]) -> list[str]:
    """Return what is wrong in an entry; a missing attribute hides other faults."""
    wrong = [name for name in ATTRIBUTES if name not in entry]
    wrong += [name for name in entry if name not in ATTRIBUTES]
    return wrong or [name for check in CHECKS for name in check(entry)]


def _unread(entry: dict[str, Any]) -> Iterator[str]:
    """Yield attributes that are empty without being unverified, or are unverified but given."""
    unverified = entry["unverified"]
    if unverified != sorted(set(unverified)) or not {*unverified} <= {*ATTRIBUTES, "revision"}:
        yield "unverified"
    yield from (name for name in NEVER_EMPTY if not entry[name])
    yield from (name for name in EMPTY_IF_UNREAD if (not entry[name]) != (name in unverified))
    if (entry["source"].get("revision") is None) != ("revision" in unverified):
        yield "revision"
    rows = [split.get("rows") for split in entry["splits"].values()]
    if (None in rows) != ("splits" in unverified):
        yield "rows"
    if entry["canary"] and "canary" in unverified:
        yield "canary"


def _types(entry: dict[str, Any]) -> Iterator[str]:
    for name in ("title", "summary", "canary", "prompt", "extraction"):
        if not isinstance(entry[name], str) or "\n" in entry[name]:
            yield name
    if entry["use"] not in ("train", "evaluation"):
        yield "use"
    yield from (name for name in ("streamed", "repeated") if not isinstance(entry[name], bool))
    if not all(isinstance(text, str) and text for text in entry["fields"].values()):
        yield "fields"


def _splits(entry: dict[str, Any]) -> Iterator[str]:
    for name, split in entry["splits"].items():
        rows = split.get("rows")
        if name not in SPLITS or set(split) != {"source", "rows"} or not split["source"]:
            yield "splits"
        elif rows is not None and (type(rows) is not int or rows < 1):
            yield "rows"
    if entry["use"] == "evaluation" and "train" in entry["splits"]:
        yield "use"


def _source(entry: dict[str, Any]) -> Iterator[str]:
    """Yield faults of the source: a hub id, or the addresses of files, and where to read of it."""
    source = entry["source"]
    hub, config, files = source.get("hub"), source.get("config"), source.get("files", [])
    if set(source) - {"files"} != {"hub", "config", "revision", "url"}:
        yield "source"
    if (hub is None) != bool(files) or not re.fullmatch(r"[\w.-]+/[\w.-]+", hub or "a/b"):
        yield "hub"
    configs = config if isinstance(config, list) else [config or "default"]
    if not configs or not all(isinstance(name, str) and name for name in configs):
        yield "config"
    if not re.fullmatch(r"[0-9a-f]{40}", source.get("revision") or "0" * 40):
        yield "revision"
    urls = [source.get("url"), *files, *(figure.get("url") for figure in entry["published"])]
    if not all(isinstance(url, str) and url.startswith("https://") for url in urls):
        yield "url"


def _published(entry: dict[str, Any]) -> Iterator[str]:
    for figure in entry["published"]:
        if set(figure) != {"model", "score", "metric", "url"} or not all(figure.values()):
            yield "published"
        elif type(figure["score"]) not in (int, float) or not 0 <= figure["score"] <= 100:
            yield "score"


def _evaluation(entry: dict[str, Any]) -> Iterator[str]:
    """Yield faults of the evaluation that the variant plays, if there is one."""
    given = entry["evaluation"]
    if given is None:
        return
    if set(given) != {item.name for item in dataclasses.fields(PublishedEvaluation)}:
        yield "evaluation"
        return
    if not (given["by"] and given["note"] and given["messages"]):
        yield "evaluation"
    if not re.match(r"https://github\.com/[\w.-]+/[\w.-]+/blob/[0-9a-f]{40}/", given["source"]):
        yield "evaluation.source"
    if not any("{question}" in message["content"] for message in given["messages"]):
        yield "evaluation.messages"
    contents = "".join(message["content"] for message in given["messages"])
    for field, text in {**given, "messages": contents}.items():
        used = set(re.findall(r"\{([a-z]+)\}", text)) if field in PLACEHOLDERS else set()
        if not used <= PLACEHOLDERS.get(field, set()):
            yield f"evaluation.{field}"
    is_few_shot, split = "{examples}" in contents, given["examples"].get("split")
    if not is_few_shot == bool(given["example"]) == (split in entry["splits"]):
        yield "evaluation.examples"
    sampling = given["sampling"]
    if not set(sampling) <= {"temperature", "top_p", "max_tokens", "repeats"} or not all(
        type(value) in (int, float) for value in sampling.values()
    ):
        yield "evaluation.sampling"
    for expression in given["fields"].get("template_metadata", {}).get("output_regex", ()):
        if compile_pattern(expression) is None:
            yield "evaluation.fields"
    yield from (f"evaluation.{fault}" for fault in _published({**entry, **given}))


def _code(entry: dict[str, Any]) -> Iterator[str]:
    """Yield faults of what the entry names in textgym: an environment and a conversion."""
    try:
        parameters = inspect.signature(import_object(entry["convert"])).parameters
        if list(parameters) != ["record", "number", "split"]:
            yield "convert"
    except TextgymError:
        yield "convert"
    if entry["env"] not in gymnasium.registry:
        yield "env"
        return
    try:
        gymnasium.make(entry["env"], **entry["env_kwargs"]).close()
    except (TextgymError, TypeError):
        yield "env_kwargs"


CHECKS: tuple[Callable[[dict[str, Any]], Iterator[str]], ...] = (
    _unread, _types, _splits, _source, _published, _evaluation, _code,
)  # fmt: skip


def test_all_data_sets_are_there() -> None:
    assert tuple(sorted(ENTRIES)) == NAMES


def test_the_file_is_printed_with_an_indent_of_one() -> None:
    assert json.dumps(ENTRIES, indent=1, ensure_ascii=False) + "\n" == TEXT


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_complete(name: str) -> None:
    assert name.isidentifier()
    assert faults(ENTRIES[name]) == []


@pytest.mark.parametrize("name", ["bbh", "gpqa"])
def test_benchmarks_with_a_canary_are_not_for_training(name: str) -> None:
    entry = ENTRIES[name]
    assert "canary" in entry["canary"]
    assert entry["use"] == "evaluation"


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_a_missing_attribute_is_found(attribute: str) -> None:
    entry = copy.deepcopy(ENTRIES["gsm8k"])
    del entry[attribute]
    assert faults(entry) == [attribute]


BROKEN: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "an unknown attribute": ("license", lambda e: e.update(license="MIT")),
    "a licence that was not read": ("licence", lambda e: e.update(licence=None)),
    "a given licence that is unverified": ("licence", lambda e: e.update(unverified=["licence"])),
    "a prompt that was not read": ("prompt", lambda e: e.update(prompt="")),
    "no figure": ("published", lambda e: e.update(published=[])),
    "unverified twice": ("unverified", lambda e: e.update(unverified=["canary", "canary"])),
    "unverified nonsense": ("unverified", lambda e: e.update(unverified=["colour"])),
    "a canary that was not read": (
        "canary",
        lambda e: e.update(canary="Do not train.", unverified=["canary"]),
    ),
    "a summary of two lines": ("summary", lambda e: e.update(summary="a\nb")),
    "no fields": ("fields", lambda e: e.update(fields={})),
    "another use": ("use", lambda e: e.update(use="training")),
    "training rows of a benchmark": ("use", lambda e: e.update(use="evaluation")),
    "streamed as a string": ("streamed", lambda e: e.update(streamed="yes")),
    "no splits": ("splits", lambda e: e.update(splits={})),
    "another split": ("splits", lambda e: e["splits"].update(dev={"source": "dev", "rows": 5})),
    "a split without a source": ("splits", lambda e: e["splits"]["test"].update(source="")),
    "rows that were not read": ("rows", lambda e: e["splits"]["test"].update(rows=None)),
    "no rows": ("rows", lambda e: e["splits"]["test"].update(rows=0)),
    "rows as a string": ("rows", lambda e: e["splits"]["test"].update(rows="1319")),
    "a source without a config": ("source", lambda e: e["source"].pop("config")),
    "no hub and no files": ("hub", lambda e: e["source"].update(hub=None)),
    "a hub and files": ("hub", lambda e: e["source"].update(files=["https://example.org/a.csv"])),
    "a hub id without an owner": ("hub", lambda e: e["source"].update(hub="gsm8k")),
    "no configs": ("config", lambda e: e["source"].update(config=[])),
    "a short revision": ("revision", lambda e: e["source"].update(revision="740312a")),
    "a revision that was not read": ("revision", lambda e: e["source"].update(revision=None)),
    "an address without https": ("url", lambda e: e["source"].update(url="http://example.org")),
    "a figure without an address": ("url", lambda e: e["published"][0].update(url="")),
    "a figure without a model": ("published", lambda e: e["published"][0].pop("model")),
    "a score above 100": ("score", lambda e: e["published"][0].update(score=942.4)),
    "a score as a string": ("score", lambda e: e["published"][0].update(score="94 %")),
    "an unknown field of the evaluation": (
        "evaluation",
        lambda e: e["evaluation"].update(by_whom="ZeroEval"),
    ),
    "an evaluation of nobody": ("evaluation", lambda e: e["evaluation"].update(by="")),
    "an evaluation without a commit": (
        "evaluation.source",
        lambda e: e["evaluation"].update(source="https://github.com/a/b/blob/main/c.py"),
    ),
    "a prompt without the question": (
        "evaluation.messages",
        lambda e: e["evaluation"].update(messages=[{"role": "user", "content": "Solve it."}]),
    ),
    "a prompt with an unknown placeholder": (
        "evaluation.messages",
        lambda e: e["evaluation"].update(
            messages=[{"role": "user", "content": "{question} {answer}"}]
        ),
    ),
    "worked examples without a place": (
        "evaluation.examples",
        lambda e: e["evaluation"].update(example="{question}", examples={"split": "test"}),
    ),
    "worked examples of a split that does not exist": (
        "evaluation.examples",
        lambda e: e["evaluation"].update(
            example="{question}",
            examples={"split": "dev"},
            messages=[{"role": "user", "content": "{examples}{question}"}],
        ),
    ),
    "an unknown sampling parameter": (
        "evaluation.sampling",
        lambda e: e["evaluation"]["sampling"].update(top_q=1),
    ),
    "a temperature as a string": (
        "evaluation.sampling",
        lambda e: e["evaluation"]["sampling"].update(temperature="0"),
    ),
    "an expression that is broken": (
        "evaluation.fields",
        lambda e: e["evaluation"].update(fields={"template_metadata": {"output_regex": ["("]}}),
    ),
    "a figure of the evaluation above 100": (
        "evaluation.score",
        lambda e: e["evaluation"]["published"][0].update(score=101),
    ),
    "an environment that does not exist": ("env", lambda e: e.update(env="textgym/Maths-v0")),
    "an argument that does not exist": ("env_kwargs", lambda e: e.update(env_kwargs={"x": 1})),
    "an argument that is not valid": (
        "env_kwargs",
        lambda e: e.update(env_kwargs={"should_use_judge": "no"}),
    ),
    "a module that does not exist": ("convert", lambda e: e.update(convert="textgym.nowhere:f")),
    "a function that converts nothing": (
        "convert",
        lambda e: e.update(convert="textgym.messages:user"),
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_entry_is_found(kind: str) -> None:
    fault, breaks = BROKEN[kind]
    entry = copy.deepcopy(ENTRIES["gsm8k"])
    breaks(entry)
    assert fault in faults(entry)
