"""Registering environments, and the names by which they are found."""

from __future__ import annotations

import dataclasses
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AutoresetMode
from in_process import run_command

import textgym
from textgym.envs.guess_number import GuessNumber
from textgym.errors import UnknownNameError, UsageError
from textgym.provenance import import_source
from textgym.registry import (
    environment_class,
    import_environments,
    is_registered,
    make,
    register_installed,
    registered_envs,
    registered_id,
    takes_argument,
    with_registered_ids,
)

MODULE = """
import dataclasses
from textgym.envs.guess_number import GuessNumber


class Guess(GuessNumber):
    card = dataclasses.replace(GuessNumber.card, id="{id}")
"""
LOCAL_CARD = dataclasses.replace(GuessNumber.card, id="demo/Local-v0")

Write = Callable[..., str]


@pytest.fixture(autouse=True)
def clean_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known, loaded = dict(gym.registry), set(sys.modules)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    gym.registry.clear()
    gym.registry.update(known)
    for name in set(sys.modules) - loaded:
        if name.startswith("own_"):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a module that can be imported, with a class `Guess`, and returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name: str = "own_envs", id: str = "demo/Own-v0", more: str = "") -> str:
        (tmp_path / f"{name}.py").write_text(MODULE.format(id=id) + more)
        return name

    return write


class Local(GuessNumber):
    """A class of this module."""

    card = LOCAL_CARD


# register


def test_a_registered_class_gets_the_id_of_its_card() -> None:
    textgym.register(Local)
    assert type(gym.make("demo/Local-v0").unwrapped) is Local
    assert "demo/Local-v0" in textgym.ids()
    assert textgym.card("demo/Local-v0") is textgym.card(Local) is LOCAL_CARD


def test_a_class_can_be_registered_with_further_arguments() -> None:
    textgym.register(Local, kwargs={"level": 2})
    assert gym.make("demo/Local-v0").unwrapped.level == 2


def test_the_spec_of_a_registered_class_can_be_saved() -> None:
    textgym.register(Local)
    assert f"{__name__}:Local" in gym.make("demo/Local-v0").spec.to_json()


def test_a_registered_class_has_textgyms_vector_and_its_autoreset_mode() -> None:
    textgym.register(Local)
    envs = gym.make_vec("demo/Local-v0", num_envs=2)
    assert type(envs) is textgym.TextVectorEnv
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs = gym.make_vec("demo/Local-v0", num_envs=2, autoreset_mode="Disabled")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED


def test_registering_after_gymnasium_gives_textgyms_vector() -> None:
    gym.register("demo/Local-v0", Local)
    textgym.register(Local)
    assert type(gym.make_vec("demo/Local-v0", num_envs=2)) is textgym.TextVectorEnv


def test_a_class_that_is_defined_again_replaces_the_older_one() -> None:
    def define() -> Any:
        class Again(GuessNumber):
            card = LOCAL_CARD

        return Again

    first, second = define(), define()
    textgym.register(first)
    textgym.register(second)
    assert type(gym.make("demo/Local-v0").unwrapped) is second


def test_the_id_of_another_class_is_refused() -> None:
    class Other(Local):
        pass

    textgym.register(Local)
    with pytest.raises(UsageError, match="is test_registry:Local: give its card another id"):
        textgym.register(Other)


def test_what_is_not_a_text_env_is_refused() -> None:
    with pytest.raises(UsageError, match="'dict' is not a TextEnv class"):
        textgym.register(dict)  # type: ignore[type-var]


def test_an_id_without_a_class_is_refused() -> None:
    with pytest.raises(UsageError, match="needs the class of 'demo/X-v0'"):
        textgym.register("demo/X-v0")


# Names


@pytest.mark.parametrize("id", ["Shop", "my/Shop", "Shop-v0", "my/Shop-v", ""])
def test_id_without_namespace_or_version_is_refused(id: str) -> None:
    with pytest.raises(UsageError, match="an id must have a namespace and a version"):
        textgym.register(id, GuessNumber)
    assert id not in gym.registry


def test_every_name_of_an_environment_leads_to_the_same_id(write: Write) -> None:
    module = write(more="import textgym\ntextgym.register(Guess)\n")
    cls = environment_class(f"{module}:Guess")
    names: list[Any] = ["demo/Own-v0", f"{module}:demo/Own-v0", f"{module}:Guess", cls]
    assert {registered_id(name) for name in names} == {"demo/Own-v0"}
    assert {textgym.card(name).id for name in names} == {"demo/Own-v0"}
    assert {type(make(name).unwrapped) for name in names[:3]} == {cls}


def test_a_class_that_its_module_does_not_register_is_registered(write: Write) -> None:
    module = write()
    assert make(f"{module}:Guess", level=2).spec.id == "demo/Own-v0"
    assert is_registered("demo/Own-v0")


def test_what_gymnasium_registered_keeps_its_arguments(write: Write) -> None:
    module = write(
        more='import gymnasium\ngymnasium.register("demo/Own-v0", Guess, max_episode_steps=3)'
    )
    assert make(f"{module}:Guess").spec.max_episode_steps == 3
    assert textgym.card("demo/Own-v0").id == "demo/Own-v0"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("textgym/MCQB-v0", "no environment 'textgym/MCQB-v0'; did you mean 'textgym/MCQA-v0'"),
        ("textgym/MCQA", "no environment 'textgym/MCQA'; did you mean 'textgym/MCQA-v0'"),
        ("textgym:textgym/MCQB-v0", "did you mean 'textgym/MCQA-v0'"),
        ("own_missing:Guess", "there is no module 'own_missing'"),
        ("own_missing.part:Guess", "there is no module 'own_missing.part'"),
        ("own_envs:Gess", "'own_envs' has no TextEnv class 'Gess'; did you mean 'Guess'"),
        ("own_envs:dataclasses", "'own_envs' has no TextEnv class 'dataclasses'"),
        ("own_broken:Guess", "cannot import module 'own_broken': ZeroDivisionError"),
        ("own_needs:Guess", "cannot import module 'own_needs': ModuleNotFoundError: No module"),
        ("CartPole-v0", "there is no environment"),
        ("a b", "there is no environment 'a b'"),
    ],
)
def test_a_wrong_name_is_one_line_without_a_warning(
    write: Write, recwarn: pytest.WarningsRecorder, name: str, message: str
) -> None:
    write()
    write("own_broken", more="1 / 0")
    write("own_needs", more="import own_nothing")
    del gym.registry["CartPole-v0"]
    with pytest.raises(UsageError, match=message) as caught:
        make(name)
    assert "\n" not in str(caught.value)
    assert not recwarn.list


def test_a_module_without_environments_says_so(write: Write) -> None:
    with pytest.raises(UnknownNameError, match="has no TextEnv class 'Guess'; it defines none"):
        registered_id("colorsys:Guess")


def test_the_card_of_an_environment_that_is_not_a_text_env_is_refused() -> None:
    with pytest.raises(UsageError, match="is not a TextEnv class"):
        textgym.card("CartPole-v1")


def test_an_unknown_argument_is_reported_without_the_others() -> None:
    rows = [{"question": "x" * 1000, "options": {"A": "1", "B": "2"}, "answer": "A"}] * 99
    with pytest.raises(UnknownNameError, match="has no argument 'lvl'; did you mean") as caught:
        make("textgym/MCQA-v0", dataset=rows, lvl=2)
    assert len("".join(traceback.format_exception(caught.value))) < 10_000


def test_arguments_that_a_constructor_does_not_pass_on_are_not_taken() -> None:
    class Narrow(GuessNumber):
        card = LOCAL_CARD

        def __init__(self, *, hint: str = "") -> None:
            super().__init__()

    textgym.register(Narrow)
    assert takes_argument("demo/Local-v0", "hint")
    assert not takes_argument("demo/Local-v0", "split")


def test_names_in_mappings_become_ids_and_others_stay() -> None:
    given = {"textgym.envs.guess_number:GuessNumber": 1, "level": 2, "textgym/Math-v0": 3}
    assert list(with_registered_ids(given)) == [
        "textgym/GuessNumber-v0",
        "level",
        "textgym/Math-v0",
    ]


def test_a_class_in_a_mixture_is_refused() -> None:
    with pytest.raises(UsageError, match="by texts, as 'module:Class', not by <class"):
        textgym.rollout({GuessNumber: 1.0}, "random", episodes=1)


def test_two_names_of_one_environment_are_refused() -> None:
    with pytest.raises(UsageError, match="'textgym/MCQA-v0' is listed twice"):
        registered_envs({"textgym/MCQA-v0": 1.0, "textgym:textgym/MCQA-v0": 1.0})


def test_functions_that_make_an_environment_stay() -> None:
    class Variant(Local):
        pass

    textgym.register(Local)
    assert registered_envs(Local) == "demo/Local-v0"
    assert registered_envs(Variant) is Variant  # its id is that of Local
    assert registered_envs(gym.Env) is gym.Env


# What another process imports


def test_environments_of_textgym_need_no_import() -> None:
    assert import_source(gym.make("textgym/MCQA-v0")) is None
    assert import_source(gym.make("CartPole-v1")) is None


def test_the_class_of_an_environment_is_what_is_imported() -> None:
    assert import_source(Local()) == f"{__name__}:Local"
    textgym.register(Local)
    assert import_source(gym.make("demo/Local-v0")) == f"{__name__}:Local"


def test_a_wrapper_around_an_environment_without_an_id_cannot_be_imported() -> None:
    assert import_source(gym.wrappers.TimeLimit(Local(), 3)) is None


def test_a_spec_without_an_entry_point_leaves_the_class() -> None:
    class Bare(gym.Env[Any, Any]):
        spec = gym.envs.registration.EnvSpec("demo/Bare-v0")

    assert import_source(Bare()) is None
    env = Local()
    env.spec = Bare.spec
    assert import_source(env) == f"{__name__}:Local"


def test_a_class_in_a_function_cannot_be_imported() -> None:
    class Hidden(Local):
        pass

    assert import_source(Hidden()) is None


@pytest.mark.parametrize(
    ("file", "source"), [("somewhere/own_script.py", "own_script:Scripted"), (None, None)]
)
def test_the_class_of_a_script_is_imported_by_the_name_of_its_file(
    monkeypatch: pytest.MonkeyPatch, file: str | None, source: str | None
) -> None:
    main = types.ModuleType("__main__")
    main.__file__ = file
    monkeypatch.setitem(sys.modules, "__main__", main)
    Scripted = type("Scripted", (Local,), {"__module__": "__main__"})
    main.Scripted = Scripted  # type: ignore[attr-defined]
    assert import_source(Scripted()) == source


def test_a_stored_import_registers_the_environment(write: Write) -> None:
    import_environments({"demo/Own-v0": f"{write()}:Guess"})
    assert textgym.card("demo/Own-v0").id == "demo/Own-v0"
    import_environments({"demo/Own-v0": "own_missing:Guess"})  # it is registered already


def test_a_registered_environment_does_not_keep_later_ones_from_being_imported(
    write: Write,
) -> None:
    import_environments({"textgym/MCQA-v0": "anything", "demo/Own-v0": f"{write()}:Guess"})
    assert is_registered("demo/Own-v0")


def test_a_stored_import_that_is_gone_names_the_environment() -> None:
    with pytest.raises(UsageError, match="demo/Own-v0 of the run cannot be imported: there is no"):
        import_environments({"demo/Own-v0": "own_missing:Guess"})


@pytest.mark.parametrize("odd", [None, 5, [], "x"])
def test_imports_that_are_not_a_dict_are_ignored(odd: Any) -> None:
    import_environments(odd)


# Installed packages


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a package with entry points, and registers what is installed."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, entries: str) -> None:
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[textgym.environments]\n{entries}\n")
        register_installed()

    return install


def test_environments_of_installed_packages_are_registered_and_not_imported(
    write: Write, install: Callable[..., None]
) -> None:
    write("own_pkg", "own_pkg/Own-v0")
    install("own_pkg", "own_pkg/Own-v0 = own_pkg:Guess")
    assert "own_pkg/Own-v0" in textgym.ids()
    assert "own_pkg" not in sys.modules
    assert type(gym.make("own_pkg/Own-v0").unwrapped).__name__ == "Guess"
    assert registered_id("own_pkg") == registered_id("own_pkg:Guess") == "own_pkg/Own-v0"
    assert type(gym.make_vec("own_pkg/Own-v0", num_envs=2)) is textgym.TextVectorEnv


def test_a_package_that_registers_its_class_itself_may_be_installed(
    write: Write, install: Callable[..., None], recwarn: pytest.WarningsRecorder
) -> None:
    install("own_pkg", "own_pkg/Own-v0 = own_pkg:Guess")
    write("own_pkg", "own_pkg/Own-v0", "\n\nimport textgym\ntextgym.register(Guess)\n")
    assert gym.make("own_pkg:own_pkg/Own-v0").spec.entry_point == "own_pkg:Guess"
    assert list(recwarn) == []


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("textgym/MCQA-v0 = own_pkg:Guess", "another package has an environment with this id"),
        ("own_pkg/Own-v0 = own_pkg", "it must name a class as 'module:Class', not 'own_pkg'"),
        ("Own = own_pkg:Guess", "an id must have a namespace and a version, such as 'my/Shop-v0'"),
    ],
)
def test_an_entry_that_cannot_be_registered_is_left_out_with_one_line(
    entry: str, problem: str, install: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    known = dict(gym.registry)
    install("own_pkg", f"{entry}\nown_pkg/Other-v0 = own_pkg:Other")
    assert set(gym.registry) - set(known) == {"own_pkg/Other-v0"}
    assert all(gym.registry[id] is spec for id, spec in known.items())
    (line,) = caplog.messages
    assert line.startswith(
        f"{entry.split(' =')[0]!r} of the package own_pkg is left out: {problem}"
    )


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("raise RuntimeError('broken')", "cannot import module 'own_pkg': RuntimeError: broken"),
        ("import nowhere", "cannot import module 'own_pkg': ModuleNotFoundError: No module named"),
        ("(", "cannot import module 'own_pkg': SyntaxError: '(' was never closed"),
        ("Gues = 1", "'own_pkg' has no 'Guess'"),
    ],
)
def test_a_broken_package_is_one_line(
    code: str, problem: str, tmp_path: Path, install: Callable[..., None]
) -> None:
    (tmp_path / "own_pkg.py").write_text(code)
    install("own_pkg", "own_pkg/Own-v0 = own_pkg:Guess")
    done = run_command(tmp_path, "list", "domain=logic")
    assert (done.returncode, "textgym/MCQA-v0" in done.stdout) == (0, True)
    assert done.stderr.startswith(f"own_pkg/Own-v0 cannot be used: {problem}")
    assert done.stderr.count("\n") == 1
    for arguments in (["eval", "--policy", "oracle", "--episodes", "1"], ["show"], ["check"]):
        done = run_command(tmp_path, arguments[0], "own_pkg/Own-v0", *arguments[1:])
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_namespace_with_several_environments_needs_an_id(write: Write) -> None:
    with pytest.raises(UnknownNameError, match="no environment '__main__'"):
        registered_id("__main__")
    with pytest.raises(UnknownNameError, match=r"'textgym' has several environments: textgym/Ask"):
        registered_id("textgym")
    write("own_pkg", "own_pkg/Own-v0", "\n\nimport textgym\ntextgym.register(Guess)\n")
    assert registered_id("own_pkg") == "own_pkg/Own-v0"


@pytest.mark.parametrize("path", ["own_envs.py", "./own_envs.py"])
def test_a_file_suggests_a_class_in_it(path: str, write: Write) -> None:
    write("own_envs")
    match = f"no environment '{path}': name a class in it, as own_envs:Class$"
    with pytest.raises(UnknownNameError, match=match):
        registered_id(path)
    with pytest.raises(UnknownNameError, match=r"no module '.*'; did you mean 'own_envs'\?$"):
        registered_id(f"{path}:Guess")
