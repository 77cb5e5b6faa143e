"""Draws docs/architecture.svg: the rooms of the package on their floors, and what imports what.

Everything is read from the source: a room is a module or folder directly under `textgym/`, and a
line is at least one import. Lines to `errors` and `messages`, which nearly all rooms use, are left
out. `python docs/make_architecture.py` writes the drawing; a test checks
that it is current, that no import runs upward, and that no circle exists.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parent
PACKAGE = DOCS.parent / "textgym"
DRAWING = DOCS / "architecture.svg"

FLOORS = {
    1: (
        "messages", "tools", "tool_schemas", "spaces", "errors", "mixtures", "curricula",
        "task_pool",
        "display", "concurrency", "names", "layers", "json_values", "whole_file", "_version",
    ),
    2: ("policies", "sandbox", "tasks"),
    3: ("verifiers", "trajectories"),
    4: ("core", "users", "metrics", "provenance"),
    5: ("wrappers", "registry"),
    6: ("envs", "rollouts", "vector"),
    7: ("rescoring", "checks", "training", "integrations", "data"),
    8: ("report", "scaffold"),
    9: ("cli", "__main__"),
}  # fmt: skip
"""The rooms of each floor; a room may use its own floor and those below, without circles."""

_WIDTH, _ROW, _BOX, _LEFT = 1180, 86, 34, 40
_USED_BY_ALL = {"errors", "messages"}  # lines to them would hide the others


@cache
def modules() -> dict[str, Path]:
    """Find the package's modules by their dotted names; `textgym` itself is left out."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ["textgym", *path.relative_to(PACKAGE).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = path
    del found["textgym"]
    return found


def _statements(tree: ast.AST, inside_functions: bool) -> Iterator[ast.AST]:
    """Yield the statements of a tree, and no expressions, which most of a tree is.

    Args:
        tree: The tree of a module or statement.
        inside_functions: Whether functions, and what they hold, are yielded.
    """
    for block in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(tree, block, ()):
            if inside_functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node
                yield from _statements(node, inside_functions)


def imports_in(name: str, source: str, package: bool, inside_functions: bool) -> set[str]:
    """List the textgym modules that a source imports, by their dotted names.

    Args:
        name: The dotted name of the module.
        source: Its text.
        package: Whether it is the `__init__` of a folder.
        inside_functions: Whether imports inside functions count. Those under `TYPE_CHECKING` do.
    """
    found = set()
    for node in _statements(ast.parse(source), inside_functions):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                here = name.split(".")
                up = here[: len(here) - node.level + package]
                home = ".".join([*up, *filter(None, [node.module])])
            found |= {
                inner if (inner := f"{home}.{alias.name}") in modules() else home
                for alias in node.names
            }
    return {item for item in found if item.split(".")[0] == "textgym"} - {name}


@cache
def imports_of(name: str, inside_functions: bool) -> set[str]:
    """List the textgym modules that a module of the package imports."""
    path = modules()[name]
    package = path.name == "__init__.py"
    return imports_in(name, path.read_text(encoding="utf-8"), package, inside_functions)


def room_of(name: str) -> str:
    """Return the room of a module: `policies` of `textgym.policies.base`."""
    return name.split(".")[1] if "." in name else ""


def room_imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports."""
    found: dict[str, set[str]] = {}
    for name in modules():
        rooms = {room_of(item) for item in imports_of(name, inside_functions=True)}
        found.setdefault(room_of(name), set()).update(rooms - {room_of(name), ""})
    return found


def drawing() -> str:
    """Return the drawing as SVG."""
    used = room_imports()
    floors = {floor: [room for room in rooms if room in used] for floor, rooms in FLOORS.items()}
    floors = {floor: rooms for floor, rooms in floors.items() if rooms}
    places: dict[str, tuple[float, float, float]] = {}
    for row, floor in enumerate(sorted(floors, reverse=True)):
        rooms = floors[floor]
        widths = [9 * len(room) + 24 for room in rooms]
        gap = (_WIDTH - _LEFT - sum(widths)) / (len(rooms) + 1)
        x = _LEFT + gap
        for room, width in zip(rooms, widths, strict=True):
            places[room] = x, 20 + row * _ROW, width
            x += width + gap
    height = 20 + len(floors) * _ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
    ]
    for row, floor in enumerate(sorted(floors, reverse=True)):
        y = 20 + row * _ROW + _BOX / 2 + 5
        lines.append(f'<text x="16" y="{y:.0f}" fill="#888">{floor}</text>')
    for room in places:
        others = sorted(used[room] - _USED_BY_ALL)
        lines += [_arrow(places[room], places[other]) for other in others]
    for room, (x, y, width) in places.items():
        lines += [
            f'<rect x="{x:.0f}" y="{y}" width="{width}" height="{_BOX}" rx="6" fill="#eef4fb" '
            'stroke="#4a7ab0"/>',
            f'<text x="{x + width / 2:.0f}" y="{y + _BOX / 2 + 5:.0f}" text-anchor="middle">'
            f"{escape(room)}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def _arrow(user: tuple[float, float, float], used: tuple[float, float, float]) -> str:
    """Draw a line from the bottom of one box to the top of another, or between neighbours."""
    start, end = user[0] + user[2] / 2, used[0] + used[2] / 2
    top, bottom = user[1] + _BOX, used[1]
    if user[1] == used[1]:
        top = bottom = user[1] + _BOX / 2
    middle = (top + bottom) / 2 if user[1] != used[1] else top + _BOX
    return (
        f'<path d="M{start:.0f} {top:.0f} C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} '
        f'{end:.0f} {bottom:.0f}" fill="none" stroke="#9bb4cf" stroke-opacity="0.6"/>'
    )


if __name__ == "__main__":
    DRAWING.write_text(drawing(), encoding="utf-8")
    print(DRAWING)
