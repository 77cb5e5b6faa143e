"""`nemo-gym/NAME-v0`: the resources servers of NeMo Gym, as environments.

Invariants: the server decides all rewards; a model can call only the tools of its task, never the
server's other endpoints; the state of an episode is the list of its calls, so that it is restored
by a new session in which they are repeated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Unpack

from typing_extensions import TypedDict

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import EnvironmentFailure, UsageError
from textgym.integrations.validation import is_finite
from textgym.messages import Message, tool_result
from textgym.policies.openai.arguments import checked_url
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task, hash_int

__all__ = ["NemoGymEnv", "class_of"]

_TIMEOUT = 600.0  # seconds; a verifier may ask a judge
_FIELDS_OF_TASKS = ("agent_ref",)  # of rows, which are for NeMo Gym's own loop


class Progress(TypedDict):
    """The state of an episode.

    Attributes:
        calls: The calls that the server has answered, as JSON with a tool and its arguments.
        replies: A hash of its answers.
    """

    calls: list[str]
    replies: int


class NemoGymEnv(TextEnv[Progress]):
    """Play the rows of a resources server of NeMo Gym, which runs elsewhere.

    ## Description
    Prompts and tools come from the rows. The server answers the calls of tools, and gives the
    reward, as in NeMo Gym's `simple_agent`.

    ## Observation
    The row's prompt; after calls, their results, as the server writes them.

    ## Action
    Assistant messages. Each call is sent to the server. Calls of tools that the row does not offer,
    and arguments that are not a JSON object, are answered with an error. NeMo Gym sends calls of
    any name, including the server's own endpoints, such as `verify`.

    ## Reward
    The reward of `/verify`. Its numbers, and the numbers of its `reward_components`, are
    components.

    ## Episode end
    A message without calls ends the episode. `max_turns` cuts it, and the response so far is
    verified.

    ## Rows
    NeMo Gym's rows. All fields are sent to the server.

    ## State
    Saved episodes are restored with a new session, in which the calls are repeated. If the server's
    answers differ, an `EnvironmentFailure` is raised.

    Args:
        url: The server's URL, such as `http://127.0.0.1:8000`.
        success_reward: The reward from which an episode is a success.
        timeout: The maximum number of seconds for a reply.
        **kwargs: `dataset`, which is required, `split`, `max_turns` and `render_mode` of `TextEnv`.
    """

    name: ClassVar[str]
    blocking = True  # the server is asked
    answers_calls = True

    def __init__(
        self,
        *,
        url: str | None = None,
        success_reward: float = 1.0,
        timeout: float = _TIMEOUT,
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        from textgym.integrations.nemo_gym.client import ServerSession

        if url is None:
            raise UsageError(f"{self.card.id} needs the URL of a server: pass url='http://…'")
        if kwargs.get("dataset") is None:
            raise UsageError(f"{self.card.id} needs NeMo Gym's rows: pass dataset='rows.jsonl'")
        self._success_reward = float(success_reward)
        self._session = ServerSession(checked_url(url), timeout)
        super().__init__(**kwargs)

    @property
    def reward_range(self) -> tuple[float, float]:
        """Unbounded, because the server decides."""
        return float("-inf"), float("inf")

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of NeMo Gym's rows."""
        tools = nemo_rows.tools_of(row) or ()
        return Task(row["id"], tuple(nemo_rows.prompt_of(row)), None, tools, row)

    def begin(self, task: Task) -> Progress:
        """Begin a session."""
        self._session.seed(self._row(task))
        return {"calls": [], "replies": 0}

    @staticmethod
    def _row(task: Task) -> dict[str, Any]:
        return {name: task.row[name] for name in task.row if name not in _FIELDS_OF_TASKS}

    def respond(self, message: Message) -> list[Message] | None:
        """Have the server answer the calls of a message."""
        calls: Any = message.get("tool_calls")
        if not calls:
            return None
        self._return_to_state()
        return [tool_result(self._answer(call["function"]), call["id"]) for call in calls]

    def _answer(self, function: Mapping[str, Any]) -> str:
        name, arguments = function["name"], function.get("arguments")
        offered = [tool["function"]["name"] for tool in self.task.tools or ()]
        if name not in offered:
            return json.dumps({"error": f"There is no tool {name[:100]!r}."})
        try:
            read = json.loads(arguments) if isinstance(arguments, str) else arguments or {}
            json.dumps(read, allow_nan=False)
        except (ValueError, RecursionError) as error:
            return json.dumps({"error": f"Invalid tool call arguments: {error!r}"[:300]})
        if not isinstance(read, dict):
            return json.dumps({"error": "Invalid tool call arguments: not a JSON object"})
        call = json.dumps([name, read])
        reply = self._session.call(call)
        self.state["calls"].append(call)
        self.state["replies"] = hash_int(self.state["replies"], reply)
        return reply

    def _return_to_state(self) -> None:
        """Make the session one with the calls of the state.

        Raises:
            EnvironmentFailure: The server's answers differ from the earlier ones.
        """
        row = self._row(self.task)
        if self._session.history == [json.dumps(row), *self.state["calls"]]:
            return
        self._session.seed(row)
        replies = 0
        for call in self.state["calls"]:
            replies = hash_int(replies, self._session.call(call))
        if replies != self.state["replies"]:
            raise EnvironmentFailure(f"the server of {self.card.id} is not deterministic")

    def grade(self) -> Grade:
        """Have the server verify the response."""
        from textgym.integrations.nemo_gym.responses import output_items, response_of

        self._return_to_state()
        row = self._row(self.task)
        params = row.get("responses_create_params") or {}
        said = self._conversation.copy(len(self.task.messages))
        response = response_of(output_items(said), params.get("tools") or ())
        verdict = self._session.verify({**row, "response": response})
        parts = verdict.get("reward_components")
        numbers = {**verdict, **(parts if isinstance(parts, dict) else {})}
        components = {
            name: float(value)
            for name, value in numbers.items()
            if name not in row and is_finite(value)
        }
        reward = float(verdict["reward"])
        components["reward"] = reward
        extracted = verdict.get("extracted_answer")
        return Grade(
            reward,
            reward >= self._success_reward,
            components,
            extracted_answer=extracted if isinstance(extracted, str) else None,
        )


@cache
def class_of(name: str) -> type[NemoGymEnv]:
    """Return the class of a resources server."""
    card = Card(
        id=f"nemo-gym/{name}-v0",
        summary=f"NeMo Gym's resources server {name}, which runs at a URL.",
        structure=("multi-step",),
        task_type="any",
        verification=("NeMo Gym's server",),
        data="NeMo Gym's rows",
        licence="that of the rows; NeMo Gym: Apache-2.0",
        extra="http",
    )
    values: dict[str, Any] = {
        "name": name,
        "card": card,
        "__module__": "textgym.integrations.nemo_gym",
        "__qualname__": name,
        "__doc__": NemoGymEnv.__doc__,
    }
    return type(name, (NemoGymEnv,), values)
