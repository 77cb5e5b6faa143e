"""The answer in the sentences of a text: what is stated last, whole.

`textgym.verifiers.stated` finds boxes and tags, which need no sentences to be read.

Invariants: marks around the answer (Markdown, quotes, tags) do not count; several alternatives stay
together, so that no single one is taken; a value is taken whole, or not at all; what is denied or
taken back, and a part of a larger expression ("half of 42"), is not an answer; any text is read in
linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from textgym.verifiers.boxed import FORMULA
from textgym.verifiers.denial import (
    DOUBTED,
    EXCEPTED,
    FALSE,
    HEDGES,
    MENTIONED,
    NEGATIONS,
    OTHER,
)
from textgym.verifiers.math.plain import NUMBERED, prepared, with_confirmed_value, without_marks
from textgym.verifiers.stated import DENIED_LABEL

__all__ = ["REASON", "UNSURE", "WRONG", "start_of", "stated_value", "statements"]

_LABEL = re.compile(
    r"\b(?=[ar])(?:answers?\b(?: (?:to|of|for)\b[^.:\n]{1,80}?)??"
    r"|(?:antwort|réponse|respuesta|risposta|resposta)\b(?: (?:finale?|corr(?:e|ec|et)t[ae]))?)"
    r"\s{0,3}(?:[:：=]|->|→|\b(?:is|are|was|(?:would|should|must|will) be|equals"
    r"|ist|lautet|est|es|è|é)\b(?!n't))"
    r"\s{0,3}[:：=]?|^\s{0,3}####?(?= ?[-$\\\d])",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_BEHIND = re.compile(
    r"\b(?:is|are) (?:the|my|our) (?:(?:final|correct|right) )?answers?\b", re.I
)
_SENTENCE_END = re.compile(
    r"(?=[.!?。])(?<![.!?。\\])(?<!\bvs)(?<!\be\.g)[.!?。]++(?=[\s)\]'’*_]|\Z)|\n"
)
_HIDDEN = "\ufffc"
"""What stands for each character of a formula in a statement whose formulas are hidden."""
_CONTRAST = re.compile(
    r"[;,:—–-] ?(?=(?:but |rather,? )?(?:it|that|the (?:(?:correct|right) )?answer)(?:['’]s| is) )"
    rf"|(?P<after_denial> but (?=[-\d$\\{_HIDDEN}]|(?-i:[A-Z]))"
    r"|[;,] ?(?=(?:so|hence|thus|therefore),? (?:(?:it|that|the answer)(?:['’]s| is| must be) )?"
    rf"[-\d$\\{_HIDDEN}]))",
    re.IGNORECASE,
)
"""What separates a denial from the statement behind it: "it isn't 41; it's 42"."""
_TAKEN_BACK = re.compile(
    r"(?=[achjmostw])\b(?:(?:wait|actually|correction|sorry|oops|hmm|scratch that|mistake"
    r"|just kidding|alternatively)\b|that(?:['’]s| is) (?:not|wrong|incorrect)"
    r"|this is (?:not right|not correct|wrong|incorrect)|(?:may|might|could) also be\b)"
    r"|(?:\A|[.!?;\n])\s{0,5}(?:maybe|perhaps|possibly) (?:it(?: is|['’]s) )?(?=[-\d$\\])"
    r"|(?:\A|[.!?\n])\s{0,5}(?:no\b|or\b)",
    re.IGNORECASE,
)
_NEAR = 80  # characters before a contrast
_MAX_VALUE = 500  # characters
REASON = re.compile(
    r"[,;]? (?:because|since|(?<!times )as|given|due|so|after|rather|instead|for|when|where|which"
    r"|while|whereas|if|by(?!\b.*(?:=|\b(?:gets?|gives?|is|equals?|yields?)\b))|and not|not"
    r"|but not|nicht|pas|or (?:about|approximately|roughly|around))\b.*"
    r"|[,;] (?:so |but )?[a-z]{3,10} than\b.*"
    r"| [–—-] (?=[a-z]{2})(?!(?:sin|cos|tan|ln|log|sqrt|exp|pi)\b).*"
    r"| (?:in|at|to(?! (?:\d|get\b))|with|every|including|attained|selling|out|between(?= [-\d$\\])"
    r"|of (?:the|his|her|its|their|these))"
    r"\b(?:(?! (?:is|are) )[^,;=\n]){0,200}\Z"
    r"|(?<=[a-z]) [(\[]\d[\d.]{0,9}(?: [a-z]{1,15})? ?[-+*/×·÷−] ?\d[^()\[\]\n]{0,40}[)\]]\s*\Z"
    r"|[,;]? \((?:[a-z]{2,}|≈|\\approx|[^()\n]{0,30}%)[^()\n]*\)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_CASES = re.compile(
    r"[,;]? (?:if|when|where|for)\b.{1,80}?(?:[,;]|\b(?:and|but|or|otherwise)\b)"
    rf"(?: (?:and|but|or|otherwise))?(?: it(?: is|['’]s))? [-−$]?[\d.,{_HIDDEN}]+"
    r" (?:if|when|where|for|otherwise|else)\b"
    rf"|[,;]? (?:only )?if\b.{{1,80}}\belse,? [\d{_HIDDEN}]",
    re.IGNORECASE,
)
"""A condition, and another value with its own condition."""
UNSURE = re.compile(
    rf"\b(?:or|if|{HEDGES}|either|alternatively|and/or|vs|versus|to(?! get\b)|through|otherwise"
    r"|unless|hence)\b|\.\.\.|…|→|—|~|或|还是|または",
    re.IGNORECASE,
)
WRONG = re.compile(
    rf"\b(?:(?:is|are|was|seems|would be|must be) (?:\w+ly )?(?:{FALSE}|impossible"
    r"|ruled out|not\b|no\b(?! doubt)|unlikely)"
    r"|(?:is|are|was|ca|could|would|does|do|did|wo|should)n['’]?t\b"
    r"|(?:does not exist|DNE)\b(?!.*[\d" + _HIDDEN + r"])"
    r"|(?:some|others|people|most|many|students|could|might|may)(?: would| often)?"
    rf" (?:say|claim|think|guess|answer)\b|(?:{FALSE}) (?:guess|result|value|number)\b"
    r"|(?:candidate|don['’]?t think|ain['’]t|cannot|no (?:idea|clue)|naive(?:ly)?"
    r"|at first (?:sight|glance)|if (?:it|that|this|the answer) were|were it"
    r"|common (?:mistake|error))\b"
    r"|(?:i|we) (?:do not know|am not (?:sure|certain))\b|otherwise,? (?=[-\d])"
    rf"|(?:(?:could|might|may) be|(?:{HEDGES})(?: it(?: is|['’]s))?) (?=[-\d$\\({_HIDDEN}])"
    r"|(?:(?:ist|est|es|è|é) (?:falsch|faux|fals[oa])|incorrect[ao]|sbagliat[ao]|errad[ao]"
    r"|vielleicht|peut-être|quizás?|forse|talvez)\b"
    rf"|(?:{FALSE}):"
    rf"|(?:{DOUBTED}|{EXCEPTED}|(?<!none )(?<![\d{_HIDDEN}] )(?:{OTHER}))\b"
    rf"(?=.{{0,20}}[\d{_HIDDEN}]\W{{0,5}}\Z)"
    rf"|(?:{MENTIONED}) (?:that |about |for )?(?:(?:it|there)(?:['’]s| is| are| was) )?"
    rf"(?:[a-z] ?= ?)?[\"'“‘$]?[\d{_HIDDEN}]++\W{{0,5}}\Z)"
    r"|\A(?:suppose|assume|imagine|let(?! (?:me|us)\b)|prove|show that|try)\b"
    rf"|\((?:{FALSE}|no,|not (?:right|correct|sure))(?!\w)|,(?: but)? no\W*\Z"
    rf"|['’]s (?:\w+ly )?(?:{FALSE}|impossible)\b"
    r"|[\d" + _HIDDEN + r"][^.,;]{0,20} or (?:more|fewer|less|greater|higher|lower)\b"
    r"|[❌¬不没非]|没有|ではない|じゃない|\\(?:neq?|not|notin)(?![a-zA-Z])|[≠∉≢≉]",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"\b(?:{NEGATIONS}|nicht|n['’]est pas|no es|não é|non è|не)\b:?[^,;:]{{0,40}}\Z", re.IGNORECASE
)
_FILLER = re.compile(
    r"(?:(?:indeed|simply|just|exactly|approximately|about|around|roughly|equal to|given by|both"
    r"|then|therefore|thus|hence|clearly|now|that|only|(?-i:A)(?=: )"
    rf"|an?(?= (?!(?:or|and)\b)(?:[a-zA-Z]{{2}}|[\d${_HIDDEN}]))"
    r"|the (?:number|value|pair|point|fraction|set|interval|expression|function|integer|total))"
    r"\b|[:=≈≡\s])\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"(?:so |then )?(?:when|for|at|with) (?:[a-z] ?= ?)?[-\d.{_HIDDEN}]{{1,60}}, "
    rf"(?=[a-zA-Z{_HIDDEN}][^,;\n]{{0,60}}(?:=|\bis\b|{_HIDDEN}))",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\b(?:minus|negative) (?=[\d$\\])", re.IGNORECASE)
_CARDINAL = r"(?!(?<!/\d)(?:st|nd|rd|th|ish)\b)"
"""What keeps an ordinal such as `42nd`, which counts no things, from being a value."""
_ATOM = (
    rf"(?:{_HIDDEN}+|\\[a-zA-Z]+|\\[,;!:%$# {{}}]|\d++(?:[.,]\d++)*+{_CARDINAL}|\.\d+"
    r"|(?<![A-Za-z])[A-Za-z]{2,12}(?=\([^()\n]{1,40}\) ?=)"
    r"|(?<![A-Za-z])(?:sin|cos|tan|ln|log|sqrt|exp|pi|infinity|inf)(?![A-Za-z])"
    r"|[θπφα]|(?<![A-Za-z'’.])(?![aAI]\s+(?!(?:or|and)\b)(?:[A-Za-z]{2}|\d))[A-Za-z](?![A-Za-z'’])"
    r"|[-+*/^=≈<>()\[\]{}|!%√∞±≤≥²³½¼¾×·÷−–_°′∪∩∈∅:$€£¥])"
)
_RUN = re.compile(rf"{_ATOM}(?:(?: ?[,;]? ?(?:and|or|&) |[ ,;\n]*){_ATOM})*")
_HAS_VALUE = re.compile(rf"(?![\^_])[\s\S]*?(?:[\dA-Za-z√∞½¼¾π∅{_HIDDEN}]|\\[a-zA-Z])")
_NUMBER = re.compile(rf"[\d½¼¾∞π{_HIDDEN}]|\\[a-zA-Z]|(?<![A-Za-z])(?:pi|infinity)(?![A-Za-z])")
_FORMULA_BEFORE = re.compile(
    r"(?:\A|\b(?:is|are|be|equals|get|so|thus|hence|therefore|then)\b)\W*\Z", re.IGNORECASE
)
_OPERATION = re.compile(r"[\w)²³] ?[-+*/^=·×] ?[\w(]|\w[²³]")
_IS = re.compile(r"\b(?:is|are|equals):? (?=[\d$\\(\[√{-]|" + _HIDDEN + "|[a-z] ?=)")
_LEADING, _TRAILING = " ,;=≈:)]}", " ,;:([{"
_OPERATOR_AT_END = re.compile(r"[-+*/^=_−–×·÷<>]\Z|\A[*/^_×·÷<>]")
_GLUED_BEFORE, _GLUED_BEHIND = " \n(:=≈[>*_|,;-'‘)]}", ".,;:!?)]}'’ °"
_PART_BEFORE = re.compile(
    r"\b(?:half|third|quarter|fifth|tenth|twice|double|triple|thrice|times|plus|minus|root|log|multiple"
    r"|logarithm|sine|cosine|tangent|factorial|than|als|least|most|over|under|above|below|between|by|sum"
    r"|product|difference|quotient|inverse|reciprocal|power|square|cube|divisor|factor|opposite|mod"
    r"|modulo|base|complement|outside|successor|predecessor|subtract|exceeds?|close|almost|nearly|unlike|different"
    r"|(?<!add )(?<!adds )(?<!added )up|digits?"
    r"|far|prime after|number after|remainder|negative"
    r"|(?:plus|moins|más|menos|mais) de|(?:più|meno) di"
    rf"|no|{NUMBERED}|not sure,|no idea,)"
    r"(?: (?:of|the|from|to))* ?\Z",
    re.IGNORECASE,
)
_OTHER_NAME = re.compile(r"[,;] [A-Z][a-z]{1,20}: ")  # "Ann: 41, Bob: 42"
_AFTER = re.compile(r"\bafter ?\Z", re.IGNORECASE)  # "after 42 minutes" states a number
_PART_BEHIND = re.compile(
    r" ?(?:times(?! as| more| larger| bigger| greater)|plus|minus|squared|cubed|divided|multiplied"
    r"|over|choose|factorial|(?:less|more|greater) than(?! (?-i:[A-Z]))|modulo|mod|percent of"
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
_AND, _OR = re.compile(r" ?[,;]? ?(?:\band\b|&) "), re.compile(r" ?[,;]? ?\bor\b ")


class _Statement(NamedTuple):
    """A part of the text that may be the answer.

    Attributes:
        text: The text, without the label.
        is_labelled: Whether a label names it as the answer.
        is_open: Whether it is a question, denied by its label, or taken back later.
    """

    text: str
    is_labelled: bool
    is_open: bool


def stated_value(text: str) -> str:
    r"""Return the formula or number that a text states last, as LaTeX; "" if there is none.

    The text behind the last `answer is` or `Answer:` counts, and without such a label the last
    sentence that holds a value.

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
        value = _value_in(statement.text, _hide(statement.text), statement.is_labelled)
        if value is not None:
            return "" if statement.is_open else value
    return ""


def statements(text: str) -> Iterator[_Statement]:
    """Yield the statements that may be the answer, the first choice first."""
    hidden = _hide(text)
    sentences = list(_sentences(hidden))
    labels = list(_LABEL.finditer(hidden))
    taken_back = max((found.start() for found in _TAKEN_BACK.finditer(hidden)), default=-1)
    if labels:
        end = labels[-1].end()
        rest = [(max(start, end), stop) for start, stop in sentences if stop > end]
        if rest and taken_back < rest[0][1]:
            if len(rest) > 1 and _CONTRAST.match(hidden, rest[0][1]):
                rest.pop(0)
            start, stop = rest[0]
            aside = _CONTRAST.search(hidden, start, stop)
            if aside and (not aside["after_denial"] or _denies(hidden[start : aside.start()])):
                rest[:1] = [(start, aside.start()), (aside.end(), stop)]
                stop = aside.start()
            line = hidden.rfind("\n", 0, labels[-1].start()) + 1
            is_denied = DENIED_LABEL.search(hidden[max(line, end - 90) : labels[-1].start()])
            is_open = bool(is_denied) or hidden[stop : stop + 1] == "?"
            yield _Statement(text[start:stop].strip(), True, is_open)
            sentences = rest[1:]
    for start, stop in reversed(sentences):
        label = _LABEL_BEHIND.search(hidden, start, stop)
        is_open = hidden[stop : stop + 1] == "?" or taken_back >= stop
        end = label.start() if label else stop
        yield _Statement(text[start:end].strip(), label is not None, is_open)


def _hide(text: str) -> str:
    """Return a text of the same length in which formulas hold no letters and full stops."""
    return FORMULA.sub(lambda match: _HIDDEN * len(match.group()), text)


def _denies(text: str) -> bool:
    return WRONG.search(text) is not None or _DENIED.search(text) is not None


def _sentences(hidden: str) -> Iterator[tuple[int, int]]:
    start = 0
    ends = list(_SENTENCE_END.finditer(hidden))
    starts = [0, *(end.end() for end in ends)]
    for end in _CONTRAST.finditer(hidden):
        place = end.start()
        near = max(starts[bisect_right(starts, place) - 1], place - _NEAR)
        if _denies(hidden[near:place]):
            ends.append(end)
    ends.sort(key=lambda end: end.start())
    for end in ends:
        if hidden[start : end.start()].strip(" \t\r*_#>-"):
            yield start, end.start()
        start = end.end()
    if hidden[start:].strip(" \t\r*_#>-"):
        yield start, len(hidden)


def _value_in(statement: str, hidden: str, is_labelled: bool) -> str | None:
    r"""Return the value in a statement as LaTeX.

    Args:
        statement: The statement.
        hidden: The statement with `_HIDDEN` in place of each character of a formula.
        is_labelled: Whether a label names it as the answer.

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
    runs = [run for run in _RUN.finditer(hidden, start) if _HAS_VALUE.match(run.group())]
    numbers = [run for run in runs if _NUMBER.search(run.group())]
    runs = numbers or [run for run in runs if is_labelled or _is_formula(hidden, run)]
    if not runs:
        return None
    if WRONG.search(hidden):
        return ""
    verbs = [] if is_labelled else [*_IS.finditer(hidden, runs[0].start())]
    runs = [run for run in runs if not verbs or run.end() > verbs[-1].end()] or runs
    reason = REASON.search(hidden, runs[0].start())
    if reason is not None:
        if _CASES.match(hidden, reason.start()):
            return ""
        hidden = hidden[: reason.start()]
        runs = [run for run in runs if run.start() < reason.start()]
    run = runs[-1]
    if _is_part(hidden, runs):
        return ""
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


def start_of(statement: str) -> int:
    """Return where a statement begins behind words such as `approximately` or `when x = 3,`."""
    condition = _CONDITION.match(statement)
    start = condition.end() if condition else 0
    while (filler := _FILLER.match(statement, start)) is not None:
        start = filler.end()
    return start


def _is_part(hidden: str, runs: list[re.Match[str]]) -> bool:
    """Return whether the last run is denied, an alternative, or a part of a larger expression."""
    run = runs[-1]
    start = run.end() - len(run.group().lstrip(_LEADING))
    before, behind = hidden[max(0, start - 40) : start], hidden[run.end() :]
    if len(runs) > 1:
        between = hidden[runs[-2].end() : run.start()]
        is_equation = run.group().startswith("=")
        is_compound = _COMPOUND.fullmatch(between) and not is_equation
        is_several = is_compound or _OTHER_NAME.match(hidden, runs[-2].end())
        if is_several or UNSURE.search(hidden, runs[0].end(), run.start()):
            return True
    is_glued = (before and before[-1] not in _GLUED_BEFORE) or (
        behind and not behind[0].isalpha() and behind[0] not in _GLUED_BEHIND
    )
    return bool(
        is_glued
        or (_DENIED.search(before) and "but" not in before)
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
