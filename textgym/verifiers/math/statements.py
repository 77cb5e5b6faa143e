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
from textgym.verifiers.stated import DENIED_LABEL

__all__ = [
    "DENIED",
    "HIDDEN",
    "REASON",
    "UNSURE",
    "WRONG",
    "Statement",
    "hide",
    "start_of",
    "statements",
]

_LABEL = re.compile(
    r"\b(?=[ar])(?:answers?\b(?: (?:to|of|for)\b[^.:\n]{1,80}?)??"
    r"|(?:antwort|réponse|respuesta|risposta|resposta)\b(?: (?:finale?|corr(?:e|ec|et)t[ae]))?)"
    r"\s{0,3}(?:[:：=]|->|→|\b(?:is|are|was|(?:would|should|must|will) be|equals"
    r"|ist|lautet|est|es|è|é)\b(?!n't))"
    r"\s{0,3}[:：=]?|^\s{0,3}####?(?= ?[-$\\\d])",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_BEHIND = re.compile(
    r"\b(?:is|are) (?:(?:the|my|our) (?:(?:final|correct|right) )?(?:answers?|options?|choices?)\b"
    r"|(?-i:(?<=\b[A-J] is )|(?<=\b[A-J]\) is ))(?:correct|right)\W*\Z)",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\s*(?:(?:this|that|it)(?: is|['’]s) because\b|note that\b"
    r"|\((?=[^()\n]{0,80}?[a-z]{2}[^()\n]{0,80}\)))",
    re.IGNORECASE,
)
"""What opens a sentence about the answer that another sentence states."""
_SENTENCE_END = re.compile(
    r"(?=[.!?。])(?<![.!?。\\])(?<!\bvs)(?<!\be\.g)"
    r"(?<!\b(?:[DJMS]r|Ms|St))(?<!\bMrs)[.!?。]++"
    r"(?<![a-z]\.[a-z]\.(?= [a-z]))(?=[\s)\]'’*_]|\Z)|\n"
)
HIDDEN = "\ufffc"
"""What stands for each character of a formula in a statement whose formulas are hidden."""
_CONTRAST = re.compile(
    r"[;,:—–-] ?(?=(?:but |rather,? )?(?:it|that|the (?:(?:correct|right) )?answer)(?:['’]s| is) )"
    rf"|(?P<after_denial> but (?=[-\d$\\{HIDDEN}]|(?-i:[A-Z]))"
    r"|[;,] ?(?=(?:so|hence|thus|therefore),? (?:(?:it|that|the answer)(?:['’]s| is| must be) )?"
    rf"[-\d$\\{HIDDEN}]))",
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
REASON = re.compile(
    r"[,;]? (?:because|since|(?<!times )as|given|due|so|indicating|after|rather|instead|for|when"
    r"|where|(?<!\b[aiou][tnf] )which|while|whereas|if"
    r"|by(?!\b.*(?:=|\b(?:gets?|gives?|is|equals?|yields?)\b))|and not|not"
    r"|but not|nicht|pas|or (?:about|approximately|roughly|around))\b.*"
    r"|[,;] (?:so |but )?[a-z]{3,10} than\b.*"
    r"| [–—-] (?=[a-z]{2})(?!(?:sin|cos|tan|ln|log|sqrt|exp|pi)\b).*"
    r"| (?:in|at|(?:on|over|from)(?= \$?\d)|compared|to(?! (?:\d|get\b))|with|every"
    r"|including|attained|selling|out|between(?= [-\d$\\])"
    r"|of (?:an?|the|his|her|its|their|these))"
    r"\b(?:(?! (?:is|are) )[^,;=\n]){0,200}\Z"
    r"|(?<=[a-z]) [(\[]\d[\d.]{0,9}(?: [a-z]{1,15})? ?[-+*/×·÷−] ?\d[^()\[\]\n]{0,40}[)\]]\s*\Z"
    r"|[,;]? \((?:[a-z]{2,}|≈|\\approx|[^()\n]{0,30}%)[^()\n]*\)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
UNSURE = re.compile(
    rf"\b(?:or|if|{HEDGES}|either|alternatively|and/or|vs|versus|otherwise"
    r"|(?:to|through)(?=(?: about| around| roughly)?\W*\Z)|unless|hence)\b"
    r"|\.\.\.|…|→|—|~|或|还是|または",
    re.IGNORECASE,
)
WRONG = re.compile(
    rf"\b(?:(?:is|are|was|seems|would be|must be) (?:\w+ly )?(?:{FALSE}|impossible"
    r"|ruled out|not\b|no\b(?! doubt)|unlikely)"
    r"|(?:is|are|was|ca|could|would|does|do|did|wo|should)n['’]?t\b"
    r"|(?:does not exist|DNE)\b(?!.*[\d" + HIDDEN + r"])"
    r"|(?:some|others|people|most|many|students|could|might|may)(?: would| often)?"
    rf" (?:say|claim|think|guess|answer)\b|(?:{FALSE}) (?:guess|result|value|number)\b"
    r"|(?:candidate|don['’]?t think|ain['’]t|cannot|no (?:idea|clue)|naive(?:ly)?"
    r"|at first (?:sight|glance)|if (?:it|that|this|the answer) were|were it"
    r"|common (?:mistake|error))\b"
    r"|(?:i|we) (?:do not know|am not (?:sure|certain))\b|otherwise,? (?=[-\d])"
    rf"|(?:(?:could|might|may) be|(?:{HEDGES})(?: it(?: is|['’]s))?) (?=[-\d$\\({HIDDEN}])"
    r"|(?:(?:ist|est|es|è|é) (?:falsch|faux|fals[oa])|incorrect[ao]|sbagliat[ao]|errad[ao]"
    r"|vielleicht|peut-être|quizás?|forse|talvez)\b"
    rf"|(?:{FALSE}):"
    rf"|(?:{DOUBTED}|{EXCEPTED}|(?<!none )(?<![\d{HIDDEN}] )(?:{OTHER}))\b"
    rf"(?=.{{0,20}}[\d{HIDDEN}]\W{{0,5}}\Z)"
    rf"|(?:{MENTIONED}) (?:that |about |for )?(?:(?:it|there)(?:['’]s| is| are| was) )?"
    rf"(?:[a-z] ?= ?)?[\"'“‘$]?[\d{HIDDEN}]++\W{{0,5}}\Z|used to be (?=[\d{HIDDEN}]))"
    r"|\A(?:suppose|assume|imagine|let(?! (?:me|us)\b)|prove|show that|try|ignore|forget|replace"
    rf"|if(?!.{{0,200}}?[,;].{{0,200}}?[\d{HIDDEN}]))\b"
    rf"|\((?:{FALSE}|no,|not(?: right| correct| sure)?\b(?! \w))(?!\w)|,(?: but)? no\W*\Z"
    rf"|['’]s (?:\w+ly )?(?:{FALSE}|impossible)\b"
    r"|[\d" + HIDDEN + r"][^.,;]{0,20} or (?:more|fewer|less|greater|higher|lower)\b"
    r"|[❌¬不没非]|没有|ではない|じゃない|\\(?:neq?|not|notin)(?![a-zA-Z])|[≠∉≢≉]",
    re.IGNORECASE,
)
DENIED = re.compile(
    rf"\b(?:{NEGATIONS}|nicht|n['’]est pas|no es|não é|non è|не)\b:?[^,;:]{{0,40}}:? ?\Z",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:indeed|simply|just|exactly|approximately|about|around|roughly|equal to|given by|both"
    r"|then|therefore|thus|hence|clearly|now|that|only|(?-i:A)(?=: )"
    rf"|an?(?= (?!(?:or|and)\b)(?:[a-zA-Z]{{2}}|[\d${HIDDEN}]))"
    r"|the (?:number|value|pair|point|fraction|set|interval|expression|function|integer|total))"
    r"\b|[:=≈≡\s])\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:(?:so|then|thus|therefore|hence|now),? )?(?:when|for|at|with|after|in|over|on|from|out of"
    r"|since|because|as|given|starting)\b"
    rf"[^,;:=?\n]{{1,60}}(?:=[^,;:=?\n]{{1,60}})?, (?=[a-zA-Z{HIDDEN}][^;\n]*?[\d{HIDDEN}])",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """A part of the text that may be the answer.

    Attributes:
        text: The text, without the label.
        is_labelled: Whether a label names it as the answer.
        is_open: Whether it is a question, denied by its label, or taken back later.
    """

    text: str
    is_labelled: bool
    is_open: bool


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements that may be the answer, the first choice first."""
    hidden = hide(text)
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
            yield Statement(text[start:stop].strip(), True, is_open)
            sentences = rest[1:]
    if sentences and _EXPLAINS.match(hidden, sentences[-1][0]):
        sentences.insert(0, sentences.pop())
    for start, stop in reversed(sentences):
        label = _LABEL_BEHIND.search(hidden, start, stop)
        is_open = hidden[stop : stop + 1] == "?" or taken_back >= stop
        end = label.start() if label else stop
        yield Statement(text[start:end].strip(), label is not None, is_open)


def hide(text: str) -> str:
    """Return a text of the same length in which formulas hold no letters and full stops."""
    return FORMULA.sub(lambda match: HIDDEN * len(match.group()), text)


def _denies(text: str) -> bool:
    return WRONG.search(text) is not None or DENIED.search(text) is not None


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


def start_of(statement: str) -> int:
    """Return where a statement begins behind words such as `approximately` or `when x = 3,`."""
    condition = _CONDITION.match(statement)
    start = condition.end() if condition else 0
    while (filler := _FILLER.match(statement, start)) is not None:
        start = filler.end()
    return start
