"""Files: written whole or not at all, in the user's cache, and among the package's modules.

Invariant: a file that `whole_file` writes has the old content or all of the new content at any
moment, even if the writer is killed.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import IO, Any

import orjson

from textgym.errors import UsageError

__all__ = ["cache_folder", "packaged_data", "whole_file"]


def cache_folder(name: str) -> Path:
    """Return a folder of the user's cache. It may not exist.

    Args:
        name: The name of the folder.
    """
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "textgym" / name


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces the file at a path when it is complete.

    If the block raises, the file at the path stays as it was.

    Args:
        path: The path. Its folder must exist.

    Raises:
        UsageError: The file cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with whole_file(f"{folder}/rows.jsonl") as file:
        ...         _ = file.write(b"{}")
        ...         there = os.path.exists(f"{folder}/rows.jsonl")
        ...     there, Path(f"{folder}/rows.jsonl").read_bytes()
        (False, b'{}')
    """
    target = Path(path)
    draft = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{str(path)!r} cannot be written: {reason}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def packaged_data(package: str, name: str) -> Any:
    """Return the data of a JSON file in a package, with tuples for arrays.

    Args:
        package: The full name of the package.
        name: The name of the file.

    Example:
        >>> packaged_data("textgym.envs.calendar", "themes.json")["projects"][:3]
        ('Atlas', 'Aurora', 'Basalt')
    """
    return _with_tuples(orjson.loads(resources.files(package).joinpath(name).read_bytes()))


def _with_tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_with_tuples, value))
    if isinstance(value, dict):
        return {key: _with_tuples(entry) for key, entry in value.items()}
    return value
