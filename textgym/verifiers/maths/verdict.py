r"""Whether an answer is the right one, and worked out.

`verify` may be called from any thread, event loop and process. Worker processes (`workers`) compare
the texts, with a limit of CPU time and of memory for each check. Invariants:

- What an answer says never raises and never stalls: over a limit, it is not equal, `timed_out`.
- A verdict depends on the arguments alone, not on the process or the load of the machine.
- A worker that dies by itself is a `WorkerFailure`, never a verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from textgym.errors import UsageError
from textgym.verifiers.maths.forms import FORMS, Form
from textgym.verifiers.maths.parsing.final_answer import final_answer
from textgym.verifiers.maths.processes.workers import workers

__all__ = ["MAX_TIMEOUT", "MathVerdict", "verify"]

MAX_TIMEOUT = 3600.0
"""Seconds that a check may be given at most."""

_MAX_ANSWER = 100_000  # characters; some texts of that length take math-verify minutes
_MAX_REMEMBERED = 2_000  # characters of an answer whose verdict is kept
_INTEGER = re.compile(r"-?[1-9][0-9]{0,29}|0")


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """The result of one check.

    Attributes:
        equal: Whether the answer is the right one.
        timed_out: The check ran over its limit of time or memory, because of the answer.
        extracted: What was found in the answer, as text; "" where nothing was.
        unevaluated: The answer is not accepted because it is an expression that was left to be
            computed, such as an integral, or an equal one of the question's own numbers.
    """

    equal: bool
    timed_out: bool = False
    extracted: str = ""
    unevaluated: bool = False


def verify(
    gold: str, answer: str, *, timeout: float = 10.0, form: Form = "any", question: str = ""
) -> MathVerdict:
    r"""Tell whether an answer equals the gold and is worked out.

    Args:
        gold: The right answer in LaTeX, with or without `$…$` or `\(…\)` around it.
        answer: The model's whole text, without its reasoning. The last box counts, or the last ones
            where only `and`, `or` or a comma stands between them; without a box, the last formula
            or number.
        timeout: CPU time in seconds that the check may take.
        form: How far the answer has to be worked out: `any`, `evaluated` or `simplified`, see
            `textgym.verifiers.maths.forms`.
        question: What was asked. Its own formulas are no answer, and where it asks for a
            percentage, the sign may be missing.

    Raises:
        UsageError: The timeout is not over 0 and up to 3,600, or the form is not a known one.
        WorkerFailure: The worker processes do not start, or die by themselves.

    Example:
        >>> verify(r"\frac{1}{2}", r"Half of it: $\boxed{0.5}$.").equal
        True
        >>> verify("3", r"\boxed{3}, or rather \boxed{7}.").equal
        False
        >>> verify("10", r"\boxed{\binom{5}{2}}").unevaluated
        True
    """
    if not 0 < timeout <= MAX_TIMEOUT:
        raise UsageError(f"a timeout is more than 0 and at most {MAX_TIMEOUT:g}, not {timeout!r}")
    if form not in FORMS:
        raise UsageError(f"form is one of {', '.join(FORMS)}, not {form!r}")
    gold, answer = _bare(gold), _end(answer)
    boxed = final_answer(answer)
    if boxed is not None:
        answer = boxed.strip()
        if _INTEGER.fullmatch(gold) and _INTEGER.fullmatch(answer):
            return MathVerdict(answer == gold, extracted=answer)
    compare = _in_a_worker if len(answer) > _MAX_REMEMBERED else _remembered
    return compare(gold, answer, boxed is not None, timeout, form, question)


def _in_a_worker(
    gold: str, answer: str, boxed: bool, timeout: float, form: Form, question: str
) -> MathVerdict:
    arguments = {
        "gold": gold, "answer": answer, "boxed": boxed, "form": form, "question": question,
    }  # fmt: skip
    reply = workers().check(arguments, timeout)
    if not reply.get("over"):
        return MathVerdict(
            reply["equal"], extracted=reply["extracted"], unevaluated=reply["unevaluated"]
        )
    if gold and boxed and answer == gold:
        return MathVerdict(True, extracted=gold)  # the same text needs no computing
    return MathVerdict(False, timed_out=True)


_remembered = lru_cache(maxsize=1024)(_in_a_worker)


def _bare(gold: str) -> str:
    gold = gold.strip()
    if gold.startswith("\\(") and gold.endswith("\\)"):
        gold = gold[2:-2].strip()
    if len(gold) > 1 and gold.startswith("$") and gold.endswith("$"):
        gold = gold[1:-1].strip()
    return gold


def _end(answer: str) -> str:
    """Cut an answer that is too long to read to its last lines."""
    if len(answer) <= _MAX_ANSWER:
        return answer
    answer = answer[-_MAX_ANSWER:]
    return answer[answer.find("\n") + 1 :]
