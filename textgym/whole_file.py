"""Files that are whole or missing, and the folder of the user's cache.

Invariant: a file that `whole_file` writes has the old content or all of the new content at any
moment, even if the writer is killed.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from textgym.errors import UsageError

__all__ = ["cache_folder", "whole_file"]


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
