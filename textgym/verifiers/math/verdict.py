"""Whether an answer is correct and fully evaluated.

`verify` may be called from any thread, event loop and process. Worker processes (`workers`) compare
the texts, and each check has a limit of CPU time and memory. Invariants:

- No answer raises an exception or blocks: an answer that exceeds a limit is `timed_out`, not equal.
- A verdict depends only on the arguments, not on the process or the load of the machine.
- If workers die for reasons other than the answer, `WorkerFailure` is raised instead of a verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from textgym.concurrency.workers import Workers, workers_for
from textgym.errors import UsageError
from textgym.verifiers.choices.letters import named_letter
from textgym.verifiers.exact import with_decimal_point
from textgym.verifiers.math.plain import plain_characters, with_asked_number
from textgym.verifiers.math.quantities import holds_quantity, quantity
from textgym.verifiers.math.stated_values import stated_value
from textgym.verifiers.math.stated_words import stated_text
from textgym.verifiers.math.statements import UNSURE
from textgym.verifiers.math.words import (
    names_no_solution,
    option_letter,
    option_letters,
    plain_words,
    same_words,
    words_of,
)
from textgym.verifiers.stated import AnswerForm, read_stated

__all__ = ["FORMS", "MAX_TIMEOUT", "Form", "MathVerdict", "equal_math", "verify"]

Form = Literal["any", "evaluated", "simplified"]
"""How far an answer must be evaluated. `worked_out` applies these rules to formulas.

- `any`, for data of unknown origin: operators such as integrals, and powers, roots and functions of
  numbers, are allowed only if the gold has them; one step of arithmetic is allowed, unless it
  combines numbers of the question; a formula of the question is not an answer.
- `evaluated`: as `any`, but with no more steps of arithmetic than the gold, and without integers
  written as fractions.
- `simplified`: as `evaluated`, with fractions in lowest terms, square roots without square factors,
  and no roots in denominators.
"""
FORMS: tuple[Form, ...] = get_args(Form)
MAX_TIMEOUT = 3600.0
"""The maximum time limit of a check, in seconds."""

_MAX_ANSWER = 100_000  # characters that are read, from the end
_MAX_CACHED_ANSWER = 2_000  # characters of an answer whose verdict is cached
_RATIO = re.compile(r"\d+ ?(?::|\\colon) ?\d+")
_TO = re.compile(r"(?<=\d) to (?=\d)")
_FRACTION = re.compile(r"\\d?frac\{\d+\}\{\d+\}|\d+ ?/ ?\d+")
_OUT_OF = re.compile(r"(?<=\d) (?:out of|in) (?=\d)")
_CENTS = re.compile(r"(?<![\d.,$])(\d[\d,]*+) dollars?,?(?: and)? (\d\d?) cents?\b", re.IGNORECASE)
_WORDED = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mbox)\s?\{[^{}]*[a-zA-Z]{2}[^{}]*\}")
_INTEGER = re.compile(r"-?[1-9][0-9]{0,29}|0")


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """The result of one check.

    Attributes:
        equal: Whether the answer is correct.
        timed_out: Whether the check of this answer exceeded its limit of time or memory.
        extracted: The answer that was found, as text; "" if none was found.
        unevaluated: Whether the answer was rejected because it still has to be computed, such as an
            integral, or an expression that only combines numbers of the question.
    """

    equal: bool
    timed_out: bool = False
    extracted: str = ""
    unevaluated: bool = False


def verify(
    gold: str,
    answer: str,
    *,
    timeout: float = 10.0,
    form: Form = "any",
    question: str = "",
    stated_in: AnswerForm | None = None,
) -> MathVerdict:
    r"""Compare an answer with the gold, and check that it is evaluated.

    Args:
        gold: The correct answer in LaTeX, with or without `$…$` or `\(…\)` around it.
        answer: The model's whole text, without its reasoning. Its answer is what it states last in
            `\boxed{}`, in `<answer>` or behind `Answer:`; see `read_stated`. Without these, it is
            the formula or number that is stated last: behind `answer is`, or else in the last
            sentence that has one.
        timeout: The limit of CPU time for the check, in seconds.
        form: How far the answer must be evaluated: `any`, `evaluated` or `simplified`, see
            `textgym.verifiers.math.verdict`.
        question: The question. Its own formulas are rejected as answers. If it asks for a
            percentage, the answer may omit the percent sign.
        stated_in: The form in which the prompt asks for the answer; if the text has it, no other
            form counts. See `named_form`. If it is None, the form that stands last counts.

    Raises:
        UsageError: The timeout is not over 0 and up to 3,600, or the form is unknown.
        WorkerFailure: The worker processes do not start, or die for reasons other than the answer.

    Example:
        >>> verify(r"\frac{1}{2}", r"Half of it: $\boxed{0.5}$.").equal
        True
        >>> verify("3", r"\boxed{3}, or rather \boxed{7}.").equal
        False
        >>> verify("10", r"\boxed{\binom{5}{2}}").unevaluated
        True
    """
    if not 0 < timeout <= MAX_TIMEOUT:
        raise UsageError(f"timeout must be over 0 and up to {MAX_TIMEOUT:g}, not {timeout!r}")
    if form not in FORMS:
        raise UsageError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
    gold, answer = _bare(gold), plain_characters(_end(answer))
    if _RATIO.fullmatch(gold):
        answer = _TO.sub(":", answer)
    if _FRACTION.fullmatch(gold):
        answer = _OUT_OF.sub("/", answer)
    if "cent" in answer and "cents" not in question:
        answer = _CENTS.sub(lambda money: f"${money[1]}.{money[2]:0>2}", answer)
    in_digits = quantity(plain_words(gold))
    if _INTEGER.fullmatch(in_digits) or (in_digits and gold[0].isdigit()):  # not "Five Guys"
        gold = in_digits
    if _INTEGER.fullmatch(gold):
        answer = with_asked_number(answer, question)
    stated = read_stated(answer, stated_in)
    is_boxed = stated.form == "box"
    if stated.form == "tag" or (stated.form == "line" and stated_in == "line"):
        answer = f"Answer: {stated.text.strip()}"
    words, letter = words_of(gold, question), option_letter(gold, question)
    if words or letter:
        texts = [stated.text] if is_boxed else stated_text(answer, question)
        return _compare_words(words, letter, question, [*map(plain_words, texts)])
    if names_no_solution(gold):
        texts = [stated.text] if is_boxed else stated_text(answer, question)
        if any(map(names_no_solution, texts)):
            return MathVerdict(True, extracted="no solution")
    if is_boxed:
        formula = _formula_in(stated.text.strip(), question)
    else:
        spoken = stated_text(answer) if holds_quantity(answer) else []
        quantities = (quantity(plain_words(text), question) for text in spoken)
        value = stated_value(answer, question)
        is_last = answer.rstrip(" .!*_\n").endswith(value)  # not "1h30m more"
        formula = (
            next(filter(None, quantities), "") or (is_last and quantity(value, question)) or value
        )
    if _INTEGER.fullmatch(gold) and _INTEGER.fullmatch(formula):
        return MathVerdict(formula == gold, extracted=formula)
    compare = _in_a_worker if len(formula) > _MAX_CACHED_ANSWER else _remembered
    verdict = compare(gold, formula, timeout, form, question)
    decimal = "" if verdict.equal else with_decimal_point(formula)
    if decimal and (other := compare(gold, decimal, timeout, form, question)).equal:
        return other
    return verdict


def equal_math(
    expected: str, generated: str, *, question: str = "", form: Form = "any", timeout: float = 10.0
) -> bool:
    r"""Return whether a mathematical answer equals the expected one and is fully evaluated.

    `textgym.verifiers.math.verify` does the same and also returns why an answer is rejected.

    Args:
        expected: The right answer in LaTeX.
        generated: The model's text, without its reasoning.
        question: The question. Its own formulas are rejected as answers.
        form: How far the answer must be evaluated: `any`, `evaluated` or `simplified`.
        timeout: The limit of CPU time for the check, in seconds.

    Raises:
        UsageError: The form or the timeout is not valid.
        WorkerFailure: The worker processes do not start, or crash.

    Example:
        >>> equal_math("42", r"\boxed{6 \cdot 7}"), equal_math("42", r"\boxed{41}")
        (True, False)
        >>> equal_math("10", r"\boxed{\binom{5}{2}}")
        False
    """
    return verify(expected, generated, question=question, form=form, timeout=timeout).equal


def _formula_in(box: str, question: str) -> str:
    """Return the formula in a box, which may be a text with a value, such as `42 pens`."""
    words = plain_words(box)
    is_sentence = _WORDED.fullmatch(box) and not UNSURE.search(words)
    return (
        quantity(words, question)
        or (stated_value(f"Answer: {words}") if is_sentence else "")
        or box
    )


def _compare_words(words: str, letter: str, question: str, texts: list[str]) -> MathVerdict:
    if letter:
        letters = option_letters(question)
        named = [named_letter(text, letters) for text in texts]
        return MathVerdict(letter in named, extracted=named[0] if named else "")
    equal = [text for text in texts if same_words(words, text)]
    return MathVerdict(bool(equal), extracted=(equal or texts or [""])[0])


def workers() -> Workers:
    """Return the worker processes that compare formulas."""
    return workers_for("textgym.verifiers.math.check:load", name="mathematics")


def _in_a_worker(gold: str, answer: str, timeout: float, form: Form, question: str) -> MathVerdict:
    reply = workers().call(
        {"gold": gold, "answer": answer, "form": form, "question": question}, timeout
    )
    if reply is not None and not reply.get("over"):
        return MathVerdict(
            reply["equal"], extracted=reply["extracted"], unevaluated=reply["unevaluated"]
        )
    if gold and answer == gold:
        return MathVerdict(True, extracted=gold)  # identical texts need no computation
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
    """Cut an answer that is too long, and keep its last lines."""
    if len(answer) <= _MAX_ANSWER:
        return answer
    answer = answer[-_MAX_ANSWER:]
    return answer[answer.find("\n") + 1 :]
