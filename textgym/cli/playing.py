"""`textgym play`: a person plays an environment, in a terminal or through a pipe.

Standard output gets the transcript, standard error all else: hints, slips and failures. From a pipe
there are no hints and no prompts, and the same input gives the same output.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated, Any

import gymnasium as gym
import typer

from textgym.cli.arguments import env_arguments, read_settings
from textgym.cli.typed import HELP, read_typed
from textgym.display.terminal import Paint, show, wants_colour
from textgym.display.transcript import format_messages, format_outcome, format_tools
from textgym.errors import BoundaryFailure, InvalidActionError, UsageError
from textgym.messages import Message
from textgym.registry import make

__all__ = ["play_command"]

_HINT = '''\
A line is your message. """ alone on a line begins a longer one, and ends it.
{tools}/help tells more, /quit leaves.'''
_TOOLS_HINT = "/NAME key=value calls a tool. "


def play_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="The environment's id.")],
    level: Annotated[int | None, typer.Option(help="One level; all if not given.")] = None,
    split: Annotated[str | None, typer.Option(help="train, validation or test.")] = None,
    dataset: Annotated[
        str | None,
        typer.Option(help=".jsonl or .parquet file, or hub id, instead of the generator."),
    ] = None,
    index: Annotated[
        int | None, typer.Option(help="Which task; 0, or the seed's choice, if not given.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the environment.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Argument of the environment: shots=4."),
    ] = None,
) -> None:
    """Play one episode by hand; exits with 1 where it was not finished."""
    env = make(id, **env_arguments(split, level, dataset, read_settings(settings or ())))
    with contextlib.closing(env):
        game = _Game(env, id, _Keyboard())
        try:
            game.begin(index, seed)
            game.play()
        except EOFError as error:
            why = str(error) or "the input has ended"
            game.keyboard.leave(f"{why}; the episode was not finished")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            game.keyboard.leave("stopped; the episode was not finished")
            raise typer.Exit(130) from None


class _Keyboard:
    """Where the person's lines come from.

    Attributes:
        is_terminal: Whether someone sits there.
        echoes: Whether what is typed can be seen where the transcript is.
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
        """Return one line; a prompt is shown to a person only."""
        if self.echoes:
            return input(prompt)
        if self.is_terminal:
            print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def tell(self, text: str) -> None:
        """Say something that is not the episode's; a log wants to know who says it."""
        prefix = "" if self.is_terminal else "textgym: "
        show(Paint(wants_colour(sys.stderr))(prefix + text, "dim"), sys.stderr)

    def leave(self, text: str) -> None:
        """Say a last word, on a line of its own where the cursor stands behind a prompt."""
        if self.is_terminal:
            show("", sys.stderr)
        self.tell(text)


class _Game:
    """One episode that a person plays."""

    def __init__(self, env: gym.Env[Any, Any], id: str, keyboard: _Keyboard) -> None:
        self.env = env
        self.id = id
        self.keyboard = keyboard
        self.colour = wants_colour()
        self.tools: list[Any] = []
        self.shown: list[Message] = []
        self.turn = 0

    def begin(self, index: int | None, seed: int | None) -> None:
        """Reset the environment, and show the tools and the prompt."""
        options = None
        if hasattr(self.env.unwrapped, "num_tasks"):
            options = {"index": index or 0} if index is not None or seed is None else None
        elif index is not None:
            raise UsageError(f"{self.id} has no tasks to pick from: leave out --index")
        try:
            observation, info = self.env.reset(seed=seed, options=options)
        except BoundaryFailure as failure:
            self.keyboard.tell(f"the episode cannot begin: {_about(failure)}")
            raise typer.Exit(1) from None
        if not _is_conversation(observation):
            kind = type(observation).__name__
            raise UsageError(f"{self.id} hands out no messages to answer, but {kind}")
        self.tools = info.get("tools", [])
        if self.keyboard.is_terminal:
            task = f"{self.id}, task {info['task_id']}" if "task_id" in info else self.id
            self.keyboard.tell(f"{task}\n{_HINT.format(tools=_TOOLS_HINT if self.tools else '')}\n")
        self._show_tools()
        self._show_new(observation)

    def play(self) -> None:
        """Take messages until the episode ends, and show how it ended."""
        total, ended = 0.0, False
        while not ended:
            message = self._next_message()
            try:
                observation, reward, terminated, truncated, info = self.env.step(message)
            except InvalidActionError as error:
                self.keyboard.tell(f"that is no message: {error}")
                continue
            except BoundaryFailure as failure:
                self.keyboard.tell(f"the step failed, and may be taken again: {_about(failure)}")
                continue
            self.turn += 1
            total += float(reward)
            ended = bool(terminated or truncated)
            self._show_new(observation)
        info.setdefault("stop_reason", "time" if truncated else "")
        self._print(format_outcome(total, info, colour=self.colour))

    def _next_message(self) -> Message:
        """Ask until there is a message; commands are obeyed on the way."""
        while True:
            try:
                said = read_typed(self.keyboard.ask, self.tools, self.turn)
            except UsageError as error:
                self.keyboard.tell(str(error))
                continue
            if isinstance(said, dict):
                return said
            if said == "quit":
                raise EOFError("left")
            if said == "help":
                self.keyboard.tell(HELP)
            elif said == "tools":
                self._show_tools()
                if not self.tools:
                    self.keyboard.tell("there are no tools")
            elif self.keyboard.is_terminal:
                self.keyboard.tell("an empty line is no message; /help tells how to play")

    def _show_tools(self) -> None:
        if self.tools:
            self._print(format_tools(self.tools, colour=self.colour) + "\n")

    def _show_new(self, observation: list[Message]) -> None:
        """Show the messages that were not there before, but not what was typed here just now."""
        start = len(self.shown) if observation[: len(self.shown)] == self.shown else 0
        new = observation[start:]
        self.shown = list(observation)
        if start and new and new[0]["role"] == "assistant" and self.keyboard.echoes:
            new = new[1:]
            show("")
        if new:
            self._print(format_messages(new, colour=self.colour) + "\n")

    def _print(self, text: str) -> None:
        show(text)
        sys.stdout.flush()


def _is_conversation(observation: Any) -> bool:
    return (
        isinstance(observation, list)
        and bool(observation)
        and all(isinstance(item, dict) and "role" in item for item in observation)
    )


def _about(failure: BoundaryFailure) -> str:
    return f"{failure.boundary}: {type(failure).__name__}: {failure}"
