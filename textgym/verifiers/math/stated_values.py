"""The formula or number that a sentence states, whole.

A sentence may hold several numbers. The answer is what stands behind its last stating words, such
as `is` or `=`, without the numbers that the question gives, and before what only explains it.

Invariants: several alternatives stay together, so that no single one is taken; a value is taken
whole, or not at all; what is denied, and a part of a larger expression ("half of 42"), is not an
answer; any text is read in linear time.
"""

from __future__ import annotations

import re

from textgym.verifiers.denial import NEGATIONS
from textgym.verifiers.math.plain import (
    NUMBERED,
    prepared,
    with_confirmed_value,
    with_results,
    without_marks,
)
from textgym.verifiers.math.statements import (
    DENIED,
    HIDDEN,
    REASON,
    UNSURE,
    WRONG,
    hide,
    start_of,
    statements,
)
from textgym.verifiers.stated import DENIED_LABEL

__all__ = ["stated_value"]

_MAX_VALUE = 500  # characters
_CASES = re.compile(
    r"[,;]? (?:if|when|where|for)\b.{1,80}?(?:[,;]|\b(?:and|but|or|otherwise)\b)"
    rf"(?: (?:and|but|or|otherwise))?(?: it(?: is|['’]s))? [-−$]?[\d.,{HIDDEN}]+"
    r" (?:if|when|where|for|otherwise|else)\b"
    rf"|[,;]? (?:only )?if\b.{{1,80}}\belse,? [\d{HIDDEN}]",
    re.IGNORECASE,
)
"""A condition, and another value with its own condition."""
_CONCLUSION = re.compile(
    r"[,;] (?:and )?so (?=(?:he|she|it|they|we|i|you|there|the|that|this|each|(?-i:[A-Z])\w+"
    rf"|[a-z] ?(?==))(?:['’]s)?(?![\w'’])[^;\n]{{0,200}}?[\d{HIDDEN}])",
    re.IGNORECASE,
)
"""What separates the premises from the conclusion behind them: "8 is half of 16, so x = 8"."""
_NEGATIVE = re.compile(r"\b(?:minus|negative) (?=[\d$\\])", re.IGNORECASE)
_CARDINAL = r"(?!(?<!/\d)(?:st|nd|rd|th|ish)\b)"
"""What keeps an ordinal such as `42nd`, which counts no things, from being a value."""
_ATOM = (
    rf"(?:{HIDDEN}+|\\[a-zA-Z]+|\\[,;!:%$# {{}}]|\d++(?:[.,]\d++)*+{_CARDINAL}|\.\d+"
    r"|(?<![A-Za-z])[A-Za-z]{2,12}(?=\([^()\n]{1,40}\) ?=)"
    r"|(?<![A-Za-z])(?:sin|cos|tan|ln|log|sqrt|exp|pi|infinity|inf)(?![A-Za-z])"
    r"|[θπφα]|(?<![A-Za-z'’.])(?![aAI]\s+(?!(?:or|and)\b)(?:[A-Za-z]{2}|\d))[A-Za-z](?![A-Za-z'’])"
    r"|[-+*/^=≈<>()\[\]{}|!%√∞±≤≥²³½¼¾×·÷−–_°′∪∩∈∅$€£¥]|:(?! )|(?<= ):)"
)
_RUN = re.compile(rf"{_ATOM}(?:(?: ?[,;]? ?(?:and|or|&) |[ ,;\n]*){_ATOM})*")
_HAS_VALUE = re.compile(rf"(?![\^_])[\s\S]*?(?:[\dA-Za-z√∞½¼¾π∅{HIDDEN}]|\\[a-zA-Z])")
_NUMBER = re.compile(rf"[\d½¼¾∞π{HIDDEN}]|\\[a-zA-Z]|(?<![A-Za-z])(?:pi|infinity)(?![A-Za-z])")
_FORMULA_BEFORE = re.compile(
    r"(?:\A|\b(?:is|are|be|equals|get|so|thus|hence|therefore|then)\b)\W*\Z", re.IGNORECASE
)
_OPERATION = re.compile(r"[\w)²³] ?[-+*/^=·×] ?[\w(]|\w[²³]")
_ASIDE = re.compile(r"(?<!:) \([^()\n]{0,80}?[a-z]{2}[^()\n]{0,80}\)\W*\Z", re.IGNORECASE)
_STATES = re.compile(
    rf"(?:\b(?:is|are|equals):?|\b(?:(?:for|making) a total of|result(?:s|ing) in)|(?<=[a-z]{{2}}):"
    r"|\b(?:giv(?:es|ing)|leav(?:es|ing))(?: (?:him|her|them|it|us|(?-i:[A-Z])[a-z]+))?(?: with)?"
    rf"|(?<=[a-zA-Z]{{2}} )=) (?=[\d$\\(\[√{{-]|{HIDDEN}|[a-z] ?=)"
    r"(?![\d.,$\\()]++%? (?:[a-z]+ )?(?:more|less|fewer|greater|smaller|times)\b)"
)
"""What states the value behind it, unless that value compares two others."""
_LEADING, _TRAILING = " ,;=≈:)]}", " ,;:([{"
_OPERATOR_AT_END = re.compile(r"[-+*/^=_−–×·÷<>]\Z|\A[*/^_×·÷<>]")
_GLUED_BEFORE, _GLUED_BEHIND = " \n(:=≈[>*_|,;-'‘)]}", ".,;:!?)]}'’ °"
_PART_BEFORE = re.compile(
    r"\b(?:half|third|quarter|fifth|tenth|twice|double|triple|thrice|times|plus|minus|root|log|multiple"
    r"|logarithm|sine|cosine|tangent|factorial|than|als|least|most|over|under|above|below|between"
    r"|(?:divi|multipl)\w{2,5} by|sum"
    r"|product|difference|quotient|inverse|reciprocal|power|square|cube|divisor|factor|opposite|mod"
    r"|modulo|base|complement|outside|successor|predecessor|subtract|exceeds?|close|almost|nearly|unlike|different"
    r"|(?<!add )(?<!adds )(?<!added )up|digits?"
    r"|far|prime after|number after|remainder|negative"
    r"|(?:plus|moins|más|menos|mais) de|(?:più|meno) di"
    rf"|no|{NUMBERED}|not sure,|no idea,|(?-i:[B-Z]):)"
    r"(?: (?:of|the|from|to))* ?\Z",
    re.IGNORECASE,
)
_OTHER_NAME = re.compile(r"[,;] [A-Z][a-z]{1,20}: (?=[-$]?\d)")  # "Ann: 41, Bob: 42"
_AFTER = re.compile(r"\bafter ?\Z", re.IGNORECASE)  # "after 42 minutes" states a number
_COUNTED = re.compile(r"\$?\d[\d.,]*+ [a-z]{3,20}|\$\d[\d.,]*\d")
_MORE_THAN = re.compile(
    r" ?(?:(?!is|are|was|were)[a-z]{2,20} ){0,2}(?:less|more|fewer|greater)"
    r" (?:[a-z]{2,20} ){0,2}than\b"
    r"(?P<name> (?-i:[A-Z]))?",
    re.IGNORECASE,
)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:more|less|farther|further|(?:few|great|larg|small|long|short|tall|old|young|heavi|light"
    r"|high|low|fast|slow|cheap|wid|deep|warm|cold|hott)er|differences?|exceeds?|differs?)\b",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:number|probability|chance|percentage|percent|fraction|proportion|portion|part|amount|total)"
    r" (?:of|that|who|which)\b[^.,;:=\n]{0,80}?(?:"
    rf"\b(?:{NEGATIONS}|cannot)\b|n['’]t\b)"
    r"(?:(?!\b(?:if|that|whether|because|says?)\b)[^.,;:=\n]){1,80}?"
    r"(?= (?:is|are|was|were|equals) )"
    rf"|(?<=[\d{HIDDEN}] )[a-z]{{3,20}} (?:that|who) (?:(?:he|she|they|we|you|i|it) )?"
    r"(?:[a-z]{1,6}n['’]t|cannot|[a-z]{2,6} not)\b",
    re.IGNORECASE,
)
"""A denial that belongs to the things that are counted: "the number of pens not sold is 42"."""
_PART_BEHIND = re.compile(
    r" ?(?:times(?! (?:as|more|larger|bigger|greater|an?|per|each|every|in|this|to)\b|\W*\Z)"
    r"|plus|minus|squared|cubed|divided|multiplied"
    r"|over|choose|factorial|modulo|mod|percent of"
    r"|per cent of|% of|to the|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|hundredth|thousandth)s|halves|and a (?:half|third|quarter)|raised|below|remainder|base"
    r"|does|fails?|(?:is|are) too|can be (?:ruled|excluded))\b",
    re.IGNORECASE,
)
_COMPOUND = re.compile(r" ?(?!(?:but|leaves?|gives?|makes?) )[a-z]{1,12}(?: and)? ?", re.IGNORECASE)
_UNIT = re.compile(r"°? ?(?:(?: ?/? ?[A-Za-z.]{1,20}+){1,3}(?:\^\d|[²³])?)?")
_POWER, _DIGITS = re.compile(r"\^\d\Z|[²³]\Z"), str.maketrans("²³", "23")
_CURRENCIES = re.compile(r"\\?\$(?= ?[-\d.])")
_NO_UNIT = re.compile(r"\b(?:times|to|of|for|and|or|in|at|more|less|on)\b")
_PLAIN_TEXT = (
    (re.compile(r"\*\*"), "^"), (re.compile(r"\^(-?\d{2,})"), r"^{\1}"),
    (re.compile(r"(?<![a-zA-Z\\])sqrt\(([^()]*)\)"), r"\\sqrt{\1}"), (re.compile(">="), r"\\ge "),
    (re.compile("<="), r"\\le "), (re.compile(r"\A\{([^{}]*,[^{}]*)\}\Z"), r"\\{\1\\}"),
)  # fmt: skip
_DELIMITED = re.compile(r"\$\$?(?=\S|\n)([^$]*[^$\s\\]\s*)\$\$?(?!\d)|\\[()\[\]]")
_LINES = re.compile(
    r"\\begin\{(?:align|aligned|gather|equation|split)\*?\}(.*)\\end\{[a-z]+\*?\}", re.DOTALL
)
_JOINED = re.compile(r"\\(?:text|mathrm)\{ *(and|or) *\}")
_AND, _OR = re.compile(r" ?[,;]? ?(?:\band\b|&) "), re.compile(r" ?[,;]? ?\bor\b ")


def stated_value(text: str, question: str = "") -> str:
    r"""Return the formula or number that a text states last, as LaTeX; "" if there is none.

    The text behind the last `answer is` or `Answer:` counts, and without such a label the last
    sentence that holds a value. In that sentence the numbers that the question gives, such as `7
    pens`, are not the answer if there is another one.

    Example:
        >>> stated_value("First I got 12. Final answer: `36`"), stated_value("It is **$x = 3$**.")
        ('36', 'x = 3')
        >>> stated_value("The answer is 42 or 41."), stated_value("The answers are 9 and 10.")
        ('42 \\text{ or } 41', '9 , 10')
        >>> stated_value("The answer is not 42."), stated_value("It is half of 42.")
        ('', '')
    """
    text = with_confirmed_value(without_marks(prepared(text)))
    for statement in statements(text):
        said = with_results(statement.text)
        value = _value_in(said, hide(said), statement.is_labelled, question)
        if value is not None:
            return "" if statement.is_open else value
    return ""


def _value_in(statement: str, hidden: str, is_labelled: bool, question: str = "") -> str | None:
    r"""Return the value in a statement as LaTeX.

    Args:
        statement: The statement.
        hidden: The statement with `HIDDEN` in place of each character of a formula.
        is_labelled: Whether a label names it as the answer.
        question: The question.

    Returns:
        The value; "" if the statement denies or hides it, None if there is none.

    Example:
        >>> _value_in("so he has 42 apples", "so he has 42 apples", False)
        '42\\text{ apples}'
        >>> _value_in("half of 42", "half of 42", True), _value_in("nothing", "nothing", True)
        ('', None)
    """
    statement, hidden = (  # a minus sign with spaces before it, so that no place changes
        _NEGATIVE.sub(lambda match: "-".rjust(len(match[0])), text) for text in (statement, hidden)
    )
    start = start_of(hidden)
    if not is_labelled:
        start = max((found.end() for found in _CONCLUSION.finditer(hidden)), default=start)
    runs = [run for run in _RUN.finditer(hidden, start) if _HAS_VALUE.match(run.group())]
    numbers = [run for run in runs if _NUMBER.search(run.group())]
    runs = numbers or [run for run in runs if is_labelled or _is_formula(hidden, run)]
    if not runs:
        return None
    hidden = _QUALIFIED.sub(lambda counted: " " * len(counted[0]), hidden)
    if WRONG.search(hidden) or _OTHER_NAME.search(hidden, runs[0].end()):
        return ""
    aside = _ASIDE.search(hidden, runs[0].start())
    if aside is not None and not UNSURE.search(aside[0]):
        hidden = hidden[: aside.start()]
        runs = [run for run in runs if run.start() < aside.start()]
    verbs = [] if is_labelled else [*_STATES.finditer(hidden, runs[0].start())]
    runs = [run for run in runs if not verbs or run.end() > verbs[-1].end()] or runs
    if "than" in hidden and _ASKS_FOR_MORE.search(question):
        compared = _MORE_THAN.search(hidden, runs[0].end())
        if compared is not None:
            hidden = hidden[: compared.start()]
            runs = [run for run in runs if run.start() < compared.start()]
    new = [run for run in runs if not _is_given(hidden, run, question)] if len(runs) > 1 else runs
    reason = REASON.search(hidden, (new or runs)[0].start())
    if reason is not None:
        if _CASES.match(hidden, reason.start()):
            return ""
        hidden = hidden[: reason.start()]
        runs = [run for run in runs if run.start() < reason.start()]
        new = [run for run in new if run.start() < reason.start()]
    while new and runs[-1] is not new[-1]:  # without what the question gives
        if UNSURE.search(hidden, runs[-2].end(), runs[-1].start()):
            return ""
        runs.pop()
    if _is_part(hidden, runs):
        return ""
    run = runs[-1]
    is_dash = reason is not None and reason.group().lstrip()[:1] in "–-"  # which is an atom, too
    end = len(hidden) if is_dash else run.end()
    return _as_formula(statement[run.start() : end], hidden[end:])


def _is_formula(hidden: str, run: re.Match[str]) -> bool:
    """Return whether a run without numbers is all that a sentence states."""
    return bool(
        _OPERATION.search(run.group())
        and _FORMULA_BEFORE.search(hidden[: run.start()])
        and not DENIED_LABEL.search(hidden[: run.start()])
        and not hidden[run.end() :].strip(" .!")
    )


def _is_given(hidden: str, run: re.Match[str], question: str) -> bool:
    """Return whether the question has the same number before the same noun."""
    given = _COUNTED.match(hidden, run.end() - len(run.group().lstrip(_LEADING)))
    return given is not None and bool(
        re.search(rf"(?<![\d.,$]){re.escape(given[0])}(?![.,]?\w)", question)
    )


def _is_part(hidden: str, runs: list[re.Match[str]]) -> bool:
    """Return whether the last run is denied, an alternative, or a part of a larger expression."""
    run = runs[-1]
    start = run.end() - len(run.group().lstrip(_LEADING))
    before, behind = hidden[max(0, start - 40) : start], hidden[run.end() :]
    if len(runs) > 1:
        between = hidden[runs[-2].end() : run.start()]
        is_compound = _COMPOUND.fullmatch(between) and not run.group().startswith("=")
        if is_compound or UNSURE.search(hidden, runs[0].end(), run.start()):
            return True
    is_glued = (before and before[-1] not in _GLUED_BEFORE) or (
        behind and not behind[0].isalpha() and behind[0] not in _GLUED_BEHIND
    )
    compared = _MORE_THAN.match(behind)
    return bool(
        is_glued
        or (compared is not None and compared["name"] is None)
        or (DENIED.search(before) and "but" not in before)
        or _PART_BEFORE.search(before)
        or (_AFTER.search(before) and not behind.strip(_LEADING + ".!"))
        or _PART_BEHIND.match(behind)
    )


def _as_formula(value: str, behind: str) -> str:
    r"""Return a run of values as LaTeX, with its unit."""
    lines = _LINES.search(value)
    if lines is not None:
        value = re.split(r"\\\\", lines[1].strip().removesuffix("\\\\"))[-1].replace("&", "")
    formula = _DELIMITED.sub(lambda match: f" {match[1] or ''} ", value)
    formula = _JOINED.sub(r" \1 ", formula)
    if "\\begin" not in formula:
        formula = _OR.sub(r" \\text{ or } ", _AND.sub(" , ", formula))
    if formula.count("$") > 1:
        formula = _CURRENCIES.sub("", formula)
    unit = behind.strip(" .!*_,;:'’")
    if formula.rstrip().endswith("/") and behind[:1].isalpha():
        formula, unit = formula.rstrip()[:-1], f"/ {unit}"
    formula = formula.strip().lstrip(_LEADING).rstrip(_TRAILING if unit else f"{_TRAILING}!.")
    while formula.endswith(("}", ")")) and formula.count("}") > formula.count("{"):
        formula = formula[:-1].rstrip()
    while formula.endswith(")") and formula.count(")") > formula.count("(") and "[" not in formula:
        formula = formula[:-1].rstrip()
    if "\\" not in formula:
        for pattern, replacement in _PLAIN_TEXT:
            formula = pattern.sub(replacement, formula)
    if len(formula) > _MAX_VALUE or _OPERATOR_AT_END.search(formula):
        return ""
    if not unit or not _UNIT.fullmatch(unit) or _NO_UNIT.search(unit):
        return formula
    name, power = _POWER.sub("", unit), _POWER.search(unit)
    exponent = f"^{power[0].translate(_DIGITS).strip('^')}" if power else ""
    return f"{formula}\\text{{ {name}}}{exponent}"
