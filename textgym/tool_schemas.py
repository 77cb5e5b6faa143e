"""The arguments of a tool, from the signature of a method: their schema and their validator.

Invariants: the schema is the one that the validator has, byte for byte; reading a class makes no
validator unless a schema needs it, because classes have many tools and a model calls few of them.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.errors import UsageError
from textgym.json_values import copy_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["Signature"]


@dataclass(frozen=True)
class Signature:
    """The arguments of a method that the model gives.

    Attributes:
        method: The method.
        name: The name of the tool.
    """

    method: Callable[..., Any]
    name: str

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return typing.get_type_hints(self.method, include_extras=True)

    @cached_property
    def _arguments(self) -> dict[str, inspect.Parameter]:
        """The arguments that the model gives, by name.

        Raises:
            UsageError: One of them has no name.
        """
        parameters = dict(list(inspect.signature(self.method).parameters.items())[1:])
        for name, parameter in parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise UsageError(
                    f"{self.method.__qualname__}: a tool must name all its arguments, so {name} is "
                    "not allowed"
                )
        return parameters

    @cached_property
    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """The validator of the arguments."""
        from pydantic import FailFast, Field, TypeAdapter

        described = _argument_docs(self.method)
        fields: dict[str, Any] = {}
        kind: Any
        for name, parameter in self._arguments.items():
            about = Field(description=described.get(name), json_schema_extra=_default(parameter))
            hint = self._hints.get(name, Any)
            first_only = [FailFast()] if typing.get_origin(hint) is list else []
            kind = Annotated[(hint, about, *first_only)]  # reports the first error only
            fields[name] = kind if self._is_required(name) else NotRequired[kind]
        make_typed_dict: Any = TypedDict
        arguments = make_typed_dict(self.name, fields)
        arguments.__pydantic_config__ = {"extra": "forbid"}
        return TypeAdapter(arguments)

    @cached_property
    def nullable(self) -> dict[str, None]:
        """Arguments without a default whose type allows None. They are None if omitted."""
        return {
            name: None
            for name, parameter in self._arguments.items()
            if parameter.default is parameter.empty
            and type(None) in typing.get_args(_without_metadata(self._hints.get(name)))
        }

    def _is_required(self, name: str) -> bool:
        parameter = self._arguments[name]
        return parameter.default is parameter.empty and name not in self.nullable

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema of the arguments, made from the schemas of their type hints if possible.

        Making it with the adapter takes ten times as long, and only the tools that a model calls
        need an adapter.
        """
        described = _argument_docs(self.method)
        properties: dict[str, Any] = {}
        for name, parameter in self._arguments.items():
            hint, default = self._hints.get(name, Any), _default(parameter) or {}
            try:
                schema = _schema_of_hint(_Hint(_without_metadata(hint), repr(hint), hint))
            except TypeError:
                schema = None
            if schema is None or not {str, int, float, bool}.issuperset(
                map(type, default.values())
            ):
                whole: dict[str, Any] = _without_titles(self.adapter.json_schema())
                return whole
            about = {"description": described[name]} if name in described else {}
            properties[name] = dict(sorted({**copy_json(schema), **about, **default}.items()))
        required = [name for name in properties if self._is_required(name)]
        return {
            "additionalProperties": False,
            "properties": properties,
            **({"required": required} if required else {}),
            "type": "object",
        }


@dataclass(frozen=True)
class _Hint:
    """A type hint as the key of a cache.

    Attributes:
        bare: The hint without its metadata. Metadata are compared as text, because each parameter
            has its own objects.
        text: The `repr` of the whole hint, which also depends on the order of unions.
        whole: The whole hint.
    """

    bare: Any
    text: str
    whole: Any = field(compare=False)


@lru_cache(maxsize=256)
def _schema_of_hint(hint: _Hint) -> dict[str, Any]:
    """Return the schema of an argument with a type hint. Cached, because tools share types.

    Raises:
        TypeError: The schema depends on the other arguments or on the description of this one, or
            the hint has metadata that their text does not identify.
    """
    from annotated_types import BaseMetadata
    from pydantic import TypeAdapter
    from pydantic.fields import FieldInfo

    for item in getattr(hint.whole, "__metadata__", ()):
        is_field = isinstance(item, FieldInfo)
        if is_field and (item.description is not None or item.json_schema_extra is not None):
            raise TypeError(f"{hint.text} has a description of its own")
        for constraint in item.metadata if is_field else [item]:
            if not isinstance(constraint, BaseMetadata):
                raise TypeError(f"{hint.text} has metadata of an unknown kind")
    make_typed_dict: Any = TypedDict
    schema = TypeAdapter(make_typed_dict("arguments", {"argument": hint.whole})).json_schema()
    is_alone = schema.keys() == {"properties", "required", "title", "type"}  # without `$defs`
    if not is_alone or schema["required"] != ["argument"]:
        raise TypeError(f"{hint.text} has definitions, a default or an alias")
    argument: dict[str, Any] = _without_titles(schema)["properties"]["argument"]
    return argument


def _without_metadata(hint: Any) -> Any:
    """Return a type hint without `Annotated`."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _default(parameter: inspect.Parameter) -> dict[str, Any] | None:
    """Return the entry for an argument's default in its schema; None if there is none."""
    if parameter.default is parameter.empty or parameter.default is None:
        return None
    return {"default": parameter.default}


def _argument_docs(method: Callable[..., Any]) -> dict[str, str]:
    """Read the `Args:` section of a Google-style docstring."""
    doc = inspect.cleandoc(method.__doc__ or "")
    section = re.search(r"^Args:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    if not section:
        return {}
    body = inspect.cleandoc(" \n" + section.group(1))
    entries = re.findall(r"^(\w+)(?: \([^)]*\))?:\s*(.*(?:\n[ \t]+.*)*)", body, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def _without_titles(schema: Any) -> Any:
    """Remove the titles that pydantic adds, but keep arguments named `title`."""
    if not isinstance(schema, dict):
        return [_without_titles(item) for item in schema] if isinstance(schema, list) else schema
    kept = {key: value for key, value in schema.items() if key != "title"}
    for key, value in kept.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _without_titles(item) for name, item in value.items()}
        elif key not in ("default", "enum", "const", "examples"):
            kept[key] = _without_titles(value)
    return copy_json(kept)
