"""The parts of a kind of record, and fields that several kinds share.

In sentences, `{who}` is the record and `{v}` the value in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textgym.envs.structured_output.forms import (
    Form,
    code,
    count,
    date,
    digits,
    option,
    word,
)

__all__ = [
    "CITIES",
    "CONTACT",
    "PAYMENT",
    "REMARK",
    "Field",
    "Kind",
    "Lines",
    "Union",
    "dated_field",
    "enum_field",
]

CITIES = (
    "Aachen", "Bergen", "Bilbao", "Cork", "Delft", "Erfurt", "Faro", "Ghent", "Graz", "Hull",
    "Izmir", "Jena", "Kiel", "Lugano", "Malmo", "Namur", "Odense", "Pisa", "Quimper", "Rostock",
    "Siena", "Tartu", "Utrecht", "Vigo", "Wismar", "Ystad", "Zadar",
)  # fmt: skip


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


REMARK = Field(
    "remark",
    "What was noted about it, or null.",
    word(("gift wrap", "fragile", "second choice", "handle first", "to be checked", "on loan")),
    ('with the note "{v}"', 'marked "{v}"'),
    absent=("without a note", "with no note"),
)


def dated_field(name: str, about: str, phrase: str) -> Field:
    """Return a field with a date within a sentence, such as "due on 3 May 2031"."""
    return Field(name, about, date(), (f"{phrase} {{v}}",))


PAYMENT = Union(
    "payment",
    "How it is paid.",
    "method",
    {
        "card": Field(
            "last_digits",
            "The last four digits of the card, as a string.",
            digits(4),
            ("{who} is paid with a card that ends in {v}.",),
            ("A card that ends in {v} was turned down.",),
        ),
        "transfer": Field(
            "days",
            "The days until it is due.",
            count(5, 60),
            ("{who} is paid by bank transfer within {v} days.",),
            ("Bank transfers used to be due within {v} days.",),
        ),
        "voucher": Field(
            "voucher_code",
            "The code of the voucher.",
            code(("GV", "VX", "TR"), 5),
            ("{who} is paid with the voucher {v}.",),
            ("The voucher {v} had expired.",),
        ),
    },
)
CONTACT = Union(
    "contact",
    "Whom to ask, by one of several ways.",
    "channel",
    {
        "phone": Field(
            "number",
            "The phone number, six digits as a string.",
            digits(6),
            ("Questions about {who} are answered on the phone, at {v}.",),
            ("The number {v} is no longer in use.",),
        ),
        "desk": Field(
            "desk_number",
            "The number of the desk.",
            count(2, 48),
            ("Questions about {who} are answered at desk {v}.",),
            ("Desk {v} is closed.",),
        ),
        "radio": Field(
            "call_sign",
            "The call sign.",
            code(("QX", "RL", "ZT"), 3),
            ("Questions about {who} are answered by radio, call sign {v}.",),
            ("The call sign {v} belongs to another team.",),
        ),
    },
)


def enum_field(name: str, about: str, sentences: Mapping[object, tuple[str, ...]]) -> Field:
    """Return a field with an enum whose constants the sentences paraphrase."""
    return Field(name, about, option(list(map(str, sentences))), sentences)
