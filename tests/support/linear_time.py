"""Runs the package's expressions and text functions on half a megabyte of each of many texts.

Each run has a limit of CPU time. Its name is printed before it starts. If a run exceeds its limit,
the process is killed, and the last printed line names the run.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import resource
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

import textgym
from textgym import messages
from textgym.envs.haystack import answers, lc_niah
from textgym.policies.chat import hermes_parser
from textgym.verifiers import calendar, choices, exact, extract, json_reader
from textgym.verifiers.choices import sentences
from textgym.verifiers.judge.prompt import JudgePrompt

LENGTH = 500_000  # characters
SECONDS = 20  # of CPU time: far more than is needed, since a busy machine takes more
PIECES = (
    " ", "a", "1", "\\", "{", "<think>", "Answer:", "\\boxed{",
    # the rest is only for soak tests
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
QUICK_COUNT = PIECES.index("\\boxed{") + 1
Work = Callable[[str], Any]


def modules() -> Iterator[Any]:
    """Import the package's modules, except those that need an extra that is not installed."""
    for found in pkgutil.walk_packages(textgym.__path__, "textgym."):
        try:
            yield importlib.import_module(found.name)
        except (ImportError, textgym.errors.ExtraMissingError):
            continue


@cache
def expressions() -> dict[str, Work]:
    """Find the package's regular expressions, each with every method that is called on it."""
    uses: dict[str, Work] = {}
    for module in modules():
        for call in ast.walk(ast.parse(inspect.getsource(module))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            owner, method = call.func.value, call.func.attr
            expression = getattr(module, owner.id, None) if isinstance(owner, ast.Name) else None
            if expression is re and method != "compile" and isinstance(call.args[0], ast.Constant):
                expression = re.compile(call.args[0].value, _flags(call))
            if isinstance(expression, re.Pattern) and isinstance(expression.pattern, str):
                uses[f"{module.__name__}: {expression.pattern!a}.{method}"] = _use(
                    expression, method
                )
    return uses


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
        messages.split_reasoning, hermes_parser.parse_tool_calls,
        extract.last_boxed, extract.latex_to_text, extract.last_line, extract.final_number,
        json_reader.last_json, exact.normalize_answer, exact.bare_answer, exact.read_number,
        calendar.read_time, calendar.read_minutes, exact.normalize_text,
    )  # fmt: skip
    options = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "12", "E": "not lead"}
    judge = JudgePrompt()
    found: dict[str, Work] = {function.__name__: function for function in plain}
    for mode in choices.GRADING_MODES:
        choose = partial(choices.choice, options=options, mode=mode)
        found[f"choice, {mode}"] = choose
        found[f"choice, {mode}, in a box"] = _within("Answer: \\boxed{%s}", choose)
    return found | {
        "split_reasoning, leading_only": partial(messages.split_reasoning, leading_only=True),
        "answer_lines": lambda text: deque(extract.answer_lines(text), maxlen=0),
        "last_tagged": partial(extract.last_tagged, tag="answer"),
        "named_letter": partial(sentences.named_letter, letters="ABCDE"),
        "match": partial(exact.match, "Paris"),
        "match, in a box": _within("\\boxed{%s}", partial(exact.match, "Paris")),
        "check_calendar": partial(
            calendar.check_calendar, {"0": calendar.EventConstraints(60, 0, 1440)}
        ),
        "items of an answer": lambda text: answers.grade_items(
            answers.answer_line(text), ["a" * LENGTH], ordered=True
        ),
        "nodes of an answer": _within("Final Answer: [%s]", lc_niah.nodes_of),
        "what a judge says": lambda text: judge.read(text, "?", "Paris", "[[A=B]]"),
        "what is judged": partial(judge.read, "[[A=B]]", "?", "Paris"),
        "what a judge is asked": partial(judge.messages, "?", "Paris"),
    }


def _within(frame: str, work: Work) -> Work:
    return lambda text: work(frame.replace("%s", text))


def run(work: dict[str, Work], pieces: Iterable[str], seconds: int = SECONDS) -> None:
    """Run each function on half a megabyte of each piece."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for piece in pieces:
        text = piece * (LENGTH // len(piece)) + "\0"
        for name, do in work.items():
            print(f"{name} on {piece!a}", flush=True)
            limit = int(time.process_time()) + seconds + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
            do(text)
