"""Generated tasks: valid schemas, records that fit them, and prose that tells them exactly."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from structured_records import changed_somewhere, leaves, with_leaf

from textgym.envs.structured_output import StructuredOutput
from textgym.envs.structured_output.answers import write_document
from textgym.envs.structured_output.generator import ANSWER_FORMATS, draw_task
from textgym.envs.structured_output.kinds import CITIES, KINDS, REMARK, UNIONS, Field, Kind
from textgym.messages import assistant_calls
from textgym.verifiers.exact import equal_json


class SchemaChecks:
    """Checks of schemas, each part only once: parts are checked apart from what is in them."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def check(self, schema: Any) -> None:
        shell = copy.copy(schema)
        for keyword in ("properties", "$defs"):
            if keyword in schema:
                for part in schema[keyword].values():
                    self.check(part)
                shell[keyword] = {"a": True}
        for part in schema.get("oneOf", ()):
            self.check(part)
        if "oneOf" in schema:
            shell["oneOf"] = [True]
        if "items" in schema:
            self.check(schema["items"])
            shell["items"] = True
        if "required" in schema:
            assert sorted(schema["required"]) == sorted(schema["properties"])
            assert len(set(schema["required"])) == len(schema["required"])
            shell["required"] = ["a"]
        text = json.dumps(shell, sort_keys=True)
        if text not in self._known:
            Draft202012Validator.check_schema(shell)
            self._known.add(text)


def give(env: Any, value: Any) -> Any:
    """Give a value as the task wants it; return the reward and info."""
    task = env.task
    if task.format == "tool":
        action: Any = assistant_calls((task.name, value))
    else:
        action = write_document(value, task.format, task.name)
    _, reward, terminated, _, info = env.step(action)
    assert terminated
    return reward, info


def keywords(schema: Any) -> set[str]:
    """Return the keywords anywhere in a schema."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema))
    if not isinstance(schema, dict):
        return set()
    inner: set[str] = set()
    for key, value in schema.items():
        inner |= keywords(list(value.values()) if key in ("properties", "$defs") else value)
    return inner | schema.keys()


PROMISED = {
    1: set(),
    2: set(),
    3: {"enum", "minimum", "pattern"},
    4: {"enum", "oneOf", "$ref", "$defs", "format", "items"},
    5: {"enum", "oneOf", "$ref", "$defs", "format", "items"},
}


@pytest.mark.parametrize("n", [50, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_every_task_has_one_answer(level: int, n: int) -> None:
    env, rng, checks = StructuredOutput(level=level), random.Random(level), SchemaChecks()
    formats, kinds, nulls, found = set(), set(), 0, dict.fromkeys(PROMISED[level], 0)
    plain = StructuredOutput()
    for index in range(n):
        env.reset(options={"index": index})
        row, record, schema = env.task.row, env.task.answer, env.task.schema
        checks.check(schema)
        assert Draft202012Validator(schema).is_valid(record)
        for path in leaves(record):
            assert not equal_json(record, with_leaf(record, path))
        reward, info = give(env, record)
        assert (reward, info["reward_components"]["leaf_share"], info["problem"]) == (1.0, 1.0, "")
        plain.reset(options={"task": row})
        changed = changed_somewhere(record, rng)
        if row["format"] == "toml" and "null" in json.dumps(changed):
            changed = {}
        reward, info = give(plain, changed)
        assert reward == 0.0
        assert info["reward_components"]["leaf_share"] < 1.0
        assert info["problem"]
        formats.add(row["format"])
        kinds.add(row["category"])
        nulls += "null" in json.dumps(record)
        used = keywords(schema)
        for keyword in found:
            found[keyword] += keyword in used
        if row["format"] == "csv":
            assert isinstance(record, dict) is (level == 1)
        elif level > 1:
            assert any(isinstance(value, dict) for value in record.values())
    assert formats == set(ANSWER_FORMATS)
    assert kinds == {kind.name for kind in KINDS}
    assert (nulls > n / 8) is (level > 2)
    assert min(found.values(), default=n) > n / 2


FIRST_SENTENCES = (
    r"catalogue lists the (.+)\.$|has invoice (.+)\.$|^Invoice (\S+) came|of shipment (.+)\.$"
    r"|^Shipment (\S+) is|a booking of (.+)\.$|by phone, for (.+)\.$|has a file on (.+)\.$"
    r"|a course called (.+)\.$|evening school announces (.+)\.$|received sample (.+)\.$"
    r"|written up job (.+)\.$|stands job (.+)\.$|lets a flat at (.+)\.$"
    r"|^A flat at (.+) has come on"
)


def test_a_second_solver_reads_level_0() -> None:
    env, kinds = StructuredOutput(level=0), set()
    for index in range(200):
        env.reset(options={"index": index})
        row = env.task.row
        found = re.search(FIRST_SENTENCES, row["text"])
        assert found, row["text"]
        (name,) = row["schema"]["properties"]
        value = found[found.lastindex or 1]
        assert give(env, {name: value})[0] == 1.0
        for wrong in (f"{value}x", value.split("-")[0].split(" ")[0], value.lower(), row["text"]):
            env.reset(options={"index": index})
            assert give(env, {name: wrong})[0] == 0.0, wrong
        kinds.add(row["category"])
    assert kinds == {kind.name for kind in KINDS}


def fields_of(kind: Kind) -> list[Field]:
    """Return the fields that are told in sentences of their own."""
    fields = [kind.handle, *kind.flat, kind.choice, kind.nullable, *kind.dated, kind.listed]
    return [*fields, *kind.union.branches.values()]


ALL_FIELDS = [
    (kind.name, field)
    for kind in KINDS
    for field in (*fields_of(kind), kind.lines.label, *kind.lines.fields)
]
FORMS = {f"{kind} {field.name}": field.form for kind, field in ALL_FIELDS}


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_wording_stands_for_one_value(kind: Kind) -> None:
    forms = [(name, form) for name, form in FORMS.items() if name.startswith(f"{kind.name} ")]
    assert forms
    for name, form in forms:
        rng, meanings = random.Random(0), dict[str, Any]()
        validator = Draft202012Validator({**form.schema, **form.bounds})
        for _ in range(400):
            value = form.draw(rng)
            words = form.worded(value, rng)
            assert meanings.setdefault(words, value) == value, name
            assert validator.is_valid(value), name


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_no_sentence_tells_two_things(kind: Kind) -> None:
    sentences: list[str] = []
    for field in fields_of(kind):
        groups = (
            field.sentences.values() if isinstance(field.sentences, dict) else [field.sentences]
        )
        sentences += [text for group in groups for text in group]
        sentences += [*field.decoys, *field.absent]
        assert all("{who}" in text for group in groups for text in group)
        assert not any("{who}" in text for text in field.decoys)
    assert len(set(sentences)) == len(sentences)
    names = [field.name for field in fields_of(kind)][: -len(kind.union.branches)]
    names += [kind.union.name, kind.lines.name, *(role for role, _ in kind.roles)]
    assert len(set(names)) == len(names)


def test_both_of_two_records_are_told_and_the_handle_tells_which_is_wanted() -> None:
    rng, firsts = random.Random(0), 0
    for _ in range(300):
        row = draw_task(rng, 5)
        handle = row["wanted"].rpartition(' is "')[2].rstrip('"')
        text = row["text"]
        assert text.count(handle) >= 3
        rest = text.replace(handle, "")
        firsts += text.index(handle) < 60
        if isinstance(row["record"], dict):
            assert handle in row["record"].values()
        assert len(rest) > len(text) / 2
    assert 100 < firsts < 200  # the wanted one is told first in half of the texts


def test_nothing_that_is_drawn_is_read_as_something_else_in_yaml_1_1() -> None:
    words = [*CITIES, *(REMARK.form.draw(random.Random(seed)) for seed in range(30))]
    words += [tag for union in UNIONS.values() for tag in union.branches]
    assert not {word.lower() for word in words} & {"yes", "no", "on", "off", "y", "n", "null", "~"}
