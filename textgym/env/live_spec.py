"""Specs of environments with an argument that JSON cannot represent, such as a callable.

Invariants: copies of such a spec share the object; saving the spec raises an error that names the
argument.
"""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from gymnasium.envs.registration import EnvSpec

from textgym.errors import UsageError

__all__ = ["LiveSpec", "live_spec"]


class _Shared(dict[str, Any]):
    """Arguments that `copy.deepcopy` copies shallowly."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Shared:
        return _Shared(self)


class LiveSpec(EnvSpec):
    """A spec with arguments that cannot be serialised."""

    def to_json(self) -> str:
        """Raise an error, because the spec cannot be saved.

        Raises:
            UsageError: Always. It names the argument.
        """
        name = next(name for name, value in self.kwargs.items() if _is_live(value))
        kind = type(self.kwargs[name]).__name__
        raise UsageError(
            f"the spec of {self.id} cannot be saved: its argument {name!r} is an object "
            f"({kind}); pass the name of an importable object, as 'module:attribute'"
        )


def live_spec(spec: EnvSpec) -> EnvSpec:
    """Return the spec; as a `LiveSpec` if an argument is a callable or another object.

    Example:
        >>> spec = live_spec(EnvSpec("demo/Echo-v0", kwargs={"judge": len}))
        >>> spec.to_json()
        Traceback (most recent call last):
        textgym.errors.UsageError: the spec of demo/Echo-v0 cannot be saved: its argument 'judge' \
is an object (builtin_function_or_method); pass the name of an importable object, as \
'module:attribute'
    """
    if not any(map(_is_live, spec.kwargs.values())):
        return spec
    given = {item.name: getattr(spec, item.name) for item in fields(spec) if item.init}
    return LiveSpec(**{**given, "kwargs": _Shared(spec.kwargs)})


def _is_live(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_live, value))
    return not isinstance(value, (str, int, float, dict, os.PathLike, type(None)))
