"""Finds functions whose work grows faster than the text that they read.

The work on a text is compared with the work on one twice as long, in one process, in two ways:

- Calls are counted. The count is exact, but it does not show what one call does in C, such as the
  steps of a regular expression.
- CPU time is measured. What seems to grow too fast is measured again three times, of which the
  shortest counts, and so is a longer text. So a busy machine does not matter.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import count
from types import ModuleType
from typing import Any

import textgym
from textgym import messages
from textgym.envs.haystack import lc_niah, questions
from textgym.policies.chat import hermes
from textgym.verifiers import calendar, choices, exact, extract, json_reader, stated
from textgym.verifiers.choices import letters
from textgym.verifiers.judge.prompt import JudgePrompt
from textgym.verifiers.math import stated_values, stated_words

LENGTHS = (1_000, 4_000, 32_000)  # characters
ENOUGH_SECONDS = 0.02  # of CPU time; what takes less on the longest text is fast
MAX_GROWTH = 3.0  # of the time; linear functions have 2, quadratic ones 4
END_SECONDS = 5.0  # of CPU time for one text; a linear function takes less than a tenth
COUNTED_LENGTHS = (250, 500)
PIECES = (
    " ", "a", "1", "\\", "{", "<think>", "Answer:", "\\boxed{",
    "A", "B ", "\n", "\t", ".", "-", "*", "_", "`", '"', "'", "/", "|", "~", "$", "(", "}", "<",
    ">", "[", ",", "A ", "\\text{", "é", "٣", "\ud800", "\u0301", "a-", "a ", "a,", "1,", "123,",
    "1 ",
    "123 ", "1.", "a.", "A/", "A or ", "a@", "not ", "not A ", "B is ", "B can be ", "or ", "the ",
    "Answer", "Answer: ", "Answer:\n", "Answer: A\n", "answer is ", "**Answer:** ", '"Answer: A" ',
    "\\boxed", "\\boxed {", "\\boxed{A} ", "\\text{a}", "\\frac{", "{,}", "$a$", "$ a", "\\(",
    "\\ ", "\\rm ", "</think>", "a <think> ", "a <think> a\n", "<answer>", "</answer>",
    "<tool_call>", "<tool_call>{", "</tool_call>", '{"name": "', "```", "``` a\n", "> ", "- ",
    "1. ", "> - ", "[1, ", '["', '{"a":', '"\\', "[[A=B]]", "[[A", "10:00 ", "1:", "60 min ",
    "2024-01-01 ", "\x1b[", "\x1b]",
)  # fmt: skip
Work = Callable[[str], Any]


def modules(of: ModuleType) -> Iterator[ModuleType]:
    """Import a package's modules, except those that need an extra that is not installed."""
    for found in pkgutil.walk_packages(of.__path__, f"{of.__name__}."):
        try:
            yield importlib.import_module(found.name)
        except (ImportError, textgym.errors.ExtraMissingError):
            continue


@cache
def expressions(of: ModuleType = textgym) -> dict[str, Work]:
    """Find a package's regular expressions, each with every method that is called on it."""
    uses: dict[tuple[Any, ...], tuple[str, Work]] = {}  # several modules may share an expression
    for module in modules(of):
        for call in ast.walk(ast.parse(inspect.getsource(module))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            owner, method = call.func.value, call.func.attr
            expression = getattr(module, owner.id, None) if isinstance(owner, ast.Name) else None
            if expression is re and method != "compile" and isinstance(call.args[0], ast.Constant):
                expression = re.compile(call.args[0].value, _flags(call))
            if isinstance(expression, re.Pattern) and isinstance(expression.pattern, str):
                name = f"{module.__name__}: {expression.pattern!a}.{method}"
                key = (expression.pattern, expression.flags, method)
                uses.setdefault(key, (name, _use(expression, method)))
    return dict(uses.values())


def _flags(call: ast.Call) -> int:
    names = [node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)]
    return sum({int(getattr(re, name)) for name in names if name in re.RegexFlag.__members__})


def _use(expression: re.Pattern[str], method: str) -> Work:
    if method == "finditer":
        return lambda text: deque(expression.finditer(text), maxlen=0)
    return partial(expression.sub, "") if method == "sub" else getattr(expression, method)


def functions() -> dict[str, Work]:
    """Return the functions that read a model's text."""
    plain: tuple[Work, ...] = (
        messages.split_reasoning, hermes.parse_tool_calls,
        extract.last_boxed, extract.latex_to_text, extract.last_line, extract.final_number,
        stated.stated_answer, stated.named_form, json_reader.last_json, exact.normalize_answer,
        exact.bare_answer, exact.read_number, exact.normalize_text, calendar.read_time,
        calendar.read_minutes, stated_words.stated_text, stated_values.stated_value,
    )  # fmt: skip
    options = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "12", "E": "not lead"}
    judge = JudgePrompt()
    found: dict[str, Work] = {function.__name__: function for function in plain}
    found["last_json, raw breaks"] = partial(json_reader.last_json, raw_breaks=True)
    for mode in choices.GRADING_MODES:
        choose = partial(choices.choice, options=options, mode=mode)
        found[f"choice, {mode}"] = choose
        found[f"choice, {mode}, in a box"] = _within("Answer: \\boxed{%s}", choose)
    return found | {
        "split_reasoning, leading_only": partial(messages.split_reasoning, leading_only=True),
        "answer_lines": lambda text: deque(extract.answer_lines(text), maxlen=0),
        "last_tagged": partial(extract.last_tagged, tag="answer"),
        "named_letter": partial(letters.named_letter, letters="ABCDE"),
        "match": partial(exact.match, "Paris"),
        "match, in a box": _within("\\boxed{%s}", partial(exact.match, "Paris")),
        "check_calendar": partial(
            calendar.check_calendar, {"0": calendar.EventConstraints(60, 0, 1440)}
        ),
        "items of an answer": lambda text: questions.grade_items(
            questions.answer_line(text), ["a" * LENGTHS[-1]], ordered=True
        ),
        "nodes of an answer": _within("Final Answer: [%s]", lc_niah.nodes_of),
        "what a judge says": lambda text: judge.read(text, "?", "Paris", "[[A=B]]"),
        "what is judged": partial(judge.read, "[[A=B]]", "?", "Paris"),
        "what a judge is asked": partial(judge.messages, "?", "Paris"),
    }


def _within(frame: str, work: Work) -> Work:
    return lambda text: work(frame.replace("%s", text))


def growing_calls(work: dict[str, Work], pieces: Iterable[str]) -> str | None:
    """Name a function that makes more than twice the calls for twice the text, if there is one."""
    for piece in pieces:
        for name, do in work.items():
            if all(_calls_grow(do, piece, length) for length in COUNTED_LENGTHS):
                return f"{name} on {piece!a}"
    return None


def growing_times(work: dict[str, Work], pieces: Iterable[str]) -> str | None:
    """Name a function that takes over three times as long for twice the text, if there is one."""
    for do in work.values():
        do("a")  # the first call may import a library
    handler = signal.signal(signal.SIGVTALRM, _stop)
    try:
        for piece in pieces:
            for name, do in work.items():
                if _time_grows(do, piece):
                    return f"{name} on {piece!a}"
    finally:
        signal.signal(signal.SIGVTALRM, handler)
    return None


def _stop(*_: object) -> None:
    raise TimeoutError("it does not end")


def _text(piece: str, length: int) -> str:
    """Return a text that no cache holds: its last character, for private use, is new."""
    return f"{piece * (length // len(piece))}\0{chr(0xF0000 + next(_serial) % 60_000)}"


_serial = count()


def _calls_grow(do: Work, piece: str, length: int) -> bool:
    """Compare the calls of second runs, as the first may fill caches."""
    once, twice = ([_calls(do, _text(piece, n * length)) for _ in range(2)][1] for n in (1, 2))
    return twice > 2.2 * once + 20


def _calls(do: Work, text: str) -> int:
    events: Counter[str] = Counter()
    others = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: events.update((event,)))
    try:
        do(text)
    finally:
        sys.setprofile(others)
    return events["call"] + events["c_call"]


def _time_grows(do: Work, piece: str) -> bool:
    try:
        for length in LENGTHS:
            if _seconds(do, _text(piece, length)) > ENOUGH_SECONDS:
                attempts = ((length, 1), (length, 3), (2 * length, 3))
                return all(_growth(do, piece, *attempt) > MAX_GROWTH for attempt in attempts)
    except TimeoutError:
        return True
    return False


def _growth(do: Work, piece: str, length: int, times: int) -> float:
    """Return the time for twice a length as a multiple of the time for the length."""
    once, twice = (
        min(_seconds(do, _text(piece, n * length)) for _ in range(times)) for n in (1, 2)
    )
    return twice / once


def _seconds(do: Work, text: str) -> float:
    """Return the CPU time of a function, or raise a TimeoutError where it has no end."""
    start = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, END_SECONDS)
    try:
        do(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - start
