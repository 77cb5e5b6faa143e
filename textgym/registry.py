"""The registry of textgym environments, on top of Gymnasium's.

`register` registers an environment with Gymnasium; its vector entry point marks it as textgym's.
The module of an environment is imported only when the environment is made or its class is needed;
the card of an environment of this package needs no import.
Wherever an environment is named, the name is an id, `module:ID` or `module:Class`, or the namespace
of a single environment, such as the name of its package; `registered_id` resolves it.

Installed packages list their environments in the entry-point group `textgym.environments`, as
`"my_pkg/Name-v0" = "my_pkg.env:Name"`. They are registered with the others when textgym is
imported, and a package is imported when one of its environments is needed.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import gymnasium as gym

from textgym.core.card import Card, check_id, owns_id, stored_card
from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.names import (
    import_class,
    import_module,
    importable,
    is_place,
    load_creator,
    module_of,
    name_of,
)

if TYPE_CHECKING:
    from textgym.core.text_env import TextEnv

__all__ = [
    "card", "environment_class", "ids", "import_environments", "is_registered", "make",
    "register", "register_dataset", "register_guest", "register_installed", "registered_envs",
    "registered_id", "takes_argument", "with_registered_ids",
]  # fmt: skip

ENTRY_POINTS = "textgym.environments"
"""The entry-point group of installed packages: the id of an environment, and its class."""

T = TypeVar("T")
_VECTORS = "textgym.vector.make"
_guests: dict[str, str] = {}  # the module that each guest needs, by the guest's id


def register(
    id: str | type[TextEnv[Any]], entry_point: str | type[TextEnv[Any]] | None = None, **kwargs: Any
) -> None:
    """Register an environment and its vector with Gymnasium, and list it among textgym's.

    Args:
        id: A class, which gets the id of its card; or an id, with the class as `entry_point`.
        entry_point: The class, or `module:Class`, which is imported when it is first needed.
        **kwargs: Further arguments of `gymnasium.register`.

    Raises:
        UsageError: The id belongs to another class, has no namespace or version, or no class is
            given.

    Example:
        >>> import dataclasses, gymnasium
        >>> from textgym.envs.guess_number import GuessNumber
        >>> class Guess(GuessNumber):
        ...     card = dataclasses.replace(GuessNumber.card, id="demo/Guess-v0")
        >>> register(Guess)
        >>> env = gymnasium.make("demo/Guess-v0")
        >>> envs = gymnasium.make_vec("demo/Guess-v0", num_envs=4, autoreset_mode="Disabled")
    """
    if not isinstance(id, str):
        id, entry_point = _check_class(id).card.id, id
    if entry_point is None:
        raise UsageError(f"register needs the class of {id!r}: register(Class), or its entry_point")
    check_id(id)
    if isinstance(entry_point, type):
        _forget_older(id, entry_point)
        entry_point = importable(entry_point)
    creator: Any = entry_point
    gym.register(id, creator, vector_entry_point=f"{_VECTORS}:{id}", **kwargs)


def register_guest(id: str, entry_point: str, *, module: str) -> None:
    """Register an environment of another package. `ids` lists it if that package is installed.

    Args:
        id: The id.
        entry_point: The class, as `module:Class`.
        module: A module of the other package.
    """
    _guests[id] = module
    register(id, entry_point)


def register_dataset(name: str, env: str, **kwargs: Any) -> None:
    """Register a data set with a name as an environment; `ids` lists it among the guests.

    Args:
        name: The name, which becomes the namespace of the id.
        env: The id of the environment that plays its rows.
        **kwargs: Further arguments of the environment.
    """
    id = f"{name}/{env.partition('/')[2]}"
    _guests[id] = "datasets"
    register(id, cast(str, gym.registry[env].entry_point), kwargs={"dataset": name, **kwargs})


def register_installed() -> None:
    """Register the environments of installed packages, without importing the packages.

    An entry that cannot be registered is logged as a warning, in one line.
    """
    if not _is_installed():
        return
    from importlib import metadata  # takes longer than the rest of `import textgym`

    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            if entry.name in gym.registry:
                raise UsageError("another package has an environment with this id")
            if not is_place(entry.value):
                raise UsageError(f"it must name a class as 'module:Class', not {entry.value!r}")
            register(entry.name, entry.value)
        except UsageError as error:
            import logging

            package = entry.dist.name if entry.dist else "?"
            text = "%r of the package %s is left out: %s"
            logging.getLogger(__name__).warning(text, entry.name, package, error)


def _is_installed() -> bool:
    """Return whether the files of an installed package name the entry-point group."""
    for folder in sys.path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")) and _names_group(entry.path):
                    return True
    return False


def _names_group(folder: str) -> bool:
    with contextlib.suppress(OSError), open(f"{folder}/entry_points.txt", "rb") as file:
        return ENTRY_POINTS.encode() in file.read()
    return False


def ids(*, guests: bool = True) -> list[str]:
    """Return the sorted ids of all registered textgym environments.

    Args:
        guests: Whether guests, the environments of other suites, and data sets with a name are
            among them. Only those whose packages are installed are listed.

    Example:
        >>> "textgym/MCQA-v0" in ids()
        True
    """
    there = {module for module in {*_guests.values()} if guests and _can_be_found(module)}
    return [
        id for id in sorted(gym.registry)
        if is_registered(id) and (id not in _guests or _guests[id] in there)
    ]  # fmt: skip


def _can_be_found(module: str) -> bool:
    import importlib.util  # takes longer than the rest of `import textgym`

    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # the package that it is in
        return False


def is_registered(id: str) -> bool:
    """Return whether an id, with or without the prefix `textgym:`, is in textgym's registry."""
    id = id.removeprefix("textgym:")
    return id in gym.registry and gym.registry[id].vector_entry_point == f"{_VECTORS}:{id}"


def registered_id(env: str | type[TextEnv[Any]]) -> str:
    """Return the id of an environment. A class that is not registered yet is registered.

    Args:
        env: An id, `module:ID`, `module:Class`, a class, or a namespace with one environment,
            which may be a module that registers it.

    Raises:
        UnknownNameError: There is no such environment.
        UsageError: The module cannot be imported, or the id of the class belongs to another class.

    Example:
        >>> registered_id("textgym:textgym/MCQA-v0"), registered_id("textgym.envs.mcqa:MCQA")
        ('textgym/MCQA-v0', 'textgym/MCQA-v0')
    """
    if isinstance(env, str):
        if env in gym.registry:
            return env
        module, _, name = env.rpartition(":")
        if module:
            import_module(module)
        if name in gym.registry:
            return name
        if name.isidentifier() and not module:
            return _only_id(name)
        if not module or not name.replace(".", "").isidentifier():
            hint = did_you_mean(name, ids())
            if env.endswith(".py"):
                hint = f": name a class in it, as {module_of(env)}:Class"
            raise UnknownNameError(f"there is no environment {env!r}{hint}")
        from textgym.core.text_env import TextEnv

        env = import_class(env, TextEnv)
    id = _check_class(env).card.id
    known = gym.registry.get(id)
    if known is None or load_creator(known.entry_point) is not env:
        register(env)
    return id


def registered_envs(envs: Any) -> Any:
    """Return the environments of a rollout, with each name or class replaced by its registered id.

    Args:
        envs: A name or class, as in `registered_id`; a mixture of such names; or a function that
            makes an environment, which is returned unchanged.

    Example:
        >>> from textgym.envs.mcqa import MCQA
        >>> registered_envs(MCQA), registered_envs({"textgym.envs.mcqa:MCQA": 1.0})
        ('textgym/MCQA-v0', {'textgym/MCQA-v0': 1.0})
    """
    if isinstance(envs, Mapping):
        return with_registered_ids(envs)
    return registered_id(envs) if isinstance(envs, str) or owns_id(envs) else envs


def with_registered_ids(values: Mapping[str, T], *, only_envs: bool = False) -> dict[str, T]:
    """Return values by name, with names of environments replaced by registered ids.

    Args:
        values: The values.
        only_envs: Whether all names are environments, as in `registered_id`. Otherwise those with a
            colon are, and others are left as they are.

    Raises:
        UnknownNameError: There is no such environment.
        UsageError: Two names are the same environment, or one is not a text.
    """
    by_id: dict[str, T] = {}
    for name, value in values.items():
        if not isinstance(name, str):
            raise UsageError(f"name environments by texts, as 'module:Class', not by {name!r:.100}")
        id = registered_id(name) if only_envs or ":" in name else name
        if id in by_id:
            raise UsageError(f"{id!r} is listed twice, once as {name!r}")
        by_id[id] = value
    return by_id


def environment_class(env: str | type[TextEnv[Any]]) -> type[TextEnv[Any]]:
    """Return the class of an environment.

    Args:
        env: As in `registered_id`.

    Raises:
        UnknownNameError: There is no such environment.
        UsageError: The environment is not a `TextEnv`.
        ExtraMissingError: The environment needs an optional package that is not installed.
    """
    if isinstance(env, str):
        env = load_creator(gym.registry[registered_id(env)].entry_point)
    return _check_class(env)


def card(env: str | type[TextEnv[Any]]) -> Card:
    """Return the card of an environment.

    Args:
        env: An id, `module:ID`, `module:Class`, or a class.

    Example:
        >>> card("textgym/MCQA-v0").levels
        (1, 2, 3, 4, 5)
    """
    if isinstance(env, str):
        stored = stored_card(gym.registry[registered_id(env)].entry_point)
        if stored is not None:
            return stored
    return environment_class(env).card


def make(id: str, **kwargs: Any) -> gym.Env[Any, Any]:
    """Make an environment with `gymnasium.make`, with one-line errors for user mistakes.

    Args:
        id: Any id of Gymnasium's registry, `module:ID` or `module:Class`.
        **kwargs: As in `gymnasium.make`. A text environment grades the episode that
            `max_episode_steps` cuts. `wrappers` is a list of `textgym.wrappers`, such as
            `["StepPenalty:amount=0.01"]`, the first one innermost.

    Raises:
        UnknownNameError: There is no such environment, argument or wrapper.
        UsageError: The module of the environment cannot be imported, an argument that it requires
            is missing, or a wrapper does not fit it.
    """
    from textgym.layers import grade_at_time_limit

    id, wrappers = registered_id(id), kwargs.pop("wrappers", ())
    load_creator(gym.registry[id].entry_point)
    try:
        env = grade_at_time_limit(gym.make(id, **kwargs))
    except (gym.error.Error, ModuleNotFoundError) as error:
        raise UnknownNameError(f"cannot make {id!r}: {error}") from error
    except TypeError as error:
        # Gymnasium adds all arguments to the message, such as a whole list of rows.
        message = str(error.__cause__ or error)
        if re.search(r"__init__\(\) missing .*argument", message):
            raise UsageError(f"{id!r} cannot be made without its arguments: {message}") from None
        unknown = re.search(r"unexpected keyword argument '(\w+)'", message)
        if unknown is None:
            raise
        hint = did_you_mean(unknown[1], _argument_names(id))
        raise UnknownNameError(f"{id!r} has no argument {unknown[1]!r}{hint}") from None
    if not wrappers:
        return env
    from textgym.wrappers.specs import apply_wrappers

    return apply_wrappers(env, wrappers)


def takes_argument(id: str, name: str) -> bool:
    """Return whether an environment has a keyword argument.

    Example:
        >>> takes_argument("textgym/MCQA-v0", "split"), takes_argument("CartPole-v1", "split")
        (True, False)
    """
    return name in _argument_names(registered_id(id))


def import_environments(sources: Any) -> None:
    """Import the environments of a stored run that are not registered here, and register them.

    Args:
        sources: What to import for each id, from `import_source`, as read from a file. A value that
            is not a dict is ignored.

    Raises:
        UsageError: An environment cannot be imported.
    """
    for id, source in sources.items() if isinstance(sources, dict) else ():
        if id in gym.registry:
            continue
        try:
            import_module(str(source).partition(":")[0])
        except UsageError as error:
            raise UsageError(f"{id} of the run cannot be imported: {error}") from error
        if id not in gym.registry:
            register(id, str(source))


def _only_id(namespace: str) -> str:
    """Return the id of the only environment in a namespace, after importing a module of this name.

    Raises:
        UnknownNameError: There is no such environment, or there are several.
        UsageError: The module cannot be imported.
    """
    known = _ids_in(namespace)
    if not known:
        with contextlib.suppress(UnknownNameError):
            import_module(namespace)
        known = _ids_in(namespace)
    if len(known) > 1:
        raise UnknownNameError(f"{namespace!r} has several environments: {', '.join(known)}")
    if not known:
        from textgym.tasks.named import is_dataset_name, named_dataset

        if is_dataset_name(namespace):
            named_dataset(namespace)  # a variant that does not exist names those that do
        namespaces = {id.partition("/")[0] for id in ids()}
        hint = did_you_mean(namespace, {*ids(), *namespaces})
        raise UnknownNameError(f"there is no environment {namespace!r}{hint}")
    return known[0]


def _ids_in(namespace: str) -> list[str]:
    """Return the ids in a namespace, including those whose packages are not installed."""
    known = sorted(id for id in gym.registry if id.startswith(f"{namespace}/"))
    return [id for id in known if is_registered(id)]


def _check_class(cls: Any) -> type[TextEnv[Any]]:
    from textgym.core.text_env import TextEnv

    if isinstance(cls, type) and issubclass(cls, TextEnv):
        return cls
    raise UsageError(f"{getattr(cls, '__name__', cls)!r} is not a TextEnv class")


def _forget_older(id: str, cls: type[TextEnv[Any]]) -> None:
    """Remove an older definition of a class, which a notebook may define many times.

    Raises:
        UsageError: The id belongs to another class.
    """
    if id not in gym.registry:
        return
    if not owns_id(cls):
        known = name_of(load_creator(gym.registry[id].entry_point))
        raise UsageError(
            f"{name_of(cls)} cannot be registered as {id!r}, which is {known}: "
            "give its card another id"
        )
    del gym.registry[id]


def _argument_names(id: str) -> set[str]:
    """Return the names of the arguments of an environment and its base classes."""
    creator = load_creator(gym.registry[id].entry_point)
    if not isinstance(creator, type):
        return set()
    names: set[str] = set()
    for cls in creator.__mro__:
        if "__init__" in vars(cls):
            parameters = inspect.signature(vars(cls)["__init__"]).parameters.values()
            names |= set(_keywords_of(vars(cls)["__init__"]))
            if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
                break
    return names


def _keywords_of(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of a function's keyword arguments, including `**kwargs: Unpack[...]`."""
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            yield parameter.name
        elif parameter.kind is parameter.VAR_KEYWORD and "Unpack[" in str(parameter.annotation):
            hint = typing.get_type_hints(function)[parameter.name]
            yield from typing.get_type_hints(typing.get_args(hint)[0])
