"""Importing is light, and modules import only from their own floor and the floors below."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repository import DOCS

import textgym

sys.path.append(str(DOCS))

from make_architecture import (
    DRAWING,
    FLOORS,
    drawing,
    imports_in,
    imports_of,
    modules,
    room_imports,
)

PACKAGE = Path(textgym.__file__).parent
HEAVY = (
    "torch", "transformers", "datasets", "vllm", "sympy", "math_verify", "openai", "aiohttp",
    "pandas", "pyarrow", "pydantic", "typer", "rich", "jsonschema", "hypothesis",
    "regex",
)  # fmt: skip
FLOOR_OF = {name: floor for floor, names in FLOORS.items() for name in names}


def run(code: str) -> str:
    """Run code in a new process, outside of the repository."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=PACKAGE.anchor,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_textgym_imports_nothing_heavy() -> None:
    loaded = run("import textgym, sys; print(*{name.split('.')[0] for name in sys.modules})")
    assert "textgym" in loaded.split()
    assert set(loaded.split()) & set(HEAVY) == set()


LOADED = "print('loaded', *sorted(name for name in sys.modules if name.startswith('textgym')))"
REGISTRATION = {"textgym", "textgym._version", "textgym.core", "textgym.core.card", "textgym.envs",
                "textgym.errors", "textgym.integrations", "textgym.integrations.nemo_gym",
                "textgym.integrations.reasoning_gym", "textgym.integrations.textarena",
                "textgym.names", "textgym.registry"}  # fmt: skip
COMMAND = {*REGISTRATION, "textgym.cli", "textgym.cli.main"}
LISTING = {"textgym.cli.arguments", "textgym.cli.output", "textgym.cli.output.terminal",
           "textgym.cli.show", "textgym.display", "textgym.display.terminal"}  # fmt: skip


def test_importing_textgym_imports_what_registration_needs_and_no_environment() -> None:
    code = (
        "import gymnasium, sys\n"
        "before = set(sys.modules)\n"
        "import textgym\n"
        "print(*set(sys.modules) - before)"
    )
    assert set(run(code).split()) == REGISTRATION | {"lazy_loader"}


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--help"], set()),
        (["list"], LISTING),
        (["list", "domain=logic"], LISTING),
    ],
)
def test_a_command_imports_only_its_own_modules(arguments: list[str], more: set[str]) -> None:
    code = (
        f"import sys\nsys.argv[1:] = {arguments}\n"
        "from textgym.cli import main\n"
        f"try:\n    main()\nexcept SystemExit:\n    {LOADED}\n"
    )
    *printed, loaded = run(code).splitlines()
    assert printed
    assert set(loaded.split()[1:]) == COMMAND | more


@pytest.mark.parametrize("id", ["textgym/MCQA-v0", "textgym/Math-v0"])
def test_playing_generated_tasks_imports_nothing_heavy(id: str) -> None:
    code = (
        "import gymnasium, textgym, sys\n"
        f"env = gymnasium.make('{id}')\n"
        "env.reset(seed=1); env.step('x')\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    assert set(run(code).split()) & set(HEAVY) == set()


def test_an_id_with_prefix_needs_no_import_of_textgym() -> None:
    code = (
        "import gymnasium\n"
        "env = gymnasium.make('textgym:textgym/MCQA-v0')\n"
        "print(env.reset(seed=1)[0][0]['role'])"
    )
    assert run(code) == "user\n"


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(textgym, name) is not None for name in textgym.__all__)
    assert set(textgym.__all__) <= set(dir(textgym))


@pytest.mark.parametrize("module", ["errors", "verifiers"])
def test_the_vocabulary_of_a_module_can_be_imported_from_textgym(module: str) -> None:
    source = getattr(textgym, module)
    words = {name for name in source.__all__ if not name.islower() or module == "verifiers"}
    assert {getattr(textgym, name) for name in words} == {getattr(source, name) for name in words}


def test_importing_on_another_system_fails_with_one_sentence() -> None:
    code = (
        "import importlib.util, os\n"
        "spec = importlib.util.find_spec('textgym')\n"  # finding it needs the real name
        "os.name = 'nt'\n"
        "try:\n    spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        "except ImportError as error:\n    print(error)"
    )
    assert run(code) == "textgym needs a POSIX system, such as Linux, macOS or WSL on Windows\n"


def test_the_metadata_state_the_system() -> None:
    assert "\n    Operating System :: POSIX\n" in (DOCS.parent / "setup.cfg").read_text()


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        textgym.nothing  # noqa: B018


def floor_of(name: str) -> int:
    """Return the floor of a module; 0 for the package itself, which imports lazily."""
    return 0 if name == "textgym" else FLOOR_OF[name.split(".")[1]]


def test_imports_of_every_form_are_recognised() -> None:
    source = (
        "from __future__ import annotations\n"
        "import os, textgym.layers\n"
        "from textgym import tools\n"
        "from .mcqa_rows import answer_of\n"
        "from ..mcqa import families\n"
        "if TYPE_CHECKING:\n    import textgym.core.card\n"
        "try:\n    import textgym.errors\nexcept ImportError:\n    pass\n"
        "def late():\n    from textgym.rollouts import engine\n"
    )
    seen = imports_in("textgym.envs.mcqa.mcqa_env", source, False, False)
    assert seen == {
        "textgym.layers", "textgym.tools", "textgym.envs.mcqa.mcqa_rows",
        "textgym.envs.mcqa.families", "textgym.core.card", "textgym.errors",
    }  # fmt: skip
    late = imports_in("textgym.envs.mcqa.mcqa_env", source, False, True)
    assert late - seen == {"textgym.rollouts.engine"}
    assert imports_in("textgym.envs.mcqa", "from .mcqa_env import MCQA", True, True) == {
        "textgym.envs.mcqa.mcqa_env"
    }


def test_every_module_has_a_floor() -> None:
    assert [name for name in modules() if name.split(".")[1] not in FLOOR_OF] == []


def test_no_module_imports_from_a_higher_floor() -> None:
    upward = {
        (name, item)
        for name in modules()
        for item in imports_of(name, True)
        if floor_of(item) > floor_of(name)
    }
    assert upward == set()


@pytest.mark.parametrize("of", ["modules", "rooms"])
def test_there_is_no_import_cycle(of: str) -> None:
    graph = {name: imports_of(name, False) & modules().keys() for name in modules()}
    if of == "rooms":
        graph = room_imports()
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for item in sorted(graph[name]):
                visit(item, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())
    assert done == set(graph)


def test_environments_policies_and_rollouts_do_not_import_each_other() -> None:
    apart = {
        "envs": {"policies", "rollouts"},
        "rollouts": {"envs"},
        "policies": {"envs", "core"},
        "core": {"policies"},
    }
    homes = {name: name.split(".")[1] for name in modules()}
    assert apart.keys() <= set(homes.values())
    crossing = {
        (name, item)
        for name, home in homes.items()
        for item in imports_of(name, True) & homes.keys()
        if homes[item] in apart.get(home, set())
    }
    assert crossing == set()


def test_the_drawing_of_the_floors_is_current() -> None:
    assert DRAWING.read_text(encoding="utf-8") == drawing(), "run docs/make_architecture.py"
