"""`textgym/Program-v0`: write a program, which is verified by running it in a box."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.generation import choice, redrawn
from textgym.envs.program.drafts import row_of
from textgym.envs.program.families import FAMILIES, FIRST_FAMILIES, LEVELS
from textgym.envs.program.foreign_rows import read_foreign_row
from textgym.envs.program.program_rows import ProgramTask, read_own_row
from textgym.errors import (
    ExtraMissingError,
    OracleError,
    SandboxFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.messages import Message, assistant, text_of
from textgym.sandbox import KINDS, default_kind
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task, split_of
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.programs.blocks import blocks_in, may_define, may_print
from textgym.verifiers.programs.runner import LIMITED, Settings, Verdict, run_tests
from textgym.verifiers.programs.tests import Test, share_above_chance

__all__ = ["Program"]

_MAX_SHOWN = 10_000  # characters of a program in an info
_STDIN_SHARE = 0.3  # of the tasks of families whose programs may read standard input


class Program(PartialCreditEnv[None]):
    r"""A programming task, answered with a program that hidden tests verify.

    It measures whether a model writes Python that does what was asked, on inputs that it has not
    seen. The tests decide, not the look of the program.

    ## Description
    The model reads what a function, a class or a whole program must do, and writes it. The program
    runs in a sandbox, on the examples of the prompt and on hidden inputs. Tasks come from a data
    set or from a generator, which has families of lists, texts, sequences, intervals, expressions,
    maps, stairs, choices, and classes with state. About a third of the lists, maps, sequences,
    stairs and choices ask for a program that reads standard input. Rows of HumanEval, MBPP,
    LiveCodeBench and NeMo Gym's `code_gen` are supported.

    ## Observation
    A user message: what the program must do, examples, and an instruction on how to answer. Rows of
    NeMo Gym contain their own prompt.

    ## Action
    One assistant message. Its last whole program counts; its reasoning is ignored. Programs are
    blocks of code, with or without the mark `python`; if some blocks are marked, the others are not
    read. A text without a block is read as a program itself. A program is whole if it is Python and
    defines the function or class that was asked for; a program that reads standard input must do
    something. Later blocks that only call it or test it are passed over; a later block with another
    function or class is the answer, and wrong. For HumanEval, the text may also continue the code
    of the prompt.

    ## Reward
    1 if all tests are passed, the examples of the prompt included, else 0.

    With `partial_credit=True`, a program that fails gets up to 0.5, for its share of the hidden
    tests. Tests with the same expected value count as one, which a program passes if it passes all
    of them, and the first of these is worth nothing. So a program that always returns the same
    value, or its argument, gets 0.

    Components, each from 0 to 1:

    - `program`: there was a whole program
    - `tests`: the share of tests that were passed
    - `efficient`: only if the task has tests with large inputs; all of them were passed
    - `time_limit`, `memory_limit`, `output_limit`: a test reached this limit
    - `progress`: only with `partial_credit=True`; what the share of tests earned

    ## Tests
    Only arguments, as JSON, enter the sandbox, and only values come out. They are compared outside,
    as plain data: None, bools, numbers, texts, bytes, lists, tuples, sets and dicts. The tests and
    the expected values are never in the sandbox, so a program cannot read, patch or forge a
    result: it has to compute it. Each test runs in a process of its own, in one sandbox for each
    task. A test with `fresh` gets a sandbox of its own, so that nothing can be remembered.

    In generated tasks, values must have the same type: `(1, 2)` is not `[1, 2]`, 1 is not True, and
    2.0 is not 2. An integer is accepted for a float, and floats may differ by a millionth. Of what
    is printed, white space at the ends of lines and empty lines at the end are ignored. What a
    function prints is not read.

    A test ends at its limit of CPU time, memory or output; then no further test is run. A program
    that reaches a limit fails. A sandbox that does not start raises `SandboxFailure`, which is
    never a reward.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether all tests were passed |
    | `extracted_answer` | the program that was run, up to 10,000 characters; `""` for none |
    | `reward_components` | the components above |
    | `problem` | what the first failed test came to, such as `wrong` or `time`; `""` for none |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    After the first message.

    ## Levels
    Level 0 asks for a function that returns, for example, `n` plus 7. It is only drawn with
    `level=0`.

    A level adds rules: a list goes through one step at level 1 and through five at level 5. From
    level 2 on, one of the hidden tests of stairs has a large input, from level 4 on of sequences;
    an exponential program does not finish it. Every rule and number matters: for each of them, a
    solution without it, or with a number one higher, fails a hidden test.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | what the program must do |
    | `entry_point` | the function or class; without it, the program reads standard input |
    | `tests` | hidden tests, see below |
    | `examples` | optional, tests that the prompt shows |
    | `solution` | optional, a right program, for the oracle |
    | `time_limit` | optional, the seconds of CPU time for a test |
    | `category`, `content` | in generated rows, the family, and what decides the split |

    A test has the `expected` value and `args` (and `kwargs`) of a call; or `init`, the arguments of
    a class, and `calls`, pairs of a method and its arguments, whose values are a list; or `stdin`.
    It may have `compare` (`same`, `equal`, `json`, `close` with a `tolerance`, `true`, `false`;
    `lines` or `tokens` for what is printed), `large` and `fresh`. Values that JSON does not have
    are written `{"$tuple": […]}`, `{"$set": […]}`, `{"$dict": [[key, value], …]}`,
    `{"$bytes": "hex"}`, `{"$float": "inf"}` or `{"$int": "0x…"}`.

    Other rows keep their fields and are compared as in the original:

    | data | fields |
    | --- | --- |
    | HumanEval | `prompt`, `entry_point`, `test`, `canonical_solution` |
    | MBPP | `text` or `prompt`, `test_list`, `test_setup_code`, `challenge_test_list`, `code` |
    | LiveCodeBench | `question_content`, `public_test_cases`, `private_test_cases`, `metadata` |
    | NeMo Gym | `responses_create_params`, `verifier_metadata.unit_tests` |

    `assert f(…) == value` is read as arguments and a value. Other assertions, such as loops and
    helper functions, run in a second sandbox, which reaches the program only through calls with
    plain data. An MBPP row whose tests use classes of its solution, or give types as arguments, is
    refused with a `RowError`. MBPP's prompt shows the first test only.

    In rows of LiveCodeBench and NeMo Gym, a program may use common modules such as `math` and
    `collections`, and their names, without importing them. Printed integers must be equal, and may
    be written differently. Where a number with a decimal point or exponent is expected, a printed
    one may differ by a millionth and a returned one by a hundred-thousandth; the original asks for
    equal ones.

    Args:
        unit_test_timeout_secs: The seconds of CPU time for each test, unless the row says it.
        memory_mb: The megabytes of memory.
        sandbox: The kind of sandbox, `bwrap`, `landlock` or `none`; None for the first of these two
            that works here. `none` only bounds what a program uses.
        **kwargs: `partial_credit`, and `dataset`, `split`, `level`, `max_turns` and `render_mode`
            of `TextEnv`.

    Raises:
        UsageError: An argument is not valid.
        ExtraMissingError: No sandbox works here.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Program-v0")
        >>> row = {"question": "Write a function `double(n)`.", "entry_point": "double",
        ...        "examples": [{"args": [2], "expected": 4}],
        ...        "tests": [{"args": [n], "expected": 2 * n} for n in (-3, 0, 5, 11)]}
        >>> observation, info = env.reset(options={"task": row})
        >>> answer = "So it is:\n```python\ndef double(n):\n    return n + n\n```"
        >>> observation, reward, terminated, truncated, info = env.step(answer)
        >>> reward, info["reward_components"]["tests"]
        (1.0, 1.0)
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("double = lambda n: n ** 2")
        >>> reward, info["problem"], info["reward_components"]["tests"]
        (0.0, 'wrong', 0.4)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Program-v0",
        summary="Programs that hidden tests verify, run in a sandbox.",
        structure=("single-step",),
        capabilities=("reasoning", "planning", "calculation"),
        domain=("programming",),
        task_type="code generation",
        verification=("tests in a sandbox",),
        levels=LEVELS,
        first_rung=True,
        chance=0.0,
        data="generated, .jsonl, .parquet, .csv, hub; HumanEval, MBPP, LiveCodeBench and NeMo Gym "
        "code_gen rows",
        several_answers=True,
        accepts=("sentences",),
        notes="It needs a sandbox, which needs Linux; see docs/sandbox.md.",
    )

    task: ProgramTask
    blocking = True

    def __init__(
        self,
        *,
        unit_test_timeout_secs: float = 5.0,
        memory_mb: int = 512,
        sandbox: str | None = None,
        **kwargs: Any,
    ) -> None:
        for name, value, kinds in (
            ("unit_test_timeout_secs", unit_test_timeout_secs, (int, float)),
            ("memory_mb", memory_mb, (int,)),
        ):
            if isinstance(value, bool) or not isinstance(value, kinds) or value <= 0:
                raise UsageError(f"{name} must be a number above 0, not {value!r:.60}")
        if sandbox is not None and sandbox not in KINDS:
            hint = did_you_mean(str(sandbox), KINDS)
            raise UnknownNameError(f"there is no sandbox {sandbox!r:.60}{hint}")
        try:
            self.sandbox = sandbox or default_kind()
        except SandboxFailure as failure:
            raise ExtraMissingError(f"{self.card.id}: {failure}") from None
        self.unit_test_timeout_secs, self.memory_mb = unit_test_timeout_secs, memory_mb
        self._verdict: Verdict | None = None
        super().__init__(**kwargs)

    @redrawn
    def _drafted(self, rng: random.Random, level: int) -> tuple[str, dict[str, Any]]:
        families = FAMILIES if level else FIRST_FAMILIES
        family, draft = families.draw(rng, level)
        while split_of(draft.content) != self.split:  # making a row takes a hundred times longer
            family, draft = families.draw(rng, level)
        may_read = level > 0 and bool(draft.names) and "str" not in draft.names.values()
        return family, row_of(draft, rng, may_read and rng.random() < _STDIN_SHARE)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a task of a random family, with its tests."""
        family, row = self._drafted(rng, level)
        return {**row, "category": family}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the rules of the task, regardless of its tests."""
        return row["content"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's rows, or one of HumanEval, MBPP, LiveCodeBench or NeMo Gym."""
        foreign = read_foreign_row(row)
        if foreign is not None:
            return foreign
        prompt = nemo_rows.prompt_of(row) if nemo_rows.has_prompt(row) else ()
        return read_own_row(row, prompt)

    def progress(self) -> float:
        """Return the share of hidden tests that are passed, beyond what any constant passes."""
        self._verdict = self._run()  # for `grade`, which follows
        return share_above_chance(self.task.tests, self._verdict.passed)

    def grade(self) -> Grade:
        """Run the tests, unless `progress` has just done so."""
        tests, verdict = self.task.tests, self._verdict or self._run()
        self._verdict = None
        statuses = [status.partition(" ")[0] for status in verdict.statuses]
        passed = verdict.passed
        right = all(passed)
        components = {"program": float(verdict.chosen >= 0), "tests": sum(passed) / len(tests)}
        large = [done for test, done in zip(tests, passed, strict=True) if test.large]
        if large:
            components["efficient"] = float(all(large))
        components |= {f"{limit}_limit": float(limit in statuses) for limit in LIMITED}
        failed = [status for status in verdict.statuses if status != "right"]
        info = {"problem": verdict.problem or (failed[0] if failed else "")}
        shown = self._candidates()[verdict.chosen][:_MAX_SHOWN] if verdict.chosen >= 0 else ""
        reason = "" if right or not self.answer_text else "wrong" if shown else "unreadable"
        return self.less_paid(Grade(float(right), right, components, shown, info, reason))

    def _run(self) -> Verdict:
        """Return the outcome of the program."""
        task, blocks = self.task, self._candidates()
        if not blocks:
            return Verdict(-1, "there is no program", ("not run",) * len(task.tests))
        settings = Settings(
            cpu=task.time_limit or self.unit_test_timeout_secs,
            memory=self.memory_mb,
            kind=self.sandbox,
        )
        return run_tests(
            blocks, task.tests, entry=task.entry, before=task.before, settings=settings
        )

    def _candidates(self) -> list[str]:
        """Return the texts that may be the program. The last whole one counts."""
        task = self.task
        reply = next(self.replies, None)
        text = "" if reply is None else after_reasoning(text_of(reply))
        found = blocks_in(text)
        if not task.entry:
            return found if any(map(may_print, found)) else []
        continued = [f"{task.begun}{block}" for block in found] if task.begun else []
        if not continued and not any(may_define(block, task.entry) for block in found):
            return []
        return continued + found

    def solve(self) -> Message:
        """Give the row's solution."""
        if not isinstance(self.task.answer, str):
            raise OracleError(f"{self.task.id} has no solution")
        return assistant(_fenced(self.task.answer))

    def guess(self, rng: random.Random) -> Message:
        """Give a program that knows the examples, and for other inputs repeats one of them."""
        shown = [test for test in self.task.tests if test.shown and test.compare != "code"]
        default = choice(rng, shown or [Test({"args": []}, None)])
        if not self.task.entry:
            known = {test.given["stdin"]: test.expected for test in shown}
            text = (
                f"import sys\nprint({known!r}.get(sys.stdin.read(), {default.expected!r}), end='')"
            )
        elif any("calls" in test.given for test in shown):
            text = _guessed_class(self.task.entry, shown, default)
        else:
            known = {repr(test.given): test.expected for test in shown}
            text = (
                f"def {self.task.entry}(*args, **kwargs):\n"
                f"    return {known!r}.get(repr({{'args': list(args)}}), {default.expected!r})"
            )
        return assistant(_fenced(text))


def _guessed_class(entry: str, shown: list[Test], default: Test) -> str:
    """Return a class whose methods return what they returned in the first call of an example."""
    values: dict[str, Any] = {}
    calls: Mapping[str, Any] = default.given
    for (name, _), value in zip(calls["calls"], default.expected, strict=True):
        values.setdefault(name, value)
    methods = "\n".join(
        f"    def {name}(self, *args):\n        return {value!r}" for name, value in values.items()
    )
    return f"class {entry}:\n{methods}"


def _fenced(program: str) -> str:
    return f"```python\n{program.strip()}\n```"
