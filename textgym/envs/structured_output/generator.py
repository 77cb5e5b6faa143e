"""Drawing a task: a record, its schema, the format of the answer, and the prose.

Invariants: the record fits the schema. Exactly one sentence gives the value of each leaf. A decoy
gives another value and says that it belongs to something else.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.structured_output.forms import person, word
from textgym.envs.structured_output.kinds import CITIES, DUE, KINDS, REMARK, Field, Kind, Lines
from textgym.json_values import copy_json

__all__ = ["ANSWER_FORMATS", "draw_task"]

ANSWER_FORMATS = ("json", "yaml", "toml", "csv", "xml", "tool")
_VERBS = ("save", "record", "submit", "register", "store")
_PERSON, _CITY = person(), word(CITIES)
_DECOYS = {1: 0.7, 2: 0.4, 3: 0.4, 4: 0.3, 5: 0.25}  # how often a field has a decoy, by level
_MESSENGERS = (
    "{name} from {city} only passed a message on.",
    "The notes were typed by {name} from {city}.",
)


class Plan(NamedTuple):
    """What the records of a task have in common.

    Attributes:
        kind: The kind.
        level: The level.
        fields: The fields besides the handle, in the order of the schema.
        is_camel: Whether names are in camel case.
        has_nulls: Whether values may be null.
        is_table: Whether only the lines are wanted.
        lines: The fields of the lines.
    """

    kind: Kind
    level: int
    fields: tuple[Field, ...]
    is_camel: bool
    has_nulls: bool
    is_table: bool
    lines: tuple[Field, ...]

    def name(self, snake: str) -> str:
        """Return a name in the case of this task."""
        first, *rest = snake.split("_")
        return first + "".join(map(str.capitalize, rest)) if self.is_camel else snake


class WordedRecord(NamedTuple):
    """A record with its schema and the sentences that describe it.

    Attributes:
        handle: The name of the record.
        value: The record, or only its lines.
        schema: The schema of the value.
        sentences: The sentences, which can be in any order.
    """

    handle: str
    value: Any
    schema: dict[str, Any]
    sentences: list[str]


def draw_task(rng: random.Random, level: int) -> dict[str, Any]:
    """Draw a row of a level.

    Args:
        rng: The generator of random numbers.
        level: 0 to 5.
    """
    if level == 0:
        return _first_row(rng)
    format = choice(rng, ANSWER_FORMATS)
    plan = _draw_plan(rng, level, format)
    handle = plan.kind.handle.form.draw(rng)
    wanted = f"the {plan.kind.name}"
    if level < 5:
        record = _draw_record(rng, plan, handle, (handle, plan.kind.alias))
        text = _paragraph(rng, plan, record)
    else:
        wanted += f' whose {plan.kind.handle.name.replace("_", " ")} is "{handle}"'
        distractor = _similar_handle(rng, plan.kind.handle, handle)
        record = _draw_record(rng, plan, handle, (handle,))
        text = _text_of_two(rng, plan, (record, _draw_record(rng, plan, distractor, (distractor,))))
    if plan.is_table:
        wanted = f"the {plan.kind.lines.name} of {wanted}"
    name = f"{choice(rng, _VERBS)}_{plan.kind.name}" if format == "tool" else plan.kind.name
    return {
        "text": text,
        "wanted": wanted,
        "format": format,
        "name": name,
        "schema": record.schema,
        "record": record.value,
        "category": plan.kind.name,
    }


def _first_row(rng: random.Random) -> dict[str, Any]:
    """Return a row of level 0: one field, and one sentence, which contains its value."""
    kind = choice(rng, KINDS)
    value = kind.handle.form.draw(rng)
    schema = {"type": "object", "properties": {kind.name: {"type": "string"}}}
    intros = [intro for intro in kind.intro if intro.endswith(".")]
    return {
        "text": choice(rng, intros).format(v=value),
        "wanted": f"the {kind.name}",
        "format": "json",
        "schema": {**schema, "required": [kind.name]},
        "record": {kind.name: value},
        "category": kind.name,
    }


def _draw_plan(rng: random.Random, level: int, format: str) -> Plan:
    kind = choice(rng, KINDS)
    fields = sample(rng, kind.flat, randint(rng, 3, 5) if level == 1 else randint(rng, 2, 3))
    if level >= 2 and rng.random() < 0.6:
        fields.append(kind.listed)
    if level >= 3:
        fields += (kind.choice, kind.nullable)
    if level >= 4:
        fields += kind.dated if rng.random() < 0.5 else kind.dated[:1]
    lines = [kind.lines.label, *kind.lines.fields]
    if level >= 3:
        lines.append(REMARK)
    if level >= 4 and format == "csv":
        lines.append(DUE)
    return Plan(
        kind,
        level,
        fields=tuple(sample(rng, fields, len(fields))),
        is_camel=rng.random() < 0.4,
        has_nulls=format != "toml",
        is_table=format == "csv" and level > 1,
        lines=tuple(sample(rng, lines, len(lines))),
    )


def _draw_record(
    rng: random.Random, plan: Plan, handle: str, names: tuple[str, ...]
) -> WordedRecord:
    """Draw a record and its sentences, which call it by one of some names."""
    builder = _RecordBuilder(rng, plan, names)
    if plan.is_table:
        for field in plan.fields[:2]:
            builder.add_field(field)
        lines, schema = builder.add_lines()
        return WordedRecord(handle, lines, schema, builder.sentences)
    builder.add_entry(plan.kind.handle, handle)
    for field in plan.fields:
        builder.add_field(field)
    if plan.level in (2, 3):
        builder.add_roles(plan.kind.roles[:1])
    elif plan.level >= 4:
        builder.add_roles(plan.kind.roles)
        builder.add_union()
        builder.add_lines()
    value, schema = builder.build()
    return WordedRecord(handle, value, schema, builder.sentences)


class _RecordBuilder:
    """A record, its schema and its sentences, which grow field by field."""

    def __init__(self, rng: random.Random, plan: Plan, names: tuple[str, ...]) -> None:
        self.rng, self.plan, self.names = rng, plan, names
        self.sentences: list[str] = []
        self._entries: list[tuple[str, Any, Any]] = []  # name, value, schema
        self._definitions: dict[str, Any] = {}

    def build(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the record and its schema, with the fields in random order."""
        entries = sample(self.rng, self._entries, len(self._entries))
        schema = _object_schema({name: schema for name, _, schema in entries})
        if self._definitions:
            schema["$defs"] = self._definitions
        return {name: value for name, value, _ in entries}, schema

    def add_entry(self, field: Field, value: Any) -> None:
        """Add the value of a field without a sentence."""
        self._entries.append((self.plan.name(field.name), value, self._field_schema(field)))

    def add_field(self, field: Field) -> None:
        """Draw the value of a field, and add a sentence that gives it."""
        self.add_entry(field, self._word_field(field))

    def _word_field(self, field: Field) -> Any:
        """Draw the value of a field, and add its sentences. Return the value."""
        rng = self.rng
        value = self._draw(field)
        if value is None:
            self._add_sentence(choice(rng, field.absent))
        elif isinstance(field.sentences, Mapping):
            self._add_sentence(choice(rng, field.sentences[value]))
        else:
            self._add_sentence(choice(rng, field.sentences), field.form.worded(value, rng))
        if field.decoys and rng.random() < _DECOYS[self.plan.level]:
            words = field.form.worded(_different_value(rng, field, value), rng)
            self._add_sentence(choice(rng, field.decoys), words)
        return value

    def _add_sentence(self, template: str, words: str = "") -> None:
        text = template.format(who=choice(self.rng, self.names), v=words)
        self.sentences.append(text[0].upper() + text[1:])

    def _draw(self, field: Field) -> Any:
        """Draw a value: null in a third of the cases, if the field and the format allow it."""
        if field.absent and self.plan.has_nulls and self.rng.random() < 1 / 3:
            return None
        return field.form.draw(self.rng)

    def _field_schema(self, field: Field) -> dict[str, Any]:
        schema: dict[str, Any] = {"description": field.about, **copy_json(field.form.schema)}
        if self.plan.level >= 3:
            schema.update(field.form.bounds)
        if field.absent:
            schema["type"] = [schema["type"], "null"]
        return schema

    def add_roles(self, roles: Iterable[tuple[str, str]]) -> None:
        """Add the persons of some roles. Several share one definition."""
        rng, plan = self.rng, self.plan
        full_name, home_city = plan.name("full_name"), plan.name("home_city")
        schema = _object_schema(
            {
                full_name: {"description": "The full name.", "type": "string"},
                home_city: {"description": "The city.", "type": "string"},
            }
        )
        roles = list(roles)
        if len(roles) > 1:
            self._definitions["person"] = schema
        for role, phrase in roles:
            name, city = _PERSON.draw(rng), _CITY.draw(rng)
            self._add_sentence(f"{name} from {city} is {phrase} {{who}}.")
            part = {"$ref": "#/$defs/person"} if len(roles) > 1 else schema
            self._entries.append((plan.name(role), {full_name: name, home_city: city}, part))
        if rng.random() < _DECOYS[plan.level]:
            messenger = choice(rng, _MESSENGERS)
            self._add_sentence(messenger.format(name=_PERSON.draw(rng), city=_CITY.draw(rng)))

    def add_union(self) -> None:
        """Add the field whose value is one of several objects."""
        plan, union = self.plan, self.plan.kind.union
        tag = choice(self.rng, list(union.branches))
        value = self._word_field(union.branches[tag])
        branches = [
            _object_schema(
                {union.tag: {"const": name}, plan.name(field.name): self._field_schema(field)}
            )
            for name, field in union.branches.items()
        ]
        record = {union.tag: tag, plan.name(union.branches[tag].name): value}
        schema = {"description": union.about, "oneOf": branches}
        self._entries.append((plan.name(union.name), record, schema))

    def add_lines(self) -> tuple[list[Any], dict[str, Any]]:
        """Add the lines; return them and their schema."""
        rng, plan, lines = self.rng, self.plan, self.plan.kind.lines
        count, has_decoy = randint(rng, 2, 4), rng.random() < 0.6
        labels: list[str] = []
        while len(labels) < count + has_decoy:
            label = lines.label.form.draw(rng)
            if label not in labels:
                labels.append(label)
        wordings = [choice(rng, field.sentences) for field in plan.lines]  # type: ignore[arg-type]
        rows = [self._draw_line(lines, label) for label in labels]
        worded = [self._word_line(row, wordings) for row in rows]
        self._add_sentence(f"{lines.intro} {'; '.join(worded[:count])}.")
        if has_decoy:
            self._add_sentence(f"{lines.outro} {worded[-1]}.")
        items = {plan.name(field.name): self._field_schema(field) for field in plan.lines}
        schema = {"description": lines.about, "type": "array", "items": _object_schema(items)}
        self._entries.append((plan.name(lines.name), rows[:count], schema))
        return rows[:count], schema

    def _draw_line(self, lines: Lines, label: str) -> dict[str, Any]:
        return {
            self.plan.name(field.name): label if field is lines.label else self._draw(field)
            for field in self.plan.lines
        }

    def _word_line(self, row: Mapping[str, Any], wordings: list[str]) -> str:
        """Return a line in words, beginning with its label."""
        rng, label = self.rng, self.plan.kind.lines.label
        parts: list[str] = []
        for field, wording in zip(self.plan.lines, wordings, strict=True):
            value = row[self.plan.name(field.name)]
            if value is None:
                words = choice(rng, field.absent)
            else:
                words = wording.format(v=field.form.worded(value, rng))
            parts.insert(0 if field is label else len(parts), words)
        return ", ".join(parts)


def _object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _different_value(rng: random.Random, field: Field, value: Any) -> Any:
    drawn = field.form.draw(rng)
    return _different_value(rng, field, value) if drawn == value else drawn


def _similar_handle(rng: random.Random, field: Field, handle: str) -> str:
    """Return a handle with one different word or digit."""
    if " " in handle:
        words, replacements = handle.split(" ", 1), field.form.draw(rng).split(" ", 1)
        index = randbelow(rng, 2)
        words[index] = replacements[index]
        similar = " ".join(words)
    else:
        index = len(handle) - 1 - randbelow(rng, 3)
        similar = handle[:index] + str(randbelow(rng, 10)) + handle[index + 1 :]
    return _similar_handle(rng, field, handle) if similar == handle else similar


def _paragraph(rng: random.Random, plan: Plan, record: WordedRecord) -> str:
    """Return the introduction of a record and its sentences, in random order."""
    intro = choice(rng, plan.kind.intro).format(v=record.handle)
    return " ".join([intro, *sample(rng, record.sentences, len(record.sentences))])


def _text_of_two(rng: random.Random, plan: Plan, records: tuple[WordedRecord, WordedRecord]) -> str:
    """Describe two records in random order, in a paragraph each or mixed."""
    first, second = sample(rng, records, 2)
    if rng.random() < 0.5:
        return "\n\n".join(_paragraph(rng, plan, record) for record in (first, second))
    whole = [intro for intro in plan.kind.intro if intro.endswith(".")]
    intros = [choice(rng, whole).format(v=record.handle) for record in (first, second)]
    sentences = [*first.sentences, *second.sentences]
    return " ".join([*intros, *sample(rng, sentences, len(sentences))])
