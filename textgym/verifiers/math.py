r"""Mathematics: whether an answer equals the right one, as math-verify sees it.

`verify` may be called from any thread, event loop and process. The library runs in worker
processes (`math_workers`), with a limit of CPU time and of memory for each check. What always
holds:

- Where math-verify comes to a verdict in reasonable time, this gives the same one; but numbers that
  agree to a thousand places are equal, even where sympy cannot prove it.
- What an answer says never raises and never stalls: over a limit, it is not equal, `timed_out`.
- A worker that dies by itself is a `WorkerFailure`, never a verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from textgym.errors import UsageError
from textgym.verifiers.extract import last_boxed
from textgym.verifiers.math_workers import workers

__all__ = ["LONGEST_TIMEOUT", "MathVerdict", "verify"]

LONGEST_TIMEOUT = 3600.0
"""Seconds that a check may be given at most."""

_LONGEST_ANSWER = 100_000  # characters; some texts of that length take math-verify minutes
_INTEGER = re.compile(r"-?[1-9][0-9]{0,29}|0")
_INTEGER_BOXED = re.compile(
    rf"\\boxed\{{(?P<integer>{_INTEGER.pattern})\}}[\s.$]*(?:\\[\])][\s.]*)?"
)


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """What came of one check.

    Attributes:
        equal: Whether the answer equals the gold.
        timed_out: The check ran over its limit of time or memory, by the answer's own doing.
        extracted: What was found in the answer, as text; "" where nothing was.
    """

    equal: bool
    timed_out: bool = False
    extracted: str = ""


def verify(gold: str, answer: str, *, timeout: float = 10.0) -> MathVerdict:
    r"""Tell whether an answer equals the gold.

    Args:
        gold: The right answer in LaTeX, with or without `$…$` or `\(…\)` around it.
        answer: The model's whole text, without its reasoning.
        timeout: Seconds of CPU time that the check may take.

    Raises:
        UsageError: The timeout is no number of seconds up to an hour.
        WorkerFailure: The worker processes do not start, or die by themselves.

    Example:
        >>> verify(r"\frac{1}{2}", r"Half of it: $\boxed{0.5}$.")
        MathVerdict(equal=True, timed_out=False, extracted='1/2')
    """
    if not 0 < timeout <= LONGEST_TIMEOUT:
        raise UsageError(f"a timeout is more than 0 and at most {LONGEST_TIMEOUT}, not {timeout}")
    gold, answer = _bare(gold), _end(answer)
    return _plain_integers(gold, answer) or _in_a_worker(gold, answer, timeout)


@lru_cache(maxsize=1024)
def _in_a_worker(gold: str, answer: str, timeout: float) -> MathVerdict:
    reply = workers().check(gold, answer, timeout)
    if not reply.get("over"):
        return MathVerdict(reply["equal"], extracted=reply["extracted"])
    if gold and (last_boxed(answer) or "").strip() == gold:
        return MathVerdict(True, extracted=gold)  # the same text needs no computing
    return MathVerdict(False, timed_out=True)


def _bare(gold: str) -> str:
    gold = gold.strip()
    if gold.startswith("\\(") and gold.endswith("\\)"):
        gold = gold[2:-2].strip()
    if len(gold) > 1 and gold.startswith("$") and gold.endswith("$"):
        gold = gold[1:-1].strip()
    return gold


def _end(answer: str) -> str:
    """Cut an answer that is too long to read to its last lines."""
    if len(answer) <= _LONGEST_ANSWER:
        return answer
    answer = answer[-_LONGEST_ANSWER:]
    return answer[answer.find("\n") + 1 :]


def _plain_integers(gold: str, answer: str) -> MathVerdict | None:
    r"""Compare a plain integer with a text that ends on its only box, which holds another.

    There math-verify takes what is in the box, and nothing needs to be computed. Only where the
    text says "final answer" might it look elsewhere.
    """
    start = answer.find("\\boxed")
    if start < 0 or answer.find("\\boxed", start + 1) >= 0 or not _INTEGER.fullmatch(gold):
        return None
    boxed = _INTEGER_BOXED.fullmatch(answer, start)
    if boxed is None or "\\fbox" in answer or "final answer" in answer.lower():
        return None
    return MathVerdict(boxed["integer"] == gold, extracted=boxed["integer"])
