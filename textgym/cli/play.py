"""`textgym play`: a person plays an episode, in a terminal or through a pipe.

The transcript goes to standard output; hints, input errors and failures go to standard error. If
the input is a pipe, there are no hints and prompts, and the same input gives the same output.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import gymnasium as gym
import typer

from textgym.cli.arguments import (
    DatasetOption,
    EnvArgument,
    LevelOption,
    OwnSettingsOption,
    SplitOption,
    env_arguments,
    read_settings,
)
from textgym.core.text_env import TextEnv
from textgym.display.terminal import Paint, show, wants_colour, wrapped
from textgym.display.transcript import (
    format_answer,
    format_messages,
    format_outcome,
    format_tools,
)
from textgym.errors import (
    BoundaryFailure,
    InvalidActionError,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.messages import Message, ToolSchema, assistant
from textgym.registry import make

__all__ = ["HELP", "play_command", "read_input"]


_HINT = '''\
Each line is a message. A line with only """ begins and ends a longer message.
{tools}/help shows all commands, /quit leaves.'''
_TOOLS_HINT = "/NAME key=value calls a tool. "
_BRIEF_HINT = "/tools shows their arguments, /tools NAME those of one.\n"
MANY_TOOLS = 15  # more are listed without their arguments in a terminal


def play_command(
    id: EnvArgument,
    level: LevelOption = None,
    split: SplitOption = None,
    dataset: DatasetOption = None,
    index: Annotated[
        int | None,
        typer.Option(
            metavar="INDEX", help="Index of the task; 0 by default, or chosen by the seed."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="SEED", help="Seed of the environment, which chooses the task."),
    ] = None,
    settings: OwnSettingsOption = None,
) -> None:
    env = make(id, **env_arguments(split, level, dataset, read_settings(settings or ())))
    with contextlib.closing(env):
        episode = _Episode(env, id, _UserInput())
        try:
            episode.begin(index, seed)
            episode.play()
        except EOFError as error:
            why = str(error) or "end of input"
            episode.user.print_last_note(f"{why}; the episode was not finished")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            episode.user.print_last_note("stopped; the episode was not finished")
            raise typer.Exit(130) from None


class _UserInput:
    """The lines that a person types, and notes to the person.

    Attributes:
        is_terminal: Whether the input is a terminal.
        echoes: Whether the terminal also shows the transcript, so that typed text appears in it.
    """

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()
        self.echoes = self.is_terminal and sys.stdout.isatty()
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
        if self.echoes:
            with contextlib.suppress(ImportError):
                import readline

                readline.parse_and_bind("tab: self-insert")

    def ask(self, prompt: str) -> str:
        """Return one line; the prompt is only shown in a terminal."""
        if self.echoes:
            return input(prompt)
        if self.is_terminal:
            print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def print_note(self, text: str) -> None:
        """Print something that is not part of the transcript; a log gets a prefix."""
        prefix = "" if self.is_terminal else "textgym: "
        show(Paint(wants_colour(sys.stderr))(prefix + text, "dim"), sys.stderr)

    def print_last_note(self, text: str) -> None:
        """Print a note on a new line, as the cursor may be behind a prompt."""
        if self.is_terminal:
            show("", sys.stderr)
        self.print_note(text)


class _Episode:
    """One episode that a person plays."""

    def __init__(self, env: gym.Env[Any, Any], id: str, user: _UserInput) -> None:
        self.env = env
        self.id = id
        self.user = user
        self.colour = wants_colour()
        self.tools: list[Any] = []
        self.shown: list[Message] = []
        self.turn = 0

    def begin(self, index: int | None, seed: int | None) -> None:
        """Reset the environment and show the tools and the prompt."""
        options = None
        if hasattr(self.env.unwrapped, "num_tasks"):
            options = {"index": index or 0} if index is not None or seed is None else None
        elif index is not None:
            raise UsageError(f"{self.id} has no numbered tasks: omit --index")
        try:
            observation, info = self.env.reset(seed=seed, options=options)
        except BoundaryFailure as failure:
            self.user.print_note(f"the episode could not begin: {_describe(failure)}")
            raise typer.Exit(1) from None
        if not _is_conversation(observation):
            kind = type(observation).__name__
            raise UsageError(f"{self.id} cannot be played: its observation is {kind}, not messages")
        self.tools = info.get("tools", [])
        if self.user.is_terminal:
            task = f"{self.id}, task {info['task_id']}" if "task_id" in info else self.id
            self.user.print_note(
                f"{task}\n{_HINT.format(tools=_TOOLS_HINT if self.tools else '')}\n"
            )
        is_brief = self.user.is_terminal and len(self.tools) > MANY_TOOLS
        if self.tools:
            self._show_tools(brief=is_brief)
        if is_brief:
            self.user.print_note(_BRIEF_HINT)
        self._show_new(observation)

    def play(self) -> None:
        """Step the environment until the episode ends, and show the outcome."""
        total, ended = 0.0, False
        while not ended:
            message = self._next_message()
            try:
                observation, reward, terminated, truncated, info = self.env.step(message)
            except InvalidActionError as error:
                self.user.print_note(f"not a valid message: {error}")
                continue
            except BoundaryFailure as failure:
                self.user.print_note(f"the step failed; try again: {_describe(failure)}")
                continue
            self.turn += 1
            total += float(reward)
            ended = bool(terminated or truncated)
            self._show_new(observation)
        info.setdefault("stop_reason", "time" if truncated else "")
        self._print(format_outcome(total, info, colour=self.colour))
        inner = self.env.unwrapped
        if isinstance(inner, TextEnv) and inner.task.answer is not None:
            self._print(format_answer(inner.task.answer, colour=self.colour))

    def _next_message(self) -> Message:
        """Return the next message, after running the commands before it."""
        while True:
            try:
                entered = read_input(self.user.ask, self.tools, self.turn)
            except UsageError as error:
                self.user.print_note(str(error))
                continue
            if isinstance(entered, dict):
                return entered
            if entered == "quit":
                raise EOFError("you left")
            if entered == "help":
                self.user.print_note(HELP)
            elif isinstance(entered, str) and entered.startswith("tools"):
                self._show_tools(entered.removeprefix("tools").strip())
            elif self.user.is_terminal:
                self.user.print_note("an empty line is not a message; /help shows how to play")

    def _show_tools(self, part: str = "", *, brief: bool = False) -> None:
        """Show the tools whose names contain a text."""
        tools = [tool for tool in self.tools if part.lower() in tool["function"]["name"].lower()]
        if tools:
            self._print(format_tools(tools, colour=self.colour, brief=brief) + "\n")
        elif part:
            self.user.print_note(f"no tool has {part!r} in its name")
        else:
            self.user.print_note("there are no tools")

    def _show_new(self, observation: list[Message]) -> None:
        """Show the new messages, except one that was just typed in this terminal."""
        start = len(self.shown) if observation[: len(self.shown)] == self.shown else 0
        new = observation[start:]
        self.shown = list(observation)
        if start and new and new[0]["role"] == "assistant" and self.user.echoes:
            new = new[1:]
            show("")
        if new:
            self._print(format_messages(new, colour=self.colour) + "\n")

    def _print(self, text: str) -> None:
        show(wrapped(text))
        sys.stdout.flush()


def _is_conversation(observation: Any) -> bool:
    return (
        isinstance(observation, list)
        and bool(observation)
        and all(isinstance(item, dict) and "role" in item for item in observation)
    )


def _describe(failure: BoundaryFailure) -> str:
    return f"{failure.boundary}: {type(failure).__name__}: {failure}"


_COMMANDS = ("help", "tools", "quit")
HELP = '''\
a line            your message, as a model would write it
"""               on a line of its own: begin or end a longer message
/NAME key=value   call a tool; quote values with spaces; values may be JSON
/NAME {"key": 1}  call a tool with JSON arguments
/tools            show the tools and their arguments
/tools PART       show the tools with this in their names
/help             show this help
/quit             leave, like Ctrl-D'''

_FENCE = '"""'


def read_input(
    ask: Callable[[str], str], tools: Sequence[ToolSchema], turn: int
) -> Message | str | None:
    """Read the next message or command.

    Args:
        ask: Shows a prompt and returns one line; raises EOFError at the end of the input.
        tools: The available tools.
        turn: How many messages were entered before, for the ids of tool calls.

    Returns:
        A message, a command with its argument, or None for an empty line.

    Raises:
        UsageError: The input cannot be parsed; the message says why.
        EOFError: The input has ended.

    Example:
        >>> tool = {"type": "function", "function": {"name": "look", "parameters": {}}}
        >>> lines = iter(["I say B.", "/look drawer=3", "/quit"])
        >>> read_input(lambda prompt: next(lines), [tool], 0)
        {'role': 'assistant', 'content': 'I say B.'}
        >>> read_input(lambda prompt: next(lines), [tool], 1)["tool_calls"][0]["function"]
        {'name': 'look', 'arguments': '{"drawer": 3}'}
        >>> read_input(lambda prompt: next(lines), [tool], 2)
        'quit'
    """
    line = ask("> ")
    if line.strip() == _FENCE:
        lines = []
        while (line := ask("| ")).strip() != _FENCE:
            lines.append(line)
        return assistant("\n".join(lines))
    if not line.strip():
        return None
    if not line.startswith("/"):
        return assistant(line)
    name, _, rest = line[1:].partition(" ")
    schemas = {tool["function"]["name"]: tool["function"] for tool in tools}
    if name in schemas:
        arguments = _arguments(name, rest.strip(), schemas[name])
        function: Any = {"name": name, "arguments": arguments}
        call: Any = {"id": f"call_{turn}_0", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if name in _COMMANDS:
        return f"tools {rest}".strip() if name == "tools" else name
    hint = did_you_mean(name, [*schemas, *_COMMANDS])
    raise UnknownNameError(
        f"there is no tool or command {name!r}{hint} "
        f"(to send a message that begins with /, put it between two lines of {_FENCE})"
    )


def _arguments(name: str, text: str, function: Mapping[str, Any]) -> str:
    """Return the arguments of a call as JSON, from JSON or from `key=value` pairs."""
    if text.startswith("{"):
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the arguments of {name!r} are not valid JSON: {error}") from None
        return text
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the arguments of {name!r} cannot be parsed: {error}") from None
    properties = (function.get("parameters") or {}).get("properties") or {}
    arguments: dict[str, Any] = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not key:
            raise UsageError(f"arguments of {name!r} must be key=value, not {word!r}")
        if key in arguments:
            raise UsageError(f"argument {key!r} of {name!r} is given twice")
        is_text = (properties.get(key) or {}).get("type") == "string"
        arguments[key] = value
        with contextlib.suppress(ValueError, RecursionError):
            arguments[key] = value if is_text else json.loads(value)
    return json.dumps(arguments, ensure_ascii=False)
