"""Build the wheel and the sdist, install each, and use them as a stranger would.

`make test-package` runs this. In a new environment outside the repository, the command prints its
version, `stranger.py` runs, and mypy and pyright accept it under their strict and standard rules.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "package"
STRANGER = ROOT / "scripts" / "stranger.py"
BUILD_SDIST = "from setuptools import build_meta; build_meta.build_sdist({!r})"


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return its output, which is printed if the command fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(archive: Path) -> None:
    """Install an archive in a new environment, and use it in an empty folder."""
    place = BUILD / archive.suffix.lstrip(".")
    folder = place / "elsewhere"
    folder.mkdir(parents=True)
    venv.create(place / "venv", with_pip=True)
    python = place / "venv" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "-q", "-c", constraints, archive)
    version = run(python, "-m", "textgym", "--version", cwd=folder).strip()
    stranger = folder / "stranger.py"
    shutil.copy(STRANGER, stranger)
    print(f"{archive.name}: {version}; {run(python, stranger, cwd=folder).strip()}")
    if archive.suffix == ".whl":
        check_types(python, stranger)


def check_types(python: Path, stranger: Path) -> None:
    """Check a stranger's file against the installed package."""
    tools = Path(sys.executable).parent
    checkers: dict[str, tuple[str | Path, ...]] = {
        "mypy": ("--strict", "--python-executable", python),
        "basedpyright": ("--level", "error", "--pythonpath", python),
    }
    for name, options in checkers.items():
        print(f"{name}: {run(tools / name, *options, stranger, cwd=stranger.parent).strip()}")


def main() -> None:
    """Check both archives."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    options = ("--no-deps", "--no-build-isolation", "-w", BUILD)
    run(sys.executable, "-m", "pip", "wheel", "-q", *options, ROOT)
    run(sys.executable, "-c", BUILD_SDIST.format(str(BUILD)))
    archives = sorted(BUILD.glob("textgym-*"))
    assert [archive.suffix for archive in archives] == [".whl", ".gz"], archives
    for archive in archives:
        check(archive)


if __name__ == "__main__":
    main()
