"""The layouts of files with recorded answers: from a record to the fields that grading needs.

A layout recognises its records by their keys and turns each into the fields `id`, `question`,
`answer`, `options`, `output` and `recorded`. Any field may be missing. The fields of a record
without a known layout are guessed from common names of keys. `columns` overrides all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["LAYOUTS", "PROBLEM", "TRAJECTORY", "Layout", "layout_of", "lookup"]

PROBLEM, TRAJECTORY = "textgym.problem", "textgym.trajectory"  # fields that no record has

Record = Mapping[str, Any]
Fields = dict[str, Any]

_QUESTIONS = ("question", "problem", "query", "input", "prompt", "ctx", "goal")
_ANSWERS = ("answer", "expected_answer", "gold", "target", "label", "ground_truth", "answerKey")
_OUTPUTS = ("output", "prediction", "response", "completion", "model_output", "generation", "text")
_RECORDED = ("recorded", "correct", "is_correct", "exact_match", "acc", "score", "reward")
_OPTIONS = ("options", "choices", "endings")
_METRICS = ("exact_match", "acc", "acc_norm", "f1", "em")


class Layout(NamedTuple):
    """One layout.

    Attributes:
        name: Its name.
        matches: Whether a record has it.
        read: Yields the fields of each answer in a record.
    """

    name: str
    matches: Callable[[Record], bool]
    read: Callable[[Record], Iterator[Fields]]


def lookup(record: Any, path: str) -> Any:
    """Return a value by its path, such as `doc.question` or `choices.0.text`; None without one.

    Example:
        >>> lookup({"doc": {"choices": ["iron", "zinc"]}}, "doc.choices.1")
        'zinc'
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    for name in path.split("."):
        if isinstance(record, Mapping):
            record = record.get(name)
        elif isinstance(record, (list, tuple)) and name.isdecimal() and int(name) < len(record):
            record = record[int(name)]
        else:
            return None
    return record


def layout_of(record: Record) -> Layout:
    """Return the layout of a record.

    Example:
        >>> layout_of({"doc": {}, "target": "B", "resps": [["B"]]}).name
        'lm-evaluation-harness'
        >>> layout_of({"question": "?", "output": "B"}).name
        'plain'
    """
    return next(layout for layout in LAYOUTS if layout.matches(record))


def _first(record: Any, names: tuple[str, ...]) -> Any:
    values = map(record.get, names) if isinstance(record, Mapping) else iter(())
    return next((value for value in values if value is not None), None)


def _named(record: Record, *, without: tuple[str, ...] = ()) -> Fields:
    """Return all fields of a record, and its question, answer and options by common names."""
    kept = {name: value for name, value in record.items() if name not in without}
    return {
        **kept,
        "question": _first(record, _QUESTIONS),
        "answer": _first(record, _ANSWERS),
        "options": _first(record, _OPTIONS),
    }


def _plain(record: Record) -> Iterator[Fields]:
    yield {
        **_named(record, without=(*_OUTPUTS, *_RECORDED, "pred")),
        "output": _text(_first(record, _OUTPUTS)),
        "recorded": _first(record, _RECORDED),
    }


def _lm_eval(record: Record) -> Iterator[Fields]:
    """Read a sample of lm-evaluation-harness: each of its responses is one answer."""
    doc = record["doc"]
    fields = _named(doc) if isinstance(doc, Mapping) else {}
    if fields.get("question") is None:
        arguments = record.get("arguments")
        asked = lookup(arguments, "gen_args_0.arg_0")
        fields["question"] = asked if asked is not None else lookup(arguments, "0.0")
    target = record.get("target")
    if target is None or target == str(fields.get("answer")):  # it writes every target as a text
        target = fields.get("answer")
    names = [*(record.get("metrics") or ()), *_METRICS]
    fields |= {
        "id": record.get("doc_id"),
        "answer": _only(target),
        "recorded": _first(record, tuple(names)),
    }
    texts: list[str | None] = [*_generated(record)]
    for text in texts or [None]:
        yield {**fields, "output": text}


def _generated(record: Record) -> list[str]:
    """Return the responses to the first request; none if it asked for log-likelihoods.

    Log-likelihoods are texts in a file, too: `[["-1.5", "False"]]`, or `["-1.5"]` for a whole text.
    Only a request for a generation has settings, as its second argument.
    """
    asked = lookup(record, "arguments.gen_args_0") or lookup(record, "arguments.0")
    values = [*asked.values()] if isinstance(asked, Mapping) else list(asked or ())
    if values and not (len(values) > 1 and isinstance(values[1], Mapping)):
        return []
    responses = record["resps"]
    if isinstance(responses, list) and responses and isinstance(responses[0], list):
        responses = responses[0]
    return [text for text in responses or () if isinstance(text, str)]


def _only(value: Any) -> Any:
    """Return the item of a list that has one, else the value."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _inspect(record: Record) -> Iterator[Fields]:
    """Read a sample of an Inspect log."""
    scores = record.get("scores") or {"": record.get("score")}
    score = next(iter(scores.values()), None)
    output = record.get("output")
    content = lookup(output, "choices.0.message.content")
    fields: Fields = {
        "id": record.get("id"),
        "question": record.get("input"),
        "answer": _only(record.get("target")),
        "options": record.get("choices"),
        "output": _text(content if content is not None else lookup(output, "completion")),
        "recorded": score.get("value") if isinstance(score, Mapping) else score,
    }
    if record.get("error") and not record.get("scores"):
        fields[PROBLEM] = f"the sample failed: {lookup(record, 'error.message')}"
    yield fields


def _verifiers(record: Record) -> Iterator[Fields]:
    """Read a rollout of verifiers."""
    fields: Fields = {
        "id": record.get("example_id", record.get("id")),
        "question": record["prompt"],
        "answer": record.get("answer"),
        "output": _text(record["completion"]),
        "recorded": record.get("reward"),
    }
    if error := record.get("error"):
        fields[PROBLEM] = f"the rollout failed: {lookup(error, 'error_chain_repr') or error}"
    yield fields


def _verifiers_episode(record: Record) -> Iterator[Fields]:
    """Read an episode of verifiers' traces: each trace's last sampled message is an answer."""
    for trace in record["traces"]:
        data = lookup(trace, "task.data") or {}
        sampled = [node for node in trace.get("nodes") or () if node.get("sampled")]
        rewards = [reward for reward in (trace.get("rewards") or {}).values() if reward]
        total = sum(reward["score"] * reward.get("weight", 1) for reward in rewards)
        fields: Fields = {
            "id": _first(data, ("idx", "name")),
            "question": data.get("prompt"),
            "answer": _first(data, _ANSWERS),
            "options": _first(data, _OPTIONS),
            "output": _text(sampled[-1]["message"]) if sampled else None,
            "recorded": total if rewards else None,
        }
        if trace.get("errors") and not trace.get("ok"):  # an error may belong to an earlier attempt
            fields[PROBLEM] = f"the rollout failed: {lookup(trace['errors'][-1], 'message')}"
        yield fields


def _batch(record: Record) -> Iterator[Fields]:
    """Read a line of OpenAI's batch output, of completions, chat completions or responses."""
    body = lookup(record, "response.body") or {}
    replies = [choice.get("message", choice) for choice in body.get("choices") or ()]
    if not replies and isinstance(body.get("output"), list):
        replies = [[item for item in body["output"] if lookup(item, "type") == "message"]]
    problem = lookup(record, "error.message") or lookup(body, "error.message")
    for reply in replies or [None]:
        fields: Fields = {"id": record["custom_id"], "output": _text(reply)}
        yield {**fields, PROBLEM: f"the request failed: {problem}"} if problem else fields


def _trajectory(record: Record) -> Iterator[Fields]:
    """Read a trajectory of textgym. Its task is drawn again."""
    yield {
        "id": record["task_id"],
        TRAJECTORY: record,
        "output": _text(record["messages"]),
        "recorded": record["is_success"],
    }


def _text(output: Any) -> str | None:
    """Return the text of a string, a message, its parts, or the last of several messages."""
    if output is None or isinstance(output, str):
        return output
    if isinstance(output, Mapping):
        is_thought = str(output.get("type")).startswith(("reasoning", "thinking"))
        return None if is_thought else _text(_first(output, ("text", "content", "refusal")))
    if not isinstance(output, (list, tuple)):
        return None
    if any(isinstance(item, Mapping) and "role" in item for item in output):
        replies = [item for item in output if lookup(item, "role") == "assistant"]
        return (_text(replies[-1]) or "") if replies else None
    parts = [_text(item) for item in output]
    return "".join(part for part in parts if part) if parts else None


def _has(*names: str) -> Callable[[Record], bool]:
    return lambda record: record.keys() >= set(names)


LAYOUTS = (
    Layout("textgym", _has("env_id", "task_id", "messages", "steps"), _trajectory),
    Layout("lm-evaluation-harness", _has("doc", "resps"), _lm_eval),
    Layout("Inspect", _has("epoch", "input", "target"), _inspect),
    Layout("OpenAI batch", _has("custom_id", "response"), _batch),
    Layout("verifiers", _has("prompt", "completion", "reward"), _verifiers),
    Layout("verifiers, traces", _has("task", "traces"), _verifiers_episode),
    Layout("plain", _has(), _plain),
)
"""The known layouts; a record has the first one that matches it."""
