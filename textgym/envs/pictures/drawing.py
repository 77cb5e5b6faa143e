"""Drawing: a scene, which is a list of simple shapes, as a PNG in a data URL.

A scene is JSON, so a row holds a picture in a few hundred bytes, and it is drawn when the task is
read. Coordinates are whole pixels from the top left corner.

Invariants: a scene gives the same pixels in every process and with Pillow 10 to 13 (no smoothing,
Pillow's own bitmap font, no palette); a shape covers only points of its square.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from textgym.errors import ExtraMissingError, install_advice

__all__ = ["COLOURS", "SIZE", "Scene", "data_url", "draw", "import_pillow"]

Scene = Sequence[Sequence[Any]]
"""Shapes, in the order in which they are drawn:

- `["circle" | "square" | "triangle", x, y, radius, colour]`, within the square around the centre
- `["box", left, top, right, bottom, colour]`
- `["line", x0, y0, x1, y1, colour, width]`
- `["text", x, y, text, colour]`, around the centre
"""

SIZE = 336
"""The width and height of a picture, in pixels."""

COLOURS = {
    "red": (214, 39, 40), "blue": (31, 87, 180), "green": (44, 140, 44),
    "orange": (255, 140, 0), "purple": (128, 60, 160), "black": (0, 0, 0),
    "grey": (150, 150, 150), "light": (225, 225, 225), "white": (255, 255, 255),
}  # fmt: skip
_COMPRESSION = 3  # of zlib: a third of the time of the default, for pictures of 2 to 6 kB


def import_pillow() -> Any:
    """Return the package PIL.

    Raises:
        ExtraMissingError: It is not installed.
    """
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"pictures need the extra 'pictures' ({error.name} is missing): "
            f"{install_advice('pictures')}"
        ) from error
    return PIL


def draw(scene: Scene, size: int = SIZE) -> Any:
    """Draw a scene on white.

    Args:
        scene: The shapes.
        size: The width and height, in pixels.

    Returns:
        An RGB image of Pillow.
    """
    pil = import_pillow()
    image = pil.Image.new("RGB", (size, size), COLOURS["white"])
    brush = pil.ImageDraw.Draw(image)
    for kind, *values in scene:
        _PAINTERS[kind](brush, *values)
    return image


def data_url(scene: Scene, size: int = SIZE) -> str:
    """Draw a scene, and return it as a `data:` URL that contains a PNG."""
    file = io.BytesIO()
    draw(scene, size).save(file, "PNG", compress_level=_COMPRESSION)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _circle(brush: Any, x: int, y: int, radius: int, colour: str) -> None:
    brush.ellipse((x - radius, y - radius, x + radius, y + radius), fill=COLOURS[colour])


def _square(brush: Any, x: int, y: int, radius: int, colour: str) -> None:
    brush.rectangle((x - radius, y - radius, x + radius, y + radius), fill=COLOURS[colour])


def _triangle(brush: Any, x: int, y: int, radius: int, colour: str) -> None:
    corners = [(x, y - radius), (x + radius, y + radius), (x - radius, y + radius)]
    brush.polygon(corners, fill=COLOURS[colour])


def _box(brush: Any, left: int, top: int, right: int, bottom: int, colour: str) -> None:
    brush.rectangle((left, top, right, bottom), fill=COLOURS[colour])


def _line(brush: Any, x0: int, y0: int, x1: int, y1: int, colour: str, width: int) -> None:
    brush.line((x0, y0, x1, y1), fill=COLOURS[colour], width=width)


def _text(brush: Any, x: int, y: int, text: str, colour: str) -> None:
    font = _font()
    left, top, right, bottom = font.getbbox(text)
    place = (x - (right - left) // 2, y - (bottom - top) // 2)
    brush.text(place, text, fill=COLOURS[colour], font=font)


@cache
def _font() -> Any:
    """Return the bitmap font, under the name that the installed Pillow has for it."""
    fonts = import_pillow().ImageFont
    return getattr(fonts, "load_default_imagefont", fonts.load_default)()


_PAINTERS: dict[str, Callable[..., None]] = {
    "circle": _circle, "square": _square, "triangle": _triangle, "box": _box, "line": _line,
    "text": _text,
}  # fmt: skip
