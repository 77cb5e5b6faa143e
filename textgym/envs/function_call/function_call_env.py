"""`textgym/FunctionCall-v0`: the right tool calls for a request, in one message."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv, share_done
from textgym.envs.function_call.function_call_rows import FunctionCallTask, read_call_row
from textgym.envs.function_call.generator import draw_row
from textgym.envs.function_call.guesses import guessed_call, offered_names
from textgym.errors import OracleError, ToolError
from textgym.messages import Message, assistant, assistant_calls
from textgym.tasks.task import Task
from textgym.tools import arguments_of
from textgym.verifiers.exact import equal_text, plain_marks
from textgym.verifiers.function_calls import OMITTED, Call, matched_calls

__all__ = ["FunctionCall"]

MAX_SHOWN = 1000  # characters of the calls in info
MAX_LENGTH = 100_000  # characters of the arguments of a call
NONE_FITS = "None of the tools can do this."


class FunctionCall(PartialCreditEnv[None]):
    """Call the tools that a request needs, with the right arguments, in one message.

    It measures the schema of calls: which tool fits, what its arguments are, which optional ones to
    leave out, and when to call nothing because no tool fits. The calls are graded, not run.

    ## Description
    The model gets a request and the schemas of tools that differ by task. It answers with one or
    more calls. Among the tools are some that nearly fit: they are for another thing, do something
    else with it, lack an argument that the request states, or do not allow its value. If no tool
    fits, the model must say so without a call. The rows of the Berkeley Function-Calling
    Leaderboard (BFCL) and of xLAM can be played, too.

    ## Observation
    A system message and the request, or the prompt of the row.

    ## Action
    One assistant message with tool calls, or with a text if no tool fits.

    ## Tools
    They differ by task, and are in `info["tools"]`. In the names, characters that models cannot
    call, such as the dot in `math.gcd`, are replaced by `_`. Types of BFCL and xLAM become types of
    JSON Schema. A call is answered with `received`, or with an error if the tool is not offered or
    the arguments are not a JSON object.

    ## Reward
    1 if all calls are right and none is missing or left over, in any order, else 0. If no tool
    fits, 1 for the text of `refusal` without calls, or any text if the row has none. Components:
    `names` (the right tools were called, each as often as needed) and `matched` (the share of right
    calls, of the expected or the made ones, whichever are more; 0 if no tool fits and one was
    called).

    A call is right by the rules of BFCL:

    - It names the tool, and has all arguments that the tool requires.
    - The value of each argument is one of the accepted ones. An argument may be omitted if `""` is
      among them. Any other argument is wrong.
    - In texts, case and the characters `,./-_*^` and space do not count, and `'` equals `"`.
    - `2` may be written for the number `2.0`, not the other way round for an integer. The text
      `"2"` and `true` are wrong. Lists have the same order.
    - Where the type of the accepted value is not the schema's, such as the name of a variable, the
      value must be equal to it.

    It differs from BFCL's checker of August 2024 in these points:

    - `2` may also be written for `2.0` in lists and objects. The checker refuses it in lists.
    - A key of an object may be omitted if `""` is among its accepted values, as later versions of
      the checker allow.
    - Texts in nested lists and objects are compared as other texts, `true` is not `1` there, and
      objects with accepted values may be nested at any depth.
    - A null counts as an omitted argument.
    - Parallel calls are assigned to expected ones as a whole. The checker assigns the first that
      fits, which can leave none for a later one.
    - Where no tool fits, an empty message is wrong. The checker accepts it, and also calls that
      cannot be parsed.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, the tools of the task |
    | `stop_reason` | after the step, as all below: `answer` |
    | `is_success` | whether the reward is 1 |
    | `extracted_answer` | the calls as JSON; `""` if there are none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Partial credit
    With `partial_credit=True`, a message with some right calls earns 0.5 times the right calls
    minus the other calls, at least 0, divided by the expected calls, as component `progress`. A
    success earns 1. So calls made at random, or all possible calls, earn nothing.

    ## Episode end
    The episode terminates at the first message. `max_turns` has no effect.

    ## Levels
    | level | tools | calls | other |
    | --- | --- | --- | --- |
    | 0 | 4 | 1 | one argument, the recipient of a message; only drawn with `level=0` |
    | 1 | 2 | 1 | |
    | 2 | 4 | 1 | optional arguments; in 12 % no tool fits, as on all higher levels |
    | 3 | 5 | 2 | of one tool or of two |
    | 4 | 7 | 3 | nested objects |
    | 5 | 9 | 4 | values that refer to an earlier part of the request |

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the request: a text, or a list of messages |
    | `function` | a tool or a list of tools: `name`, `description` and `parameters` |
    | `ground_truth` | a list of objects `{tool: {argument: [accepted, …]}}`; `[]` if no tool fits |
    | `refusal` | the text that is right if no tool fits; by default any |
    | `responses_create_params` | NeMo Gym's prompt and tools, in place of these |
    | `query`, `tools`, `answers` | xLAM's fields, in place of these: values are exact |

    BFCL keeps `ground_truth` in another file, by `id`. Without it, the id decides: no tool fits in
    `irrelevance_…`, `live_irrelevance_…` and `relevance_…` (the older name), and any call of an
    offered tool is right in `live_relevance_…`.

    Args:
        partial_credit: Whether right calls earn rewards if others are wrong or missing; False by
            default.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/FunctionCall-v0")
        >>> schema = {"type": "dict", "required": ["city"], "properties": {
        ...     "city": {"type": "string"}, "days": {"type": "integer", "default": 1}}}
        >>> row = {"question": "Will it rain in Oslo tomorrow?",
        ...        "function": {"name": "weather.forecast", "parameters": schema},
        ...        "ground_truth": [{"weather.forecast": {"city": ["Oslo"], "days": [1, ""]}}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step(
        ...     assistant_calls(("weather_forecast", {"city": "Oslo"})))
        >>> observation[-1]["content"], reward, terminated
        ('received', 1.0, True)
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step(assistant_calls(("weather_forecast", {"city": "Oslo", "days": "1"})))[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/FunctionCall-v0",
        summary="The right tool calls for a request, in one message, or none if no tool fits.",
        structure=("single-step",),
        capabilities=("tool use", "schema adherence", "information relevance"),
        domain=("general",),
        task_type="function calling",
        verification=("accepted values",),
        levels=(1, 2, 3, 4, 5),
        first_rung=True,
        first_rung_chance=0.03,
        chance=0.096,
        data="generated, .jsonl, .parquet, .csv, hub; rows of BFCL and xLAM",
        notes="On levels 2 to 5 no tool fits in 12 % of the tasks, so `no tool fits` "
        "gets 0.12 there. At level 0, a call of a random tool with a random one of the prompt's "
        "values gets 0.03.",
        accepts=("full stop", "any case"),
    )

    task: FunctionCallTask

    max_turns = 1

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a request, the tools, and the calls."""
        return draw_row(rng, level)

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the request."""
        return row["question"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's, BFCL's or xLAM's rows, or one with NeMo Gym's prompt."""
        return read_call_row(row)

    def call_offered_tool(self, name: str, arguments: Any) -> str:
        """Acknowledge a call, which `grade` compares."""
        _read_arguments(name, arguments)
        return "received"

    def _take(self, message: Message, state: Any) -> str:
        """End the episode after every message, even after one with calls."""
        super()._take(message, state)
        return "answer"

    def grade(self) -> Grade:
        """Compare the calls of the message with the expected ones."""
        task, written = self.task, self._written()
        count, made = len(written), _calls_made(task, written)
        reason = "wrong" if count else ""
        if task.any_call or not task.answer:
            right = 0 < len(made) == count if task.any_call else not count and self._refuses()
            components = {"names": float(right), "matched": float(right)}
        else:
            matched = matched_calls(task.answer, made)
            right = matched == count == len(task.answer)
            wanted = Counter(call.name for call in task.answer)
            names = wanted == Counter(call["name"] for call in written)
            share = matched / max(count, len(task.answer))
            components = {"names": float(names), "matched": share}
            reason = "incomplete" if matched else reason
        reason = "" if right else reason
        grade = Grade(float(right), right, components, _shown(written), verdict_reason=reason)
        return self.less_paid(grade)

    def _refuses(self) -> bool:
        """Return whether the text says that no tool fits."""
        text, refusal = plain_marks(self.answer_text), self.task.refusal
        return equal_text(refusal, text) if refusal else bool(text)

    def progress(self) -> float:
        """Return the share of the expected calls that were made, less the other calls."""
        task, written = self.task, self._written()
        if not task.answer:
            return 0.0
        matched = matched_calls(task.answer, _calls_made(task, written))
        return share_done(matched, len(written) - matched, len(task.answer))

    def _written(self) -> list[Mapping[str, Any]]:
        """Return the calls of the message, as the model wrote them."""
        for reply in self.replies:
            return [call["function"] for call in reply.get("tool_calls") or ()]
        return []

    def solve(self) -> Message:
        """Make the expected calls with the first accepted values, or say that no tool fits."""
        if self.task.any_call:
            raise OracleError(f"{self.task.id} accepts any call, so it has no expected one")
        if not self.task.answer:
            return assistant(self.task.refusal or NONE_FITS)
        return assistant_calls(
            *(
                (call.name, _first_values(call.arguments, call.required))
                for call in self.task.answer
            )
        )

    def guess(self, rng: random.Random) -> Message:
        """Call a random tool with random arguments that fit its schema."""
        name, arguments = guessed_call(rng, self.task)
        return assistant_calls((name, dict(arguments)))


def _calls_made(task: Task, written: Sequence[Mapping[str, Any]]) -> list[Call]:
    """Return the calls of offered tools whose arguments can be read."""
    offered, calls = offered_names(task), []
    for call in written:
        if call["name"] in offered:
            try:
                calls.append((call["name"], _read_arguments(call["name"], call.get("arguments"))))
            except ToolError:
                continue
    return calls


def _read_arguments(name: str, arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call.

    Raises:
        ToolError: They are not a JSON object, or too long.
    """
    if isinstance(arguments, str) and len(arguments) > MAX_LENGTH:
        raise ToolError(f"the arguments of {name!r} have more than {MAX_LENGTH} characters")
    return arguments_of(name, arguments)


def _first_values(accepted: Mapping[str, Any], required: Collection[str] = ()) -> dict[str, Any]:
    """Return an object with the first accepted value of each key that may not be omitted."""
    return {
        key: _value(_first(options) if isinstance(options, list) else options)
        for key, options in accepted.items()
        if key in required or not (isinstance(options, list) and OMITTED in options)
    }


def _first(options: Sequence[Any]) -> Any:
    return next((option for option in options if option != OMITTED), OMITTED)


def _value(option: Any) -> Any:
    if isinstance(option, Mapping):
        return _first_values(option)
    return [_value(item) for item in option] if isinstance(option, list) else option


def _shown(calls: Sequence[Mapping[str, Any]]) -> str:
    if not calls:
        return ""
    try:
        return json.dumps([[c["name"], c.get("arguments")] for c in calls], default=str)[:MAX_SHOWN]
    except (TypeError, ValueError, RecursionError):
        return "[]"
