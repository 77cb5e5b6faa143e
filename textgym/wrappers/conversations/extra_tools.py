"""`ExtraTools`: functions and sessions that the model may call besides the environment's own tools.

Invariant: a session is always what the calls in `state` made of it.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textgym.errors import EnvironmentFailure, UsageError
from textgym.layers import counting_layers, graded_cut
from textgym.messages import Message, tool_result
from textgym.names import import_object
from textgym.spaces import MAX_CALLS, read_action
from textgym.tools import NOT_RUN, Toolbox, methods_of_tools, tool
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import OwnConversation
from textgym.wrappers.conversations.calculator import calculator
from textgym.wrappers.conversations.python_tool import PythonTool

__all__ = ["ExtraTools"]


MAX_TURNS = 20


class ExtraTools(OwnConversation):
    """Offers functions as tools, even in environments that have no tools.

    The environment does not see calls of these functions: it gets a message only if the message
    calls one of its own tools, or no tool. So a single-turn environment still ends at the first
    message without calls. At `max_turns`, calls are not run, and the message is graded without
    calls of the functions.

    A tool that remembers is a class whose methods are marked with `textgym.tools.tool`, such as
    `PythonTool`. Each episode has an instance of its own, a session. Its state is saved as its
    calls, and restored by making them again, so they must have the same effects again. A session
    may have `close()`, and `is_new`, which is True while no call has changed it.

    Args:
        env: The environment.
        tools: The functions, with type hints and docstrings as in `textgym.tools.tool`: each is a
            function, which may be `async`, a class as above, a string `module:name`, or
            `calculator` or `python`. A spec with a function or class cannot be saved as JSON.
        max_turns: The maximum number of assistant messages; None for 20, or more if the environment
            has more.

    Raises:
        UsageError: A function cannot be a tool, or has the name of another tool.
        ExtraMissingError: `python` is among the tools, and no sandbox runs here.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> from textgym.wrappers import ExtraTools
        >>> env = ExtraTools(gymnasium.make("textgym/Math-v0"), tools=["calculator"])
        >>> observation, info = env.reset(seed=1)
        >>> [schema["function"]["name"] for schema in info["tools"]]
        ['calculator']
        >>> observation, *_ = env.step(assistant_calls(("calculator", {"expression": "7 * 6"})))
        >>> observation[-1]["content"]
        '42'
        >>> env.step(env.unwrapped.solve())[1]
        1.0
    """

    blocking_reset = False

    def __init__(
        self,
        env: MessageEnv,
        *,
        tools: Sequence[str | Callable[..., Any]],
        max_turns: int | None = None,
    ) -> None:
        super().__init__(env, tools=tools, max_turns=max_turns)
        if isinstance(tools, str) or not isinstance(tools, Sequence) or not tools:
            raise UsageError(f"ExtraTools: tools must be a list of functions, not {tools!r:.100}")
        self._functions: tuple[Any, ...] = tuple(map(_function, tools))
        self._names = frozenset(self._toolbox.tools)
        if len(self._names) < sum(len(_names_of(function)) for function in self._functions):
            raise UsageError("ExtraTools: two of the tools have the same name")
        self._sessions: dict[Any, Any] = {
            cls: cls() for cls in self._functions if inspect.isclass(cls)
        }
        self._made: list[Any] | None = []  # the calls that the sessions had; None if not known
        self.blocking = bool(self._sessions) or any(
            map(inspect.iscoroutinefunction, self._functions)
        )
        most = max([MAX_TURNS, *(layer.max_turns for layer in counting_layers(env)[:1])])
        self.max_turns = most if max_turns is None else max_turns
        check_count(self, "max_turns", self.max_turns)

    @property
    def _toolbox(self) -> Toolbox:
        return _toolbox_of(self._functions)

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {**super().begin(), "offered": [], "calls": []}

    @property
    def sandbox(self) -> str | None:
        """The kind of sandbox of a session; None if no session has one."""
        kinds = (getattr(session, "sandbox", None) for session in self._sessions.values())
        return next(filter(None, kinds), None)

    def close(self) -> None:
        """End the sessions, and close the environment."""
        self._restart()
        super().close()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and offer the functions."""
        if self._made != []:
            self._restart()
        observation, info = super().reset(seed=seed, options=options)
        offered = [schema["function"]["name"] for schema in info["tools"]]
        for name in self._names.intersection(offered):
            self._state = None
            raise UsageError(f"ExtraTools: the environment has a tool {name!r} already")
        self.state = {**self.state, "offered": offered}
        return observation, {**info, "tools": [*info["tools"], *self._toolbox.schemas()]}

    def step(self, action: Message | str) -> StepResult:
        """Run the calls of the functions, and step the environment with the rest."""
        message = read_action(action, self.turn)
        calls: Any = message.get("tool_calls") or ()
        env_calls = [call for call in calls if call["function"]["name"] in self.state["offered"]]
        if self.is_last_turn:
            return self._last_step(message, env_calls)
        if len(env_calls) == len(calls):
            return self._step_env(message, message, {})
        made: list[Any] = [*self.state["calls"]]
        results = {
            call["id"]: self._run(call, place, made)
            for place, call in enumerate(calls)
            if call not in env_calls
        }
        if not env_calls:
            return self.shown([message, *_in_order(message, results)], calls=made)
        passed: Message = {**message, "tool_calls": env_calls}
        return self._step_env(message, passed, results, calls=made)

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return what is wrong with the calls of a state; "" if nothing."""
        for call in state["calls"]:
            is_call = isinstance(call, list) and len(call) == 2
            if not is_call or call[0] not in self._names or not isinstance(call[1], str):
                return f"calls must be pairs of a tool's name and its arguments, not {call!r:.100}"
        return super().state_problem(state)

    def _run(self, call: Mapping[str, Any], place: int, made: list[Any]) -> str:
        """Run a call. Calls of sessions are added to those that were made before."""
        function = call["function"]
        if place >= MAX_CALLS:
            return (
                f"Error: the call was not run because a message may have at most {MAX_CALLS} calls"
            )
        if function["name"] not in self._names:
            known = ", ".join([*self.state["offered"], *self._toolbox.tools])
            return f"Error: there is no tool {function['name'][:100]!r}; the tools are: {known}"
        name, arguments = function["name"], function.get("arguments")
        if self._session_of(name) is None:
            return self._toolbox.call(None, name, arguments)
        if self._made != made:  # another state was set, or a step has failed
            self._repeat(made)
        session, self._made = self._session_of(name), None
        text = self._toolbox.call(session, name, arguments)
        made.append([name, arguments if isinstance(arguments, str) else json.dumps(arguments)])
        if _is_new(session):
            made[:] = [call for call in made if self._session_of(call[0]) is not session]
        self._made = [*made]
        return text

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has: sessions of its own, which its next call restores."""
        return {**vars(self), "_sessions": {cls: cls() for cls in self._sessions}, "_made": []}

    def _session_of(self, name: str) -> Any:
        """Return the session that has a tool; None if a function is the tool."""
        owners = (session for cls, session in self._sessions.items() if name in _names_of(cls))
        return next(owners, None)

    def _repeat(self, made: list[Any]) -> None:
        """Make new sessions, and make calls again."""
        self._restart()
        self._made = None
        for name, arguments in made:
            self._toolbox.call(self._session_of(name), name, arguments)
            if _is_new(self._session_of(name)):
                raise EnvironmentFailure(f"the session of the tool {name!r} cannot be restored")

    def _restart(self) -> None:
        """End all sessions, and make new ones."""
        for cls, session in self._sessions.items():
            getattr(session, "close", lambda: None)()
            self._sessions[cls] = cls()
        self._made = []

    def _last_step(self, message: Message, env_calls: list[Any]) -> StepResult:
        """Step the environment for the last time, without calls of the functions."""
        calls: Any = message.get("tool_calls") or ()
        results = {call["id"]: NOT_RUN for call in calls if call not in env_calls}
        passed: Any = {name: value for name, value in message.items() if name != "tool_calls"}
        if env_calls:
            passed["tool_calls"] = env_calls
        with graded_cut(self.env):
            observation, reward, terminated, truncated, info = self._step_env(
                message, passed, results
            )
        if results:
            terminated, truncated, info["stop_reason"] = False, True, "max_turns"
        return observation, reward, terminated, truncated, info

    def _step_env(
        self, message: Message, passed: Message, results: dict[str, str], **changes: Any
    ) -> StepResult:
        """Step the environment with a part of a message, and merge the results of the calls."""
        observation, reward, terminated, truncated, info = self.env.step(passed)
        new = observation[self.state["seen"] :]
        if results:
            env_results = {str(m.get("tool_call_id")): m for m in new if m["role"] == "tool"}
            rest = [m for m in new[1:] if m["role"] != "tool"]
            new = [message, *_in_order(message, results, env_results), *rest]
        changes["seen"] = len(observation)
        return self.shown(new, float(reward), terminated, truncated, info, **changes)


def _in_order(
    message: Message, results: Mapping[str, str], env_results: Mapping[str, Message] | None = None
) -> list[Message]:
    """Return the results of a message's calls, in the order of the calls.

    The environment answers only the calls that it kept, see `TextEnv.max_calls`.
    """
    ids = [str(call["id"]) for call in message["tool_calls"] or ()]
    known = env_results or {}
    dropped = "Error: the call was not run because the message has too many calls"
    return [known.get(id) or tool_result(results.get(id, dropped), id) for id in ids]


def _is_new(session: Any) -> bool:
    return bool(getattr(session, "is_new", False))


def _function(spec: Any) -> Any:
    function: Any = spec
    if isinstance(spec, str):
        function = TOOLS[spec] if spec in TOOLS else import_object(spec)
    if inspect.isclass(function):
        if not methods_of_tools(function):
            raise UsageError(f"ExtraTools: {spec!r:.100} has no method that is marked with @tool")
    elif not inspect.isfunction(function):
        raise UsageError(f"ExtraTools: {spec!r:.100} is not a function with a schema")
    return function


@functools.lru_cache(maxsize=64)
def _names_of(function: Any) -> frozenset[str]:
    """Return the names of the tools of a function or class."""
    return frozenset(_toolbox_of((function,)).tools)


@functools.lru_cache(maxsize=64)
def _toolbox_of(functions: tuple[Callable[..., Any], ...]) -> Toolbox:
    """Return functions as the tools of a class. Their schemas are made once."""
    methods: dict[str, Callable[..., Any]] = {}
    for function in functions:
        if inspect.isclass(function):
            methods |= methods_of_tools(function)
        else:
            methods[function.__name__] = _as_method(function)
    return Toolbox(type("ExtraTools", (), methods))


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(_: object, /, **arguments: Any) -> Any:
        return function(**arguments)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    signature = inspect.signature(function)
    parameters = [own, *signature.parameters.values()]
    method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return method if hasattr(function, "__textgym_tool__") else tool(method)


TOOLS: dict[str, Callable[..., Any]] = {"calculator": calculator, "python": PythonTool}
"""The tools of textgym by name."""
