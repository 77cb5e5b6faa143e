"""Build the wheel and the sdist, install each, and use them as a stranger would.

`make test-package` runs this. In a new environment outside the repository, `stranger.py` runs, mypy
and pyright accept it under their strict and standard rules, and README's commands lead from the
wheel to a report, with a local server in place of a model.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "package"
BUILD_SDIST = "from setuptools import build_meta; build_meta.build_sdist({!r})"
PROMISED = "openai:MODEL@http://127.0.0.1:8000/v1"  # the policy that README names
EPISODES = 102

sys.path.insert(0, str(ROOT / "tests" / "support"))
chat_server = importlib.import_module("chat_server")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return its output, which is printed if the command fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def new_environment(archive: Path) -> tuple[Path, Path]:
    """Return the interpreter of a new environment, and an empty folder beside it."""
    place = BUILD / archive.suffix.lstrip(".")
    folder = place / "elsewhere"
    folder.mkdir(parents=True)
    venv.create(place / "venv", with_pip=True)
    return place / "venv" / "bin" / "python", folder


def check_stranger(python: Path, folder: Path) -> None:
    """Run a program of a user, and check its types against the installed package."""
    stranger = folder / "stranger.py"
    shutil.copy(ROOT / "scripts" / "stranger.py", stranger)
    print(run(python, stranger, cwd=folder).strip())
    tools = Path(sys.executable).parent
    checkers: dict[str, tuple[str | Path, ...]] = {
        "mypy": ("--strict", "--python-executable", python),
        "basedpyright": ("--level", "error", "--pythonpath", python),
    }
    for name, options in checkers.items():
        print(f"{name}: {run(tools / name, *options, stranger, cwd=folder).strip()}")


def check_commands(python: Path, wheel: Path, folder: Path) -> None:
    """Run the commands of README, from the installation to a report."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    (block,) = (text for text in blocks if PROMISED in text)
    install, *commands = block.splitlines()
    assert install == f"pip install '{wheel.name}[http]'", install
    run(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", f"{wheel}[http]")
    replies = [chat_server.answer("The answer is \\boxed{B}.")]
    with chat_server.ChatServer(replies) as server:
        for command in commands:
            program, *words = shlex.split(command.replace(PROMISED, f"openai:m@{server.url}"))
            print(f"$ {command}\n{run(python.parent / program, *words, cwd=folder)[:2000]}")
        assert len(server.requests) >= EPISODES, len(server.requests)
    assert "<html" in (folder / "runs" / "first" / "report.html").read_text()


def main() -> None:
    """Check both archives."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", BUILD, ROOT)
    run(sys.executable, "-c", BUILD_SDIST.format(str(BUILD)))
    (wheel,), (sdist,) = BUILD.glob("*.whl"), BUILD.glob("*.tar.gz")
    python, folder = new_environment(wheel)
    check_commands(python, wheel, folder)
    check_stranger(python, folder)
    python, folder = new_environment(sdist)
    run(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", sdist)
    print(f"{sdist.name}: {run(python, '-m', 'textgym', '--version', cwd=folder).strip()}")


if __name__ == "__main__":
    main()
