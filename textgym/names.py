"""Importing objects by names such as `module:Class`, and naming objects that can be imported."""

from __future__ import annotations

import importlib
import os
import re
import sys
from types import ModuleType
from typing import Any, TypeVar

from textgym.errors import (
    ExtraMissingError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
)

__all__ = [
    "import_class", "import_module", "import_object", "importable", "is_place", "load_creator",
    "module_of", "name_of",
]  # fmt: skip

T = TypeVar("T")
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def import_module(name: str) -> ModuleType:
    """Import a module.

    Raises:
        UnknownNameError: There is no such module.
        UsageError: The module cannot be imported.
        ExtraMissingError: The module needs an optional package.

    Example:
        >>> import_module("jsno")
        Traceback (most recent call last):
        textgym.errors.UnknownNameError: there is no module 'jsno'
    """
    try:
        return importlib.import_module(name)
    except ExtraMissingError:
        raise
    except Exception as error:  # importing a module can raise anything
        if name.endswith(".py"):
            hint = f"; did you mean {module_of(name)!r}?"
            raise UnknownNameError(f"there is no module {name!r}{hint}") from error
        missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            raise UnknownNameError(f"there is no module {name!r}") from error
        raise UsageError(f"cannot import module {name!r}: {in_one_line(error)}") from error


def module_of(path: str) -> str:
    """Return the name under which a Python file is imported from the current folder.

    Example:
        >>> module_of("envs/my_envs.py"), module_of("./my_envs.py")
        ('envs.my_envs', 'my_envs')
    """
    return os.path.normpath(os.path.splitext(path)[0]).replace(os.sep, ".")


def import_object(spec: str) -> Any:
    """Return what `module:name` names; dots in the name lead to attributes.

    Raises:
        UnknownNameError: There is no such module or object.
        UsageError: The module cannot be imported.

    Example:
        >>> import_object("textgym.messages:text_of").__name__
        'text_of'
        >>> import_object("textgym.messages")
        Traceback (most recent call last):
        textgym.errors.UnknownNameError: 'textgym.messages' names no object: write module:name
    """
    module, _, name = spec.partition(":")
    if not name:
        raise UnknownNameError(f"{spec!r} names no object: write module:name")
    value: Any = import_module(module)
    for part in name.split("."):
        if not hasattr(value, part):
            raise UnknownNameError(f"{module!r} has no {name!r}{did_you_mean(part, dir(value))}")
        value = getattr(value, part)
    return value


def is_place(text: str) -> bool:
    """Return whether a text has the form `module:name`.

    Example:
        >>> is_place("my.module:function"), is_place("Wrong: try again.")
        (True, False)
    """
    return bool(_PLACE.fullmatch(text))


def import_class(spec: str, base: type[T]) -> type[T]:
    """Return the class that `module:Class` names.

    Args:
        spec: The module and the class; dots lead to nested classes.
        base: What the class must be a subclass of.

    Raises:
        UnknownNameError: There is no such module or class, or it is not a subclass of the base.
        UsageError: The module cannot be imported.

    Example:
        >>> import_class("collections:OrderedDict", dict).__name__
        'OrderedDict'
        >>> import_class("collections:OrderdDict", dict)
        Traceback (most recent call last):
        textgym.errors.UnknownNameError: 'collections' has no dict class 'OrderdDict'; \
did you mean 'OrderedDict'?
    """
    module, _, name = spec.partition(":")
    imported = import_module(module)
    found: object = imported
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and issubclass(found, base):
        return found
    known = [
        key
        for key, value in vars(imported).items()
        if isinstance(value, type) and issubclass(value, base) and value is not base
    ]
    hint = did_you_mean(name, known) if known else "; it defines none"
    if callable(found):
        raise UnknownNameError(f"{spec!r} is not a subclass of {base.__name__}{hint}")
    raise UnknownNameError(f"{module!r} has no {base.__name__} class {name!r}{hint}")


def name_of(creator: Any) -> str:
    """Return the name of a class or function as `module:name`."""
    return f"{creator.__module__}:{getattr(creator, '__qualname__', '?')}"


def importable(creator: Any) -> Any:
    """Return a class or function as `module:name`, or itself if it cannot be imported so."""
    value: Any = sys.modules.get(creator.__module__)
    for part in getattr(creator, "__qualname__", "?").split("."):
        value = getattr(value, part, None)
    return name_of(creator) if value is creator and value.__module__ != "__main__" else creator


def load_creator(entry_point: Any) -> Any:
    """Return the class or function of an entry point of Gymnasium's registry.

    Raises:
        UnknownNameError: There is no such module or object.
        UsageError: The module cannot be imported.
    """
    return import_object(entry_point) if isinstance(entry_point, str) else entry_point
