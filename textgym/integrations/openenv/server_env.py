"""`textgym/OpenEnv-v0`: an environment behind an OpenEnv server.

Invariants: rewards and ends are the server's; the state of an episode is the list of its actions,
so that it is restored in a new session in which they are repeated.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from typing_extensions import TypedDict

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import EnvironmentFailure, UsageError
from textgym.integrations.openenv.client import LIST_TOOLS, OpenEnvSession, RefusedActionError
from textgym.integrations.validation import call_problem
from textgym.json_values import canonical_json
from textgym.messages import Message, ToolSchema, system, text_of, tool_result, user
from textgym.policies.openai.arguments import checked_url
from textgym.tasks.task import Task, hash_int
from textgym.tools import NOT_RUN, arguments_of
from textgym.verifiers.extract import after_reasoning

__all__ = ["OpenEnv"]

ACT = "act"  # the tool of a server whose actions have several fields
_TIMEOUT = 120.0  # seconds
_SEEDS, _EVALUATION_TASKS = 2**31, 500
_OF_TEXTGYM = frozenset(("id", "level", "category"))
_INNER = ("metadata", "type")  # fields of actions that a model does not fill


class Progress(TypedDict):
    """The state of an episode.

    Attributes:
        earned: The rewards so far.
        actions: The actions that the server has taken, as JSON.
        replies: A hash of its replies.
    """

    earned: float
    actions: list[str]
    replies: int


class OpenEnv(TextEnv[Progress]):
    """Play an environment that an OpenEnv server runs, at a URL.

    ## Description
    The server's observations are shown as text, or as messages if they have any, as from
    `textgym serve`.

    ## Observation
    The observation of `reset`; after each action, the one of `step`. If an observation is not one
    text, it is shown as JSON.

    ## Action
    What the server accepts:

    - If it has tools (MCP), a message with tool calls. Each call is a step.
    - If its actions have one text, or `action_field` names one, the text of the message.
    - Otherwise a call of the tool `act`, whose arguments are the fields of an action.

    Calls that do not fit a schema, and actions that the server refuses, are answered with an error.

    ## Reward
    The server's rewards, as component `openenv` of each step. `is_success` is True if they add up
    to `success_reward`.

    ## Episode end
    The server ends the episode, or `max_turns` cuts it. A text without a call ends it if there are
    tools.

    ## Rows
    Each field is an argument of the server's `reset`, such as `seed`. Generated rows have a `seed`.

    ## State
    Saved episodes are restored with a new session, in which the actions are repeated. If the
    server's answers differ, an `EnvironmentFailure` is raised.

    Args:
        url: The server's URL, such as `http://127.0.0.1:8000`; `http://:TOKEN@HOST:PORT` sends a
            token.
        instructions: A system message; None for none.
        action_field: The field of an action that gets the text of a message.
        success_reward: The return from which an episode is a success.
        timeout: The maximum number of seconds for a reply.
        **kwargs: `dataset`, `split`, `max_turns` and `render_mode` of `TextEnv`.

    Example:
        >>> # textgym serve textgym/MCQA-v0 --port 8000
        >>> url = "http://127.0.0.1:8000"
        >>> env = gymnasium.make("textgym/OpenEnv-v0", url=url)  # doctest: +SKIP
        >>> observation, info = env.reset(seed=1)  # doctest: +SKIP

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/OpenEnv-v0",
        summary="An environment that an OpenEnv server runs, at a URL.",
        structure=("multi-step",),
        task_type="any",
        verification=("OpenEnv's server",),
        data="the server's",
        licence="that of the server; OpenEnv: BSD-3-Clause",
        extra="http",
    )
    blocking = True  # the server is asked
    answers_calls = True

    def __init__(
        self,
        *,
        url: str | None = None,
        instructions: str | None = None,
        action_field: str | None = None,
        success_reward: float = 1.0,
        timeout: float = _TIMEOUT,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        if url is None:
            raise UsageError(f"{self.card.id} needs the URL of a server: pass url='http://…'")
        self._instructions, self._success_reward = instructions, float(success_reward)
        self._session = OpenEnvSession(checked_url(url), timeout)
        self._field, self._takes_messages = action_field, False
        self._schema: dict[str, Any] | None = None
        split = kwargs.get("split", "train")
        if kwargs.get("dataset") is None and split != "train":
            # Not drawn: the search for tasks with new prompts would reset the server many times.
            kwargs["dataset"] = [
                {"id": f"{split}-{index}", "seed": hash_int("openenv", split, index) % _SEEDS}
                for index in range(_EVALUATION_TASKS)
            ]
        super().__init__(**kwargs)

    @property
    def reward_range(self) -> tuple[float, float]:
        """Unbounded, because the server decides."""
        return float("-inf"), float("inf")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a seed."""
        return {"seed": rng.randrange(_SEEDS)}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Begin an episode, for its messages and tools."""
        seen = self._reset(row)
        tools = self._tools(seen)
        messages = [] if self._instructions is None else [system(self._instructions)]
        shown = _shown(seen) or [user("The episode has begun.")]
        return Task(row["id"], (*messages, *shown), None, tuple(tools), row)

    def _reset(self, row: Mapping[str, Any]) -> dict[str, Any]:
        observation = self._session.reset(_arguments_of(row)).get("observation")
        seen = observation if isinstance(observation, dict) else {}
        self._takes_messages = isinstance(seen.get("messages"), list) and "info" in seen
        if not self._takes_messages and self._schema is None:
            self._learn()
        return seen

    def _learn(self) -> None:
        """Read the schema of the server's actions, and choose the field of a text."""
        self._schema = self._session.action_schema()
        fields = self._fields()
        if self._field is None and "tool_name" not in fields:
            texts = [name for name, value in fields.items() if _is_text(value)]
            required = [name for name in self._schema.get("required", fields) if name in fields]
            if len(texts) == 1 and required in (texts, []):
                self._field = texts[0]

    def _fields(self) -> dict[str, Any]:
        """Return the fields of an action that a model fills."""
        properties = (self._schema or {}).get("properties", {})
        return {name: value for name, value in properties.items() if name not in _INNER}

    def _tools(self, seen: Mapping[str, Any]) -> list[ToolSchema]:
        """Return the tools of an episode that has just begun."""
        if self._takes_messages:  # `textgym serve`
            return list(seen.get("tools") or ())
        fields, schema = self._fields(), self._schema or {}
        if not fields or "tool_name" in fields:
            listed = self._replayed({"type": LIST_TOOLS})
            found = (listed.get("observation") or {}).get("tools") or ()
            return [_tool(tool) for tool in found]
        if self._field is not None:
            return []
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": fields,
            "required": [name for name in schema.get("required", []) if name in fields],
            **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
        }
        about = {"name": ACT, "description": "Act in the environment.", "parameters": parameters}
        return [{"type": "function", "function": about}]

    def begin(self, task: Task) -> Progress:
        """Begin the episode, unless `read_row` has just done so."""
        if not self._has_played(task, []):
            self._reset(task.row)
        return {"earned": 0.0, "actions": [], "replies": 0}

    def close(self) -> None:
        """Close the session."""
        super().close()
        self._session.close()

    def _return_to_state(self) -> None:
        """Make the session one with the actions of the state.

        Raises:
            EnvironmentFailure: The server's answers differ from the earlier ones.
        """
        actions = self.state["actions"]
        if self._has_played(self.task, actions):
            return
        self._reset(self.task.row)
        replies = 0
        for action in actions:
            replies = hash_int(replies, canonical_json(self._replayed(json.loads(action))))
        if replies != self.state["replies"]:
            raise EnvironmentFailure("the OpenEnv server is not deterministic")

    def _has_played(self, task: Task, actions: list[str]) -> bool:
        """Return whether the session is at this place of an episode."""
        expected = [json.dumps(_arguments_of(task.row)), *actions]
        return self._session.is_open and self._session.history == expected

    def _replayed(self, action: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to an action that the model has not just written."""
        try:
            return self._session.step(action)
        except RefusedActionError as error:
            text = f"the OpenEnv server refuses {json.dumps(action)[:100]}: {error}"
            raise EnvironmentFailure(text) from None

    def respond(self, message: Message) -> list[Message] | None:
        """Have the server take a message, and show what it observes."""
        self._return_to_state()
        calls: Sequence[Any] = message.get("tool_calls") or ()
        if self._takes_messages:
            said = {"content": message.get("content"), "tool_calls": list(calls)}
            return self._stepped(said, calls)
        if not calls:
            if self._field is None:
                return None
            text = after_reasoning(text_of(message)).strip()
            return self._stepped({self._field: text}, ())
        replies: list[Message] = []
        for call in calls:
            if self._finished:
                replies.append(tool_result(NOT_RUN, call["id"]))
            elif problem := call_problem(call["function"], self.task.tools or ()):
                replies.append(tool_result(f"Error: {problem}"[:300], call["id"]))
            else:
                replies += self._stepped(_action_of(call["function"]), (call,))
        return replies

    def _stepped(self, action: dict[str, Any], calls: Sequence[Any]) -> list[Message]:
        """Take a step of the server, add its reward, and return messages that answer the calls."""
        try:
            reply = self._session.step(action)
        except RefusedActionError as error:
            text = f"Error: the server does not accept this: {error}"
            return [tool_result(text, call["id"]) for call in calls] or [user(text)]
        state = self.state
        state["actions"].append(json.dumps(action))
        state["replies"] = hash_int(state["replies"], canonical_json(reply))
        reward = float(reply.get("reward") or 0.0)
        state["earned"] += reward
        self.add_reward("openenv", reward)
        seen = reply.get("observation")
        seen = seen if isinstance(seen, dict) else {}
        if reply.get("done"):
            self.finish(truncated=seen.get("truncated") is True)
        if self._takes_messages and isinstance(seen.get("messages"), list):
            shown = [each for each in seen["messages"] if each.get("role") != "assistant"]
            answered = {each.get("tool_call_id") for each in shown}
            return shown + [tool_result("", c["id"]) for c in calls if c["id"] not in answered]
        if calls:
            return [tool_result(_result(seen), call["id"]) for call in calls]
        return _shown(seen)

    def grade(self) -> Grade:
        """Say whether the rewards make a success; the server has given them."""
        success = self.state["earned"] >= self._success_reward
        return Grade(0.0, success, extracted_answer=None, verdict_reason="" if success else "wrong")


def _arguments_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the server's `reset`."""
    return {name: row[name] for name in row if name not in _OF_TEXTGYM}


def _action_of(function: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call as an action."""
    name = function["name"]
    arguments = dict(arguments_of(name, function.get("arguments")))
    if name == ACT:
        return arguments
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


def _is_text(schema: Mapping[str, Any]) -> bool:
    kinds = [schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ()))]
    return "string" in kinds and "enum" not in schema


def _tool(tool: Mapping[str, Any]) -> ToolSchema:
    about = {"name": tool["name"], "description": tool.get("description", "")}
    parameters = tool.get("input_schema") or tool.get("inputSchema") or {"type": "object"}
    return {"type": "function", "function": {**about, "parameters": parameters}}


def _shown(seen: Mapping[str, Any]) -> list[Message]:
    """Return an observation as messages."""
    if isinstance(seen.get("messages"), list):
        return [*seen["messages"]]
    text = _text(seen)
    return [user(text)] if text else []


def _text(seen: Mapping[str, Any]) -> str:
    """Return an observation as a text: its only text, or JSON."""
    values = {
        name: value
        for name, value in seen.items()
        if value not in (None, "", [], {}) and name not in ("metadata", "done", "reward")
    }
    if len(values) == 1 and isinstance(only := next(iter(values.values())), str):
        return only
    return json.dumps(values, ensure_ascii=False, default=str) if values else ""


def _result(seen: Mapping[str, Any]) -> str:
    """Return the result of a tool, or its error."""
    if seen.get("error"):
        error = seen["error"]
        text = error.get("message", error) if isinstance(error, dict) else error
        return f"Error: {text}"
    result = seen.get("result", seen if "tool_name" not in seen else None)
    if isinstance(result, dict) and "data" in result:
        result = result["data"]
    if result is seen:
        return _text(seen)
    return result if isinstance(result, str) else json.dumps(result, default=str)
