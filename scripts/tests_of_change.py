"""Print the test files that a change touches, for `make test-changed`.

A test file belongs to a change if it was changed itself, if it is in the folder of a changed room
(`tests/metrics` for a module of `textgym/metrics`), or if it uses a changed module: it imports the
module, imports one that imports it, or names the id of an environment that does. So does the main
test file of a room that imports the module (`tests/rollouts/test_rollouts.py`). A name such as
`textgym.rollout` counts as an import of the module that defines it. The helpers in `tests/support/`
are modules too. A data file counts as the modules beside it that name it.

    python scripts/tests_of_change.py          # what is not committed yet
    python scripts/tests_of_change.py main     # all that differs from the branch main
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import gymnasium

import textgym

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = "tests/test_names.py"  # the layout of the package concerns every change
DEPTH = 2  # a changed module, and the modules that import it


def changed_files(base: str) -> list[str]:
    """Return the files that differ from a commit or branch, new ones included."""
    root = ("git", "-C", str(ROOT))
    tracked = subprocess.run(
        [*root, "diff", "--name-only", "--merge-base", base],
        capture_output=True,
        text=True,
        check=False,
    )
    if tracked.returncode:
        raise SystemExit(tracked.stderr.strip())
    new = subprocess.run(
        [*root, "ls-files", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted({*tracked.stdout.split(), *new.stdout.split()})


@cache
def modules() -> dict[str, str]:
    """Return the files of importable modules, relative to the repository, by dotted name."""
    found = {}
    for folder, home in ((ROOT, ROOT / "textgym"), (ROOT / "tests/support",) * 2):
        for path in home.rglob("*.py"):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path.relative_to(ROOT).as_posix()
    return found


@cache
def imports(file: str) -> frozenset[str]:
    """Return the modules that a file imports anywhere, and those behind ids that it names."""
    text = (ROOT / file).read_text(encoding="utf-8")
    names = {name for node in ast.walk(ast.parse(text)) for name in _imported(node, file)}
    names |= {_home(name) for name in re.findall(r"\btextgym\.(\w+)", text)}
    named = set(re.findall(r"[\w-]+/[\w-]+-v\d+", text))
    names |= {_module_of(id) for id in named & gymnasium.registry.keys()}
    return frozenset(names & modules().keys())


def _imported(node: ast.AST, file: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = Path(file).parent.parts
        up = package[: len(package) - node.level + 1] if node.level else ()
        home = ".".join([*up, *filter(None, [node.module])])
        for alias in node.names:
            inner = f"{home}.{alias.name}"
            yield inner if inner in modules() else _home(alias.name) if home == "textgym" else home


@cache
def _home(name: str) -> str:
    """Return the module that defines a public name of textgym."""
    found = getattr(textgym, name, None) if name in dir(textgym) else None
    return str(getattr(found, "__module__", None) or getattr(found, "__name__", ""))


@cache
def _module_of(id: str) -> str:
    """Return the module of an environment; "" if the suite lacks it."""
    entry_point = gymnasium.spec(id).entry_point
    return entry_point.partition(":")[0] if isinstance(entry_point, str) else ""


def users(changed: set[str]) -> set[str]:
    """Return modules with those that import them, directly or within the depth."""
    found = set(changed)
    for _ in range(DEPTH - 1):
        found |= {name for name, file in modules().items() if imports(file) & found}
    return found


def affected_tests(files: list[str]) -> list[str]:
    """Return the test files that changed files touch."""
    changed = {name for name, file in modules().items() if file in files or _reads(file, files)}
    touched = users(changed)
    folders = tuple(f"tests/{'/'.join(_room(name))}/" for name in changed if _room(name))
    rooms = [room for room in map(_room, touched) if room]
    main = {f"tests/{'/'.join(room)}/test_{room[-1]}.py" for room in rooms}
    found = {ALWAYS}
    for path in (ROOT / "tests").rglob("test_*.py"):
        file = path.relative_to(ROOT).as_posix()
        if file in {*files, *main} or file.startswith(folders) or imports(file) & touched:
            found.add(file)
    return sorted(found)


def _reads(module: str, files: list[str]) -> bool:
    """Return whether a module names one of some JSON files beside it."""
    beside = [Path(file) for file in files if file.endswith(".json")]
    names = [path.name for path in beside if path.parent == Path(module).parent]
    return bool(names) and any(name in (ROOT / module).read_text("utf-8") for name in names)


def _room(module: str) -> list[str]:
    """Return the folders of a module's room. Each environment is a room."""
    package, *names = module.split(".")
    if package != "textgym":
        return []
    return names[:2] if names[:1] == ["envs"] else names[:1]


def main() -> None:
    """Print a line for each test file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("base", nargs="?", default="HEAD", help="a commit or branch")
    print("\n".join(affected_tests(changed_files(parser.parse_args().base))))


if __name__ == "__main__":
    main()
