"""The kinds of records: their fields, and the sentences that give their values.

`kinds.json` has the tables. In sentences, `{who}` is the record and `{v}` the value in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from textgym.envs.structured_output import forms
from textgym.envs.structured_output.forms import Form
from textgym.whole_file import packaged_data

__all__ = ["CITIES", "DUE", "KINDS", "REMARK", "UNIONS", "Field", "Kind", "Lines", "Union"]


class Field(NamedTuple):
    """A field of a record.

    Attributes:
        name: Its name in snake case.
        about: Its description in the schema, which names the unit or the form of the value.
        form: The form of its values.
        sentences: Sentences that give the value; a dict from value to sentences if `{v}` would give
            it away.
        decoys: Sentences that give another value, which does not belong in the record.
        absent: Sentences that say that there is no value.
    """

    name: str
    about: str
    form: Form
    sentences: tuple[str, ...] | Mapping[object, tuple[str, ...]]
    decoys: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class Lines(NamedTuple):
    """A list of flat objects in a record, such as the lines of an invoice.

    Attributes:
        name: The name of the list.
        about: Its description in the schema.
        intro: The beginning of the sentence that lists them.
        outro: The beginning of a sentence with another one, which does not belong in the record.
        label: The field whose values are all different.
        fields: Two more fields, whose `sentences` are parts of a sentence.
    """

    name: str
    about: str
    intro: str
    outro: str
    label: Field
    fields: tuple[Field, Field]


class Union(NamedTuple):
    """A field that is one of several objects.

    Attributes:
        name: Its name.
        about: Its description in the schema.
        tag: The field whose constant distinguishes the objects.
        branches: The other field of each object, by constant.
    """

    name: str
    about: str
    tag: str
    branches: Mapping[str, Field]


class Kind(NamedTuple):
    """A kind of record.

    Attributes:
        name: Its name, such as "booking".
        handle: The field that identifies the record, such as the guest.
        intro: Sentences that introduce the record `{v}`.
        alias: Another name of the record.
        flat: Fields with plain values.
        choice: A field with an enum.
        nullable: A field that may be null.
        dated: Two fields with a date or a time.
        listed: A field with a list of strings.
        roles: Two persons who belong to the record: the names of their fields, and their roles.
        union: A field that is one of several objects.
        lines: A list of flat objects.
    """

    name: str
    handle: Field
    intro: tuple[str, ...]
    alias: str
    flat: tuple[Field, ...]
    choice: Field
    nullable: Field
    dated: tuple[Field, Field]
    listed: Field
    roles: tuple[tuple[str, str], tuple[str, str]]
    union: Union
    lines: Lines


def _read_field(data: Mapping[str, Any]) -> Field:
    """Return a field of `kinds.json`.

    There, a form is the name of a function in `forms` and its arguments, and a text among these is
    the name of a list of words. A field without one is an enum, whose sentences paraphrase its
    constants.
    """
    values = dict(data)
    sentences = values.setdefault("sentences", ())
    name, *arguments = values.get("form") or ("option", tuple(sentences))
    if name == "flag":
        values["sentences"] = {True: sentences["true"], False: sentences["false"]}
    arguments = [_DATA["words"][part] if isinstance(part, str) else part for part in arguments]
    return Field(**(values | {"form": getattr(forms, name)(*arguments)}))


def _read_fields(data: Sequence[Mapping[str, Any]]) -> tuple[Field, ...]:
    return tuple(map(_read_field, data))


def _read_union(data: dict[str, Any]) -> Union:
    branches = {tag: _read_field(branch) for tag, branch in data["branches"].items()}
    return Union(**(data | {"branches": branches}))


def _read_kind(data: dict[str, Any]) -> Kind:
    lines = data["lines"]
    label, fields = _read_field(lines["label"]), _read_fields(lines["fields"])
    return Kind(
        **(
            data
            | {part: _read_field(data[part]) for part in ("handle", "choice", "nullable", "listed")}
            | {part: _read_fields(data[part]) for part in ("flat", "dated")}
            | {"union": UNIONS[data["union"]]}
            | {"lines": Lines(**(lines | {"label": label, "fields": fields}))}
        )
    )


_DATA = packaged_data("textgym.envs.structured_output", "kinds.json")

CITIES: tuple[str, ...] = _DATA["words"]["cities"]
DUE = _read_field(_DATA["due"])
REMARK = _read_field(_DATA["remark"])
UNIONS = {data["name"]: _read_union(data) for data in _DATA["unions"]}
KINDS = tuple(map(_read_kind, _DATA["kinds"]))
