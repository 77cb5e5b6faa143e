"""Rows about pictures: textgym's scenes and pictures, and NeMo Gym's circles, as tasks.

Invariant: a scene is drawn when its task is read, so that rows stay small.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textgym.envs.pictures.drawing import COLOURS, SIZE, data_url, import_pillow
from textgym.errors import RowError
from textgym.messages import Message
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task

__all__ = ["BOXED", "PicturesTask", "read_picture_row"]

BOXED = "Put the answer in \\boxed{}."
_CLICK = (
    "The picture is {width} {unit} wide and {height} high. The point (0, 0) is its top left "
    "corner. Use the tool click, once."
)
_LENGTHS = {"box": 5, "line": 6, "text": 4, "circle": 4, "square": 4, "triangle": 4}
_MIME = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
_MAX_FILE = 20 << 20  # bytes


@dataclass(frozen=True, slots=True)
class PicturesTask(Task):
    """A task whose answer is the first of the accepted texts; None if a click is asked for.

    Attributes:
        accepted: The texts that are right.
        target: The shape to click on, as form, x, y and radius; None if a text is asked for.
        size: The picture's width and height, in pixels.
        extent: Its width and height, in the units of clicks.
    """

    accepted: tuple[str, ...] = ()
    target: tuple[str, float, float, float] | None = None
    size: tuple[int, int] = (SIZE, SIZE)
    extent: tuple[int, int] = (SIZE, SIZE)


def read_picture_row(row: Mapping[str, Any], thousandths: bool) -> PicturesTask:
    """Return the task of a row.

    Args:
        row: The row.
        thousandths: Whether clicks are in thousandths of the picture.

    Raises:
        RowError: The row is not valid; the error names the field.
    """
    if nemo_rows.has_prompt(row):
        return _read_circles(row)
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", "is missing or empty")
    url, size = _picture(row)
    extent = (1000, 1000) if thousandths else size
    target = row.get("target")
    accepted: tuple[str, ...] = ()
    shape = None
    if target is None:
        accepted = _accepted(row)
        how = BOXED
    else:
        shape = _shape(target)
        unit = "units" if thousandths else "pixels"
        how = _CLICK.format(width=extent[0], height=extent[1], unit=unit)
    prompt: Message = {
        "role": "user",
        "content": [
            {"type": "text", "text": f"{question}\n\n{how}"},
            {"type": "image_url", "image_url": {"url": url}},
        ],
    }
    return PicturesTask(
        row["id"],
        (prompt,),
        accepted[0] if accepted else None,
        None if shape else (),
        dict(row),
        accepted,
        shape,
        size,
        extent,
    )


def _accepted(row: Mapping[str, Any]) -> tuple[str, ...]:
    answer = row.get("answer")
    if isinstance(answer, bool) or not isinstance(answer, (str, int, float)):
        raise RowError("answer", f"must be a text or a number, not {answer!r:.100}")
    others = row.get("accepted") or []
    if not isinstance(others, list) or not all(isinstance(it, str) for it in others):
        raise RowError("accepted", "must be a list of texts")
    if not str(answer).strip():
        raise RowError("answer", "is empty")
    return str(answer), *(other for other in others if other != str(answer))


def _shape(target: Any) -> tuple[str, float, float, float]:
    try:
        form, x, y, radius, *_ = target
        shape = str(form), float(x), float(y), float(radius)
    except (TypeError, ValueError):
        shape = "", 0.0, 0.0, 0.0
    if shape[0] not in ("circle", "square", "triangle"):
        raise RowError("target", "must be a form, x, y and a radius, such as ['circle', 9, 9, 4]")
    return shape


def _picture(row: Mapping[str, Any]) -> tuple[str, tuple[int, int]]:
    """Return the row's scene or picture as a URL, and its width and height in pixels."""
    picture = row.get("picture")
    if isinstance(picture, str) and picture.startswith("data:image/"):
        return picture, _size(picture)
    if isinstance(picture, str) and picture.startswith(("http://", "https://")):
        if row.get("target") is not None:
            raise RowError("picture", "must be a file or a data URL where a click is asked for")
        return picture, (SIZE, SIZE)
    if isinstance(picture, str):
        url = _file(Path(picture))
        return url, _size(url)
    scene = row.get("scene")
    if not isinstance(scene, list) or not scene:
        raise RowError("scene", "is missing or empty, and there is no picture")
    for index, shape in enumerate(scene):
        if not _is_shape(shape):
            raise RowError(f"scene.{index}", f"is not a shape: {shape!r:.100}")
    return data_url(scene), (SIZE, SIZE)


def _is_shape(shape: Any) -> bool:
    """Return whether a shape can be drawn."""
    if not isinstance(shape, list) or not shape or not isinstance(shape[0], str):
        return False
    kind, *values = shape
    if len(values) != _LENGTHS.get(kind):
        return False
    colour = values.pop(4 if kind == "line" else -1)
    if kind == "text" and not (isinstance(values[-1], str) and values.pop().isascii()):
        return False
    return (
        isinstance(colour, str)
        and colour in COLOURS
        and all(type(value) is int and abs(value) <= 10 * SIZE for value in values)
    )


def _size(url: str) -> tuple[int, int]:
    """Return the width and height of the picture in a data URL."""
    head, _, data = url.partition(",")
    try:
        content = base64.b64decode(data, validate=True) if head.endswith(";base64") else b""
        size: tuple[int, int] = import_pillow().Image.open(io.BytesIO(content)).size
    except (binascii.Error, OSError) as error:  # what is not a picture is an OSError of Pillow
        raise RowError("picture", "holds no picture that can be read") from error
    return size


def _file(path: Path) -> str:
    kind = _MIME.get(path.suffix.lower())
    if kind is None:
        raise RowError("picture", f"must be a URL or a file of {', '.join(_MIME)}, not {path}")
    try:
        content = path.expanduser().read_bytes() if path.stat().st_size <= _MAX_FILE else b""
    except OSError as error:
        raise RowError("picture", f"cannot be read: {path}: {error.strerror}") from error
    if not content:
        raise RowError("picture", f"is empty or has more than {_MAX_FILE >> 20} MB: {path}")
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _read_circles(row: Mapping[str, Any]) -> PicturesTask:
    """Read a row of NeMo Gym's `circle_click` or `circle_count`."""
    circles, colour = row.get("circles"), row.get("target_color")
    if not isinstance(circles, list) or not all(isinstance(it, Mapping) for it in circles):
        raise RowError("circles", "must be a list of circles")
    found = [circle for circle in circles if circle.get("color") == colour]
    prompt, tools = tuple(nemo_rows.prompt_of(row)), nemo_rows.tools_of(row)
    if tools is None:
        number = str(len(found))
        return PicturesTask(row["id"], prompt, number, (), dict(row), (number,))
    if not found:
        raise RowError("target_color", f"no circle has the colour {colour!r}")
    shapes = [
        _shape(["circle", *(circle.get(name) for name in ("x", "y", "radius"))])
        for circle in [found[0], *circles]
    ]
    # The row does not state the size of its picture, in which all circles are.
    size = (
        math.ceil(max(x + radius for _, x, _, radius in shapes)) + 1,
        math.ceil(max(y + radius for _, _, y, radius in shapes)) + 1,
    )
    return PicturesTask(row["id"], prompt, None, tools, dict(row), (), shapes[0], size, size)
