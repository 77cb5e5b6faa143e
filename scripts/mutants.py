"""Measure how many small faults in the package the quick tests notice.

It draws mutants over all rooms of `textgym/`: the same code with one operator, number or condition
changed by cosmic-ray. Each is written into a copy of the last commit, where the quick tests of what
it touches are run (tests_of_change.py). A mutant is killed if a test fails. One that survives is
tried with the slow tests too. The copy is deleted at the end.

    python scripts/mutants.py --count 40 --seed 1
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from tests_of_change import ROOT, affected_tests

QUICK = "not slow and not model and not soak and not vllm and not trainers and not ray"
SLOW = "(slow or model) and not soak and not vllm and not trainers and not ray"
NOTHING_TO_CHANGE = ("__init__.py", "__main__.py", "_version.py")  # only names and strings
LIMITS = {QUICK: 700, SLOW: 3600}  # seconds; tests that take longer are in an endless loop

_FAMILIES: dict[str, list[str]] = {}  # "core/ReplaceBinaryOperator": one for each pair of operators
for _name in operator_names():
    if "Variable" not in _name:  # those need arguments
        _FAMILIES.setdefault(_name.partition("_")[0], []).append(_name)


class Mutant(NamedTuple):
    """A file with one change."""

    file: str
    code: str
    line: int
    before: str
    after: str


def draw(count: int, seed: int) -> Iterator[Mutant]:
    """Yield mutants, one of each room in turn; within a room, files are drawn by their size."""
    rng = random.Random(seed)
    rooms: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "textgym").rglob("*.py")):
        rooms.setdefault(path.relative_to(ROOT / "textgym").parts[0], []).append(path)
    order = [room for room in rooms if room not in NOTHING_TO_CHANGE]
    rng.shuffle(order)
    for number in range(count):
        files = rooms[order[number % len(order)]]
        mutant = None
        while mutant is None:
            (path,) = rng.choices(files, [file.stat().st_size for file in files])
            mutant = mutant_of(path, rng)
        yield mutant


def mutant_of(path: Path, rng: random.Random) -> Mutant | None:
    """Return a random mutant of a file, or None if the draw changes nothing that runs."""
    source = path.read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    family = rng.choice(sorted(_FAMILIES))
    operator: Any = get_operator(rng.choice(_FAMILIES[family]))()
    sites = sum(len(list(operator.mutation_positions(node))) for node in nodes)
    if not sites:
        return None
    code = mutate_code(source, operator, rng.randrange(sites))
    with contextlib.suppress(SyntaxError):  # of a few operators' mutants
        if code is not None and _running(code) != _running(source):
            return _mutant(path, source, code)
    return None


def _mutant(path: Path, source: str, code: str) -> Mutant:
    old, new = source.splitlines(), code.splitlines()
    line = next(n for n, lines in enumerate(zip(old, new, strict=False)) if lines[0] != lines[1])
    file = path.relative_to(ROOT).as_posix()
    return Mutant(file, code, line + 1, old[line].strip(), new[line].strip())


def _running(source: str) -> str:
    """Return the code without annotations, which do not run."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None))
    return ast.dump(tree)


def killed(copy: Path, tests: list[str], marks: str, workers: int) -> bool:
    """Return whether a test fails or the tests do not end."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", str(workers), "-m", marks]
    process = subprocess.Popen(
        [*command, *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(LIMITS[marks])
    except subprocess.TimeoutExpired:
        return True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return code not in (0, 5)  # 5: no test has these marks


def main() -> None:
    """Try mutants, and print a line for each and the shares that were killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="how many mutants (40)")
    parser.add_argument("--seed", type=int, default=0, help="draws other mutants")
    parser.add_argument("--workers", type=int, default=2, help="processes that run tests")
    given = parser.parse_args()
    outcomes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        (Path(folder) / "shared").symlink_to(ROOT.parent / "shared")
        for mutant in draw(given.count, given.seed):
            started = time.monotonic()
            original = (copy / mutant.file).read_text(encoding="utf-8")
            (copy / mutant.file).write_text(mutant.code, encoding="utf-8")
            room = mutant.file.replace("textgym/", "tests/").split("/")[:2]
            tests = sorted(
                affected_tests([mutant.file]), key=lambda test: test.split("/")[:2] != room
            )
            outcome = "survived"
            if killed(copy, tests, QUICK, given.workers):
                outcome = "killed"
            elif killed(copy, tests, SLOW, given.workers):
                outcome = "killed by slow tests"
            (copy / mutant.file).write_text(original, encoding="utf-8")
            outcomes.append(outcome)
            print(
                f"{outcome:20} {time.monotonic() - started:4.0f} s  {mutant.file}:{mutant.line}\n"
                f"    - {mutant.before}\n    + {mutant.after}",
                flush=True,
            )
    quick = outcomes.count("killed")
    print(f"killed by the quick tests: {quick} of {len(outcomes)} ({quick / len(outcomes):.0%})")
    print(f"survived the slow tests too: {outcomes.count('survived')}")


if __name__ == "__main__":
    main()
