"""Pictures, sound and video of a run: files beside `trajectories.jsonl`, not text in its lines.

A string that is a `data:` URL is replaced by a name such as `run-file:image/HASH.png`, with the
SHA-256 of the content, which is written once to `image/HASH.png` in the run's folder. Readers put
the URL back, so trajectories in memory are as they were played.

Invariants: a file is complete or absent, and exists before a line names it; what cannot be put back
exactly, and what is short, stays in the line.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path

from textgym.errors import RunError

__all__ = ["copy_media", "restore_media", "store_media"]

_MARK, _ESCAPED = b"run-file:", b"run-file:="  # what a model writes must not name a file
_KIND = rb"(image|audio|video)"
_TYPE = rb"([a-z0-9][a-z0-9.+-]{0,30})"
_URL = re.compile(rb'"data:%b/%b;base64,([A-Za-z0-9+/]{64,}={0,2})"' % (_KIND, _TYPE))
_FILE = re.compile(rb'"%b%b/([0-9a-f]{64})\.%b"' % (_MARK, _KIND, _TYPE))
_KEPT = 16  # files that are kept in memory while a run is read


def store_media(line: bytes, folder: Path) -> bytes:
    """Write the pictures, sound and video in a line to files, and return the line with their names.

    Args:
        line: A line of JSON.
        folder: The run's folder.

    Raises:
        OSError: A file cannot be written.
    """
    line = line.replace(_MARK, _ESCAPED)
    if b";base64," not in line:
        return line

    def stored(found: re.Match[bytes]) -> bytes:
        kind, subtype, data = found.groups()
        try:
            content = base64.b64decode(data, validate=True)
        except binascii.Error:
            return found[0]
        if base64.b64encode(content) != data:
            return found[0]
        name = f"{kind.decode()}/{hashlib.sha256(content).hexdigest()}.{subtype.decode()}"
        _write(folder / name, content)
        return b'"%b%b"' % (_MARK, name.encode())

    return _URL.sub(stored, line)


def _write(path: Path, content: bytes) -> None:
    """Write a file, unless it is there."""
    if path.exists():
        return
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def restore_media(line: bytes, folder: Path) -> bytes:
    """Return a line with its pictures, sound and video in it.

    Args:
        line: A line that `store_media` returned.
        folder: The run's folder.

    Raises:
        RunError: A file is missing.
    """
    if _MARK not in line:
        return line

    def restored(found: re.Match[bytes]) -> bytes:
        kind, name, subtype = (part.decode() for part in found.groups())
        return _data_url(str(folder / kind / f"{name}.{subtype}"), f"{kind}/{subtype}")

    return _FILE.sub(restored, line).replace(_ESCAPED, _MARK)


def copy_media(line: bytes, source: Path, folder: Path) -> None:
    """Copy the files that a line names to another run's folder.

    Args:
        line: A line that `store_media` returned.
        source: The folder of its run.
        folder: The other run's folder.

    Raises:
        RunError: A file is missing.
        OSError: A file cannot be written.
    """
    for found in _FILE.finditer(line) if _MARK in line else ():
        kind, name, subtype = (part.decode() for part in found.groups())
        path = Path(kind, f"{name}.{subtype}")
        if not (folder / path).exists():
            _write(folder / path, _content(source / path))


@lru_cache(maxsize=_KEPT)
def _data_url(path: str, media_type: str) -> bytes:
    content = base64.b64encode(_content(Path(path)))
    return b'"data:%b;base64,%b"' % (media_type.encode(), content)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunError(f"{str(path)!r}, which a trajectory names: {error.strerror}") from error
