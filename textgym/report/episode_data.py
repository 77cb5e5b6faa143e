"""The episodes of a run as data of a page: blocks of episodes, compressed, and a list of all.

A page holds each block as base64 in a script element that is not run. Base64 cannot end the
element, so no text of an episode can leave it. The page's script decompresses a block when one of
its episodes is shown, and writes texts as text nodes only.

Invariants: all texts have their control and invisible characters escaped; data are JSON without
NaN; nothing is computed in the page that is computed here.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from textgym.display.terminal import visible
from textgym.display.transcript import (
    argument_lines,
    call_arguments,
    content_parts,
    describe_part,
    format_number,
    format_turn_rewards,
)
from textgym.json_values import encode_line, json_text
from textgym.messages import split_reasoning
from textgym.policies import Tokens
from textgym.report.elements import element
from textgym.rescoring.answers import TaskAnswers
from textgym.trajectories.episode_record import components_of, task_reward_of
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.selection import check_trajectories
from textgym.trajectories.task_identity import GroupKey, task_identity
from textgym.trajectories.tokens import token_sequences

__all__ = ["EpisodeData", "compressed", "data_element", "episode_data"]

Decode = Callable[[Sequence[int]], str]  # the text of token ids

_BLOCK_EPISODES = 200
_BLOCK_SIZE = 1 << 19  # characters of JSON after which a block is full
_BROKEN = "\ufffd"
_MAX_PARTS = 4  # tokens of a character: its bytes
_IMAGES = tuple(f"data:image/{kind};base64," for kind in ("png", "jpeg", "gif", "webp"))
_LEFT_OUT = frozenset(
    ("task_id", "level", "category", "is_success", "stop_reason", "reward_components",
     "verdict_reason", "extracted_answer", "task_reward")
)  # fmt: skip


@dataclass
class EpisodeData:
    """The episodes of a run as data of a page.

    Attributes:
        blocks: The blocks of episodes, compressed.
        columns: A list for each column of the list of episodes, in stored order; texts are
            replaced by their places in `texts`.
        texts: The texts of the columns.
        starts: The number of the first episode of each block.
        verdicts: How many episodes of each environment have each verdict reason.
        failures: The failed episodes of each cause (environment, boundary and type): the message
            of the first, and their numbers.
    """

    blocks: list[bytes] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[str, int] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    verdicts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: dict[tuple[str, str, str], tuple[str, list[int]]] = field(default_factory=dict)

    def index(self) -> dict[str, Any]:
        """Return what the page needs to list the episodes."""
        return {"columns": self.columns, "texts": [*self.texts], "starts": self.starts}


def data_element(id: str, data: bytes) -> str:
    """Return compressed data as a script element that is not run."""
    return element(
        "script", base64.b64encode(data).decode(), type="application/octet-stream", id=id
    )


def _shown(value: Any) -> Any:
    r"""Return a JSON value with control and invisible characters of its texts escaped.

    Example:
        >>> _shown({"a\u202e": ["\x1b[2J", 1, None]})
        {'a\\u202e': ['\\x1b[2J', 1, None]}
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(key)): _shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    return value


def compressed(value: Any) -> bytes:
    """Return a JSON value compressed, the same bytes for the same value."""
    return gzip.compress(encode_line(_shown(value)), 6, mtime=0)


def episode_data(
    trajectories: Iterable[Trajectory],
    answers: TaskAnswers | None = None,
    decode: Decode | None = None,
    on_episode: Callable[[], None] = lambda: None,
) -> EpisodeData:
    """Return the episodes of a run as data of a page.

    Args:
        trajectories: The episodes, in stored order.
        answers: Finds the right answers; None leaves them out.
        decode: Returns the text of token ids; None shows the ids.
        on_episode: Called after each episode.

    Raises:
        RunError: An episode is not a trajectory.
    """
    data = EpisodeData()
    block = _Block(decode)
    found: dict[tuple[Any, ...], tuple[Any, str]] = {}
    for number, trajectory in enumerate(check_trajectories(trajectories)):
        if block.is_full():
            data.blocks.append(block.compressed())
            block = _Block(decode)
        if not block.episodes:
            data.starts.append(number)
        answer = None
        if answers:
            key = (*GroupKey.of(trajectory), task_identity(trajectory))
            if key not in found:
                found[key] = answers.look_up(trajectory)
            answer = found[key]
        block.add(trajectory, answer)
        _add_to_list(data, number, trajectory)
        on_episode()
    if block.episodes:
        data.blocks.append(block.compressed())
    return data


class _Block:
    """A block of episodes, with what they share: lists of tools, and texts of tokens."""

    def __init__(self, decode: Decode | None) -> None:
        self.episodes: list[bytes] = []
        self._tools: dict[str, int] = {}
        self._tokens: dict[str, str] = {}
        self._known: set[int] = set()
        self._parts: set[int] = set()  # tokens that are a part of a character
        self._decode = decode
        self._size = 0

    def is_full(self) -> bool:
        return len(self.episodes) >= _BLOCK_EPISODES or self._size >= _BLOCK_SIZE

    def compressed(self) -> bytes:
        """Return the block as compressed JSON: what episodes share, and the episodes."""
        tools = [_tools(json.loads(text)) for text in self._tools]
        shared = encode_line(_shown({"tools": tools, "tokens": self._tokens}))
        return gzip.compress(b"[%s,[%s]]" % (shared, b",".join(self.episodes)), 6, mtime=0)

    def add(self, trajectory: Trajectory, answer: tuple[Any, str] | None) -> None:
        tools = json.dumps(trajectory["tools"])
        notes = format_turn_rewards(trajectory["steps"], len(trajectory["messages"]))
        policy_turns = {step["message_index"] for step in trajectory["steps"]}
        episode = {
            "facts": _facts(trajectory),
            "components": ", ".join(
                f"{name} {format_number(value)}"
                for name, value in components_of(trajectory).items()
            ),
            "messages": [
                [*_message(message, place in policy_turns), notes.get(place, "")]
                for place, message in enumerate(trajectory["messages"])
            ],
            "tools": self._tools.setdefault(tools, len(self._tools)),
            "kwargs": _pretty(trajectory["env_kwargs"]) if trajectory["env_kwargs"] else "",
            "info": _info(trajectory["info"]),
            "failure": trajectory["failure"],
            "answer": answer and [*_answer(*answer)],
            "sequences": [*map(self._sequence, token_sequences(trajectory["steps"]))],
        }
        encoded = encode_line(_shown(episode))
        self.episodes.append(encoded)
        self._size += len(encoded)

    def _sequence(self, tokens: Tokens) -> list[Any]:
        """Return a sequence of tokens.

        It has the ids, the lengths of runs of equal masks (the first is of 0), the log
        probabilities of the sampled tokens, and the result of `_texts`.
        """
        runs = [(mask, len([*run])) for mask, run in groupby(tokens.loss_mask)]
        lengths = [length for _, length in runs]
        if runs and runs[0][0]:
            lengths.insert(0, 0)
        pairs = zip(tokens.logprobs, tokens.loss_mask, strict=True)
        sampled = [logprob for logprob, mask in pairs if mask]
        logprobs = [round(p, 3) if p == p else None for p in sampled]
        return [tokens.ids, lengths, logprobs, self._texts(tokens.ids)]

    def _texts(self, ids: Sequence[int]) -> dict[str, str]:
        """Add the text of each id to those that episodes share; return the exceptions by place.

        An exception is a character that consists of several tokens: the first has its text.
        """
        if not self._decode:
            return {}
        for id in {*ids} - self._known:
            self._tokens[str(id)] = text = self._decode([id])
            self._known.add(id)
            if _BROKEN in text:
                self._parts.add(id)
        texts: dict[str, str] = {}
        if self._parts.isdisjoint(ids):
            return texts
        place = 0
        while place < len(ids):
            end = place + 1
            if ids[place] in self._parts:
                for size in range(2, _MAX_PARTS + 1):
                    text = self._decode(ids[place : place + size])
                    if _BROKEN not in text:
                        end = min(place + size, len(ids))
                        texts |= {str(other): "" for other in range(place, end)}
                        texts[str(place)] = text
                        break
            place = end
        return texts


def _add_to_list(data: EpisodeData, number: int, trajectory: Trajectory) -> None:
    info, failure, reward = trajectory["info"], trajectory["failure"], trajectory["reward"]
    env, verdict = trajectory["env_id"], str(info.get("verdict_reason") or "")
    task, success = trajectory["task_id"], trajectory["is_success"]
    texts = {
        "env": env,
        "level": str(info.get("level", "")),
        "category": str(info.get("category", "")),
        "stop": trajectory["stop_reason"],
        "verdict": verdict,
        "failure": failure["boundary"] if failure else "",
    }
    for name, text in texts.items():
        code = data.texts.setdefault(visible(str(text)), len(data.texts))
        data.columns[name].append(code)
    numbers = {
        "task": task if task is None else visible(str(task)),
        "index": trajectory["task_index"],
        "repeat": trajectory["repeat"],
        "reward": reward if reward is None else round(reward, 6),
        "success": success if success is None else int(success),
        "turns": len(trajectory["steps"]),
    }
    for name, value in numbers.items():
        data.columns[name].append(value)
    if failure:
        cause = (env, failure["boundary"], failure["type"])
        data.failures.setdefault(cause, (failure["message"], []))[1].append(number)
    elif verdict:
        data.verdicts[env][verdict] += 1


def _facts(trajectory: Trajectory) -> list[tuple[str, str]]:
    """Return what the head of an episode states: names and values."""
    info, usage, success = trajectory["info"], trajectory["usage"], trajectory["is_success"]
    reward, task_reward = trajectory["reward"], task_reward_of(trajectory)
    counts = (usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens"))
    facts: dict[str, Any] = {
        "reward": format_number(reward),
        "task reward": "" if task_reward in (None, reward) else format_number(task_reward),
        "success": "" if success is None else "yes" if success else "no",
        "why not full": info.get("verdict_reason") or "",
        "stop reason": trajectory["stop_reason"],
        "extracted answer": info.get("extracted_answer") or "",
        "level": info.get("level", ""),
        "category": info.get("category", ""),
        "policy": trajectory["policy"],
        "turns": len(trajectory["steps"]),
        "tokens": "{:,} + {:,}".format(*counts) if usage else "",
        "new sequences": trajectory.get("splits") or "",
        "seconds": f"{trajectory['seconds']:.2f}",
        "attempts": trajectory["attempts"] if trajectory["attempts"] > 1 else "",
    }
    return [(name, str(value)) for name, value in facts.items() if value != ""]


def _info(info: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in info.items() if name not in _LEFT_OUT}
    return _pretty(rest) if rest else ""


def _message(message: Any, by_policy: bool) -> tuple[str, int, list[list[Any]]]:
    """Return the role of a message, whether the policy wrote it, and its parts.

    A part is a kind (`text`, `reasoning`, `refusal`, `image`, `other` or `call`) and a text. A call
    has a name, an id, and arguments: names and texts, or one text.
    """
    if not isinstance(message, Mapping):
        return "?", int(by_policy), [["other", json_text(message)]]
    role = message.get("role", "?")
    parts: list[list[Any]] = []
    for key, kind in (("reasoning_content", "reasoning"), ("refusal", "refusal")):
        if message.get(key):
            parts.append([kind, _text(message[key])])
    for part in content_parts(message.get("content")):
        if not isinstance(part, str):
            parts.append(_image(part) or ["other", describe_part(part)])
            continue
        reasoning, answer = split_reasoning(part) if role == "assistant" else ("", part)
        pairs = ["reasoning", reasoning], ["text", answer]
        parts += [pair for pair in pairs if pair[1]]
    calls = message.get("tool_calls")
    for item in calls if isinstance(calls, list) else ():
        call = item if isinstance(item, Mapping) else {}
        name, text, arguments = call_arguments(call)
        values = [[str(key), _text(value)] for key, value in (arguments or {}).items()]
        parts.append(["call", name, _text(call.get("id") or ""), values or text])
    if role == "tool" and message.get("tool_call_id"):
        role = f"{role} {_text(message['tool_call_id'])}"
    return _text(role), int(by_policy), parts


def _tools(tools: Any) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Return the name, the description and the arguments of each tool."""
    functions = [tool.get("function") if isinstance(tool, Mapping) else None for tool in tools]
    return [
        (
            _text(function.get("name", "?")),
            _text(function.get("description") or ""),
            argument_lines(function.get("parameters")),
        )
        for function in functions
        if isinstance(function, Mapping)
    ]


def _image(part: Mapping[str, Any]) -> list[Any] | None:
    """Return the part of an image that the message holds itself."""
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, Mapping) else image
    return ["image", url] if isinstance(url, str) and url.startswith(_IMAGES) else None


def _answer(answer: Any, reason: str) -> tuple[str, str]:
    """Return the right answer and "", or "" and the reason why it is not known."""
    return ("", reason) if reason else (_pretty(answer), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _pretty(value: Any) -> str:
    """Return a text unchanged, and anything else as indented JSON or as its own text."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (TypeError, ValueError, RecursionError):
        return json_text(value)
