"""`ExtraTools`: functions that the model may call besides the environment's own tools.

`calculator` is such a function. Invariant: it evaluates any expression in bounded time and memory.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textgym.errors import ToolError, UsageError
from textgym.layers import counting_layers, graded_cut
from textgym.messages import Message, tool_result
from textgym.names import import_object
from textgym.spaces import MAX_CALLS, read_action
from textgym.tools import Toolbox, tool
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import OwnConversation

__all__ = ["ExtraTools", "calculator"]


MAX_TURNS = 20


class ExtraTools(OwnConversation):
    """Offers functions as tools, also in environments that have no tools.

    The environment does not see calls of these functions: it gets a message only if the message
    calls one of its own tools, or no tool. So a single-turn environment still ends at the first
    message without calls. At `max_turns`, calls are not run, and the message is graded without
    calls of the functions.

    Args:
        env: The environment.
        tools: The functions, with type hints and docstrings as in `textgym.tools.tool`: each is a
            function, which may be `async`, a string `module:function`, or `calculator`. A spec with
            a function cannot be saved as JSON.
        max_turns: The maximum number of assistant messages; None for 20, or more if the environment
            has more.

    Raises:
        UsageError: A function cannot be a tool, or has the name of another tool.

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
        self._functions = tuple(map(_function, tools))
        if len(self._toolbox.tools) < len(tools):
            raise UsageError("ExtraTools: two of the tools have the same name")
        self._names = frozenset(self._toolbox.tools)
        self.blocking = any(map(inspect.iscoroutinefunction, self._functions))
        most = max([MAX_TURNS, *(layer.max_turns for layer in counting_layers(env)[:1])])
        self.max_turns = most if max_turns is None else max_turns
        check_count(self, "max_turns", self.max_turns)

    @property
    def _toolbox(self) -> Toolbox:
        return _toolbox_of(self._functions)

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {**super().begin(), "offered": []}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and offer the functions."""
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
        results = {
            call["id"]: self._run(call, place)
            for place, call in enumerate(calls)
            if call not in env_calls
        }
        if not env_calls:
            return self.shown([message, *_in_order(message, results)])
        return self._step_env(message, {**message, "tool_calls": env_calls}, results)

    def _run(self, call: Mapping[str, Any], place: int) -> str:
        function = call["function"]
        if place >= MAX_CALLS:
            return f"Error: not run, because a message may have at most {MAX_CALLS} calls"
        if function["name"] not in self._names:
            known = ", ".join([*self.state["offered"], *self._toolbox.tools])
            return f"Error: there is no tool {function['name'][:100]!r}; the tools are: {known}"
        return self._toolbox.call(None, function["name"], function.get("arguments"))

    def _last_step(self, message: Message, env_calls: list[Any]) -> StepResult:
        """Step the environment for the last time, without calls of the functions."""
        calls: Any = message.get("tool_calls") or ()
        results = {
            call["id"]: "Error: not run, because the episode has ended"
            for call in calls
            if call not in env_calls
        }
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

    def _step_env(self, message: Message, passed: Message, results: dict[str, str]) -> StepResult:
        """Step the environment with a part of a message, and merge the results of the calls."""
        observation, reward, terminated, truncated, info = self.env.step(passed)
        new = observation[self.state["seen"] :]
        if results:
            env_results = {str(m.get("tool_call_id")): m for m in new if m["role"] == "tool"}
            rest = [m for m in new[1:] if m["role"] != "tool"]
            new = [message, *_in_order(message, results, env_results), *rest]
        return self.shown(new, float(reward), terminated, truncated, info, seen=len(observation))


def _in_order(
    message: Message, results: Mapping[str, str], env_results: Mapping[str, Message] | None = None
) -> list[Message]:
    """Return the results of a message's calls, in the order of the calls.

    The environment answers only the calls that it kept, see `TextEnv.max_calls`.
    """
    ids = [str(call["id"]) for call in message["tool_calls"] or ()]
    known = env_results or {}
    dropped = "Error: not run, because the message has too many calls"
    return [known.get(id) or tool_result(results.get(id, dropped), id) for id in ids]


def _function(spec: Any) -> Callable[..., Any]:
    function: Any = spec
    if isinstance(spec, str):
        function = TOOLS[spec] if spec in TOOLS else import_object(spec)
    if not inspect.isfunction(function):
        raise UsageError(f"ExtraTools: {spec!r:.100} is not a function with a schema")
    return function


@functools.lru_cache(maxsize=64)
def _toolbox_of(functions: tuple[Callable[..., Any], ...]) -> Toolbox:
    """Return functions as the tools of a class. Their schemas are made once."""
    return Toolbox(type("ExtraTools", (), {f.__name__: _as_method(f) for f in functions}))


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(_: object, /, **arguments: Any) -> Any:
        return function(**arguments)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    signature = inspect.signature(function)
    parameters = [own, *signature.parameters.values()]
    method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return method if hasattr(function, "__textgym_tool__") else tool(method)


Number = int | float
MAX_LENGTH = 500  # characters of an expression
MAX_DIGITS = 100  # to round to
MAX_BITS = 4096  # of a whole number; larger ones are refused
_NAMES = {"pi": math.pi, "e": math.e}


def calculator(expression: str) -> str:
    """Calculate the value of an arithmetic expression.

    Args:
        expression: Numbers, + - * / // % **, parentheses, pi, e, and the functions sqrt, log (one
            or two arguments), exp, sin, cos, tan, abs, round, floor, ceil, min, max, gcd and
            factorial.
    """
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"the expression has over {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return str(_checked(_value(tree.body)))
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError("this is not an arithmetic expression") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ToolError(f"this has no value: {error}") from None


def _value(node: ast.AST) -> Number:
    """Return the value of a node.

    Raises:
        ToolError: It is not arithmetic.
    """
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _checked(node.value)
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _checked(_UNARY[type(node.op)](_value(node.operand)))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _checked(_BINARY[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function:
            return _checked(function(*map(_value, node.args)))
    raise ToolError(f"only arithmetic can be calculated, not {ast.unparse(node)[:50]!r}")


def _checked(value: Any) -> Number:
    """Return a number that is neither complex nor too large."""
    if isinstance(value, complex):
        raise ToolError("the result is not a real number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ToolError("a number is too large")
    number: Number = value
    return number


def _power(base: Number, exponent: Number) -> Any:
    both_whole = isinstance(base, int) and isinstance(exponent, int)
    if both_whole and int(base).bit_length() * abs(exponent) > MAX_BITS:
        raise ToolError("a number is too large")
    return base**exponent


def _factorial(number: Number) -> int:
    if number > 400:  # factorial(400) has 2,887 bits
        raise ToolError("a number is too large")
    return math.factorial(number)  # type: ignore[arg-type]  # a float raises a TypeError


def _round(number: Number, digits: int | None = None) -> Number:
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise ToolError(f"numbers are rounded to at most {MAX_DIGITS} digits")
    return round(number, digits)


_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "cos": math.cos,
    "exp": math.exp,
    "factorial": _factorial,
    "floor": math.floor,
    "gcd": math.gcd,
    "log": math.log,
    "max": max,
    "min": min,
    "round": _round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}

TOOLS: dict[str, Callable[..., Any]] = {"calculator": calculator}
"""The tools of textgym by name."""
