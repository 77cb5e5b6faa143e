"""The words in the sentences of a text that are its answer: a name, a time, yes or no.

Invariant: a word that is denied, or only mentioned beside the statement, is not an answer.
"""

from __future__ import annotations

import re

from textgym.verifiers.denial import CONTRACTED, DOUBTED, FALSE, NEGATIONS
from textgym.verifiers.math.moments import MOMENT
from textgym.verifiers.math.plain import prepared, without_marks
from textgym.verifiers.math.statements import REASON, UNSURE, WRONG, start_of, statements
from textgym.verifiers.stated import OPENING

__all__ = ["stated_text"]

_BOLD = re.compile(r"\*\*([^*\n]{1,100})\*\*")
_VERB = re.compile(
    r"(?:\b(?:is|are|be|equals|becomes|gives|get|has|have|falls|fell|happens|occurs|forms"
    r"|(?:takes|took) place|(?:takes?|took|lasts?|lasted)(?: (?:him|her|them|us|me|you|it))?)"
    r"|(?<=\bit )was|(?<=\bit)['’]s|(?<=\bthat)['’]s)\b[: ]*",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    rf"(?:\b(?:{NEGATIONS}|{DOUBTED}|{FALSE}|could|might|may|deny|denies|if|unless|suppose|assume|let)\b"
    rf"|{CONTRACTED})[^.,;:]{{0,80}}\Z",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"(yes|no|true|false)(?: ?[,;:.!(—–]| - |\Z)", re.IGNORECASE)
_LAST_YES_OR_NO = re.compile(
    r"(?:\A(?:indeed|certainly|definitely|of course),? |[,;] (?:so|thus|hence|therefore),? )"
    r"(yes|no)\W*\Z",
    re.IGNORECASE,
)
_BARE_YES_OR_NO = re.compile(
    r"(?:(?<=[.!\n] )|(?<=\n)|\A)(yes|no)(?=[ \t]?(?:[.!\n]|\Z))", re.IGNORECASE
)
_NO_LIMIT = re.compile(
    r"(?:(?:so|thus|hence|therefore|then|clearly|we (?:conclude|see)|that),? )*"
    r"(?:it |(?:the |this |(?:\$|\\\()? ?\\)lim(?:it)?(?![a-z])"
    r"(?:(?!\b(?:or|not|never|hardly|if|unless|but|and|that|except)\b)[^,;:?!]){0,150}? )?"
    r"(?P<phrase>(?:does not|doesn['’]t) exist|DNE)"
    r"(?:,? (?:because|since|as)\b(?:(?!\b(?:or|if|unless)\b)[^\d$\\=]){1,150})?",
    re.IGNORECASE,
)
_OPENING_YES_OR_NO = re.compile(
    r"\s*(yes|no)[.!]\s+(?!(?-i:[a-z]))(?=.{0,80}[a-z]{2})", re.IGNORECASE
)
_UNDONE = re.compile(
    r"\b(?:yes|no(?! [a-z]{3})|true|false|wrong|incorrect|wait|actually|correction|sorry|oops|hmm"
    r"|mistake|sure|kidding|guess|alternatively|or|maybe|perhaps|answer)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:yes|no|true|false)\b")
_SUBJECT = re.compile(
    r"(?:(?:since|because|as|given) [^,;\n]{1,80}, |\d[^,;a-z\n]{1,80}, )?"
    r"(?:(?:so|thus|therefore|hence|then|clearly|overall),? )?(?:i (?:think|believe) )?"
    r"(?P<name>(?-i:[A-Z])[\w'’.-]{0,30}(?: (?:and )?(?-i:[A-Z])[\w'’.-]{0,30}){0,3}) "
    r"(?P<predicate>(?-i:[a-z])[^\n]{1,100})",
    re.IGNORECASE,
)
_OPENING = re.compile(OPENING, re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:who|(?:which|what)(?: \w+){0,3}?) "
    r"(?P<predicate>(?:is|are|was|were|has|have|can|will|won)\b[^?\n]{0,100})\?",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\W*| \(\d[^()]{0,20}\)|,? (?:of|in|at|on|with|by|for|among|person|one|overall|followed"
    r"|because|since|as|given|due|so|than|not|and not)\b[^\n]{0,100}",
    re.IGNORECASE,
)
"""What may follow the words of the question behind a name: `Amy is the tallest of all.`"""
_STANDS_FOR_VERB = re.compile(
    r"(?:does|did|do|is|are|was|were|has|have|had|can|will)", re.IGNORECASE
)
"""What is left of the question's words: `Amy does.`"""
_FIGURE = re.compile(r" \(\$?\d[\d.,/]*%?(?: (?!or\b)[a-z]{1,20}){0,3}\)\Z", re.IGNORECASE)
"""The number that a name has: `Amy (42 pens)`."""
_ASKS_WHO = re.compile(r"\b(?:who|which)\b", re.IGNORECASE)
_ASKED_PLACE = re.compile(
    r"\b(?P<at>on|in|at|to|from) (?:which|what) [a-z][^?\n]{0,100}?(?P<end>\w+ \w+)\?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*•]|\d[.)]) +([^\n]{1,60})")
_WORD = re.compile(r"\w+")
_JOINING = frozenset(["and", "or", "nor", "but", "not", "than", "no"])
_MAX_ITEMS = 9
_SMALL_WORDS = re.compile(
    r"(?:(?:on|at|in|an?|the|exactly|just|only|both) )+(?=\w{2})(?!or\b|and\b)"
    r"(?!(?<=the )(?:one|two|three|four|five|six|seven|eight|nine|ten)\W*\Z)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the)\b", re.IGNORECASE)
_AT = re.compile(
    r"(?:\A|[:=,]|\b(?:at|on|is|be|was|about|around|by|um|à|las|alle|às))\s*\Z", re.IGNORECASE
)
_EXCLUDING = re.compile(
    r"\b(?:not|never|no|isn['’]t|wasn['’]t|before|after|past|until|than|but|except|unless|if|or|and"
    r"|other|instead|rather|without|like)\b|,",
    re.IGNORECASE,
)


def stated_text(text: str, question: str = "") -> list[str]:
    """Return the ways to read the words that a text states last; none if it states none.

    A name is stated, too, if the sentence is the question with the name for `who` or `which`.

    Example:
        >>> stated_text("Amy is the tallest.", "Who is the tallest?")
        ['tallest', 'Amy']
        >>> stated_text("The answer is Paris."), stated_text("So it is **linear** here.")
        (['Paris'], ['linear here', 'linear'])
    """
    listed, marked = _listed(text), prepared(text)
    text = without_marks(marked)
    statement = next(statements(text), None)
    if statement is None or statement.is_open:
        return []
    if not statement.is_labelled and len({*map(str.lower, _BARE_YES_OR_NO.findall(text))}) > 1:
        return []
    opening = _OPENING_YES_OR_NO.match(text)
    said = _OPENING.sub("", statement.text, count=1)
    answer = _YES_OR_NO.match(said) or _LAST_YES_OR_NO.search(statement.text)
    if answer is not None and len(set(_EITHER.findall(said.lower()))) == 1:
        return [answer[1]]
    missing = _NO_LIMIT.fullmatch(said.strip(" .,;:!"))
    if missing is not None:
        return [missing["phrase"]]
    is_denied = WRONG.search(said) is not None
    words = _FIGURE.sub("", said if is_denied else REASON.sub("", said).rstrip(" .!"))
    verbs = [] if statement.is_labelled else [*_VERB.finditer(words)]
    start = verbs[-1].end() if verbs else start_of(words) if statement.is_labelled else 0
    if verbs and _DOUBT.search(words, 0, verbs[-1].start()):
        return []
    small = _SMALL_WORDS.match(words, start)
    predicate = words[small.end() if small else start :].strip(" .,;:!")
    subject = "" if statement.is_labelled else _asked_subject(said, question)
    readings = [predicate, subject, _without_noun(predicate, question), listed]
    if not is_denied:
        readings.append(_asked_place(said, question))
    if opening and not statement.is_labelled and not _UNDONE.search(text, opening.end()):
        readings.append(opening[1])
    if not is_denied and not UNSURE.search(words):
        name = _bold(marked)
        is_described = small is not None and _ARTICLE.match(small[0])
        if _is_end(predicate, name) or predicate.startswith(name):
            readings.append(name)
        elif words.startswith(name) and is_described:
            readings = [name]  # it is the subject: `**Amy** is the tallest.`
    if not is_denied and not UNSURE.search(statement.text):
        readings.append(_moment(statement.text))
    return list(dict.fromkeys(filter(None, readings)))


def _asked_subject(words: str, question: str) -> str:
    """Return the name that a sentence has for `who` or `which` in the question; "" if none."""
    subject = _SUBJECT.fullmatch(words.strip(" ,;:!"))
    if subject is None:
        return ""
    said = subject["predicate"].casefold()
    if _STANDS_FOR_VERB.fullmatch(said) and _ASKS_WHO.search(question):
        return subject["name"]
    for asked in _ASKED.finditer(question):
        predicate = asked["predicate"].casefold()
        if said.startswith(predicate) and _RANGE.fullmatch(said, len(predicate)):
            return subject["name"]
        shortened = predicate.rpartition(" ")[0]  # "has the most" without "pens"
        if said == shortened and " " in shortened:
            return subject["name"]
    return ""


def _asked_place(words: str, question: str) -> str:
    """Return what a sentence has behind `on` or `in` for `on which` in the question."""
    asked = _ASKED_PLACE.search(question)
    if asked is None:
        return ""
    before, _, name = words.strip(" .!").rpartition(f" {asked['at'].lower()} ")
    is_same = not set(asked["end"].lower().split()).isdisjoint(before.lower().split())
    return name if is_same and not _EXCLUDING.search(f"{before} {name}") else ""


def _without_noun(predicate: str, question: str) -> str:
    """Return a predicate without its noun if the question has it: `even` in `even function`."""
    before, _, noun = predicate.rpartition(" ")
    is_joined = before.endswith(",") or before.rpartition(" ")[2].casefold() in _JOINING
    is_asked = noun.isalpha() and noun.casefold() in _WORD.findall(question.casefold())
    return before if is_asked and not is_joined else ""


def _listed(text: str) -> str:
    """Return the items of a list at the end of a text, joined; "" if there is none."""
    lines = text.rstrip().rsplit("\n", _MAX_ITEMS)
    items = []
    for line in reversed(lines):
        item = _ITEM.fullmatch(line)
        if item is None:
            break
        items.append(item[1].strip(" .,;*_"))
    return ", ".join(reversed(items)) if len(items) > 1 else ""


def _bold(marked: str) -> str:
    """Return the only words in bold of the last line; "" if there are none, or several."""
    bold = _BOLD.findall(marked.rstrip().rpartition("\n")[2])
    return bold[0].strip(" .,;:!") if len(bold) == 1 else ""


def _is_end(predicate: str, name: str) -> bool:
    """Return whether a sentence ends with a name that it does not exclude."""
    before = predicate.removesuffix(name)
    return before != predicate and not _EXCLUDING.search(before)


def _moment(sentence: str) -> str:
    """Return the only time or date behind `at`, `on` or `is` in a sentence; "" if there is none."""
    times = [*MOMENT.finditer(sentence)]
    if len(times) != 1:
        return ""
    before, after = sentence[: times[0].start()], sentence[times[0].end() :]
    is_stated = _AT.search(before) and not _EXCLUDING.search(before)
    return times[0][0] if is_stated and not re.search(r"\d", after) else ""
