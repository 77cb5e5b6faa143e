r"""Golds that are words, names, times or yes/no. They are compared as texts.

In a formula, letters are variables: as formulas, `listen` and `silent` are the same product.
Invariants: any text is read in linear time, and none raises an exception; whether a gold is a text
does not depend on the answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

from textgym.verifiers.math.moments import is_moment, names_half, plain_moments

__all__ = [
    "names_no_solution", "option_letter", "option_letters", "plain_words", "same_words", "words_of",
]  # fmt: skip

_FONT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal|up)?|math(?:rm|bf|it|sf|tt|normal)|mbox|hbox|emph|underline)"
    r"(?![a-zA-Z])\s*"
)
_OR_SIGN = re.compile(r"\\(?:lor|vee)(?![a-zA-Z])")
_SPACE = re.compile(r"\\(?:[,;:! ]|q?quad(?![a-zA-Z]))|[~$*`]|\\[()\[\]]")
_TEXT = re.compile(r"-?[^\W\d_][^_\\^=<>+/*|()\[\]{}]*")
_LONG = 4  # letters
_PARTS = re.compile(r"[,;&]|\band\b")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORT_WORD = re.compile(
    r"yes|no|true|false|odd|even|none|red|blue|one|two|six|ten|all|any|both|mon|tue|wed|thu|fri|sat"
    r"|sun|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|left|up|down|cat|dog|man|men|boy|girl|mom|dad"
    r"|east|west|car|bus|box|pen|am|pm|day",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Z][a-z]{1,2}")
_MATHS = re.compile(
    r"pi|inf|infinity|infty|oo|(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|sqrt|lim|max|min|gcd"
    r"|lcm|mod|det|alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho"
    r"|sigma|tau|phi|chi|psi|omega|percent|degrees?",
    re.IGNORECASE,
)
_PHRASES = {
    "undefined": r"(?:(?:it|the limit) )?(?:(?:is )?(?:undefined|not defined|d\.?n\.?e\.?)"
    r"|(?:does not|doesn['’]t|do not|don['’]t) exist)",
    "realnumbers": r"(?:x ?(?:\\in|∈) ?)?"
    r"(?:(?:(?:all|any|every|(?:the )?set of(?: all)?) )?real(?:s| numbers?)"
    r"|\\(?:mathbb ?)?r|ℝ|(?:\\left)?\( ?-(?:\\infty|∞) ?, ?\+?(?:\\infty|∞) ?(?:\\right)?\))",
    "nosolution": r"(?:there (?:is|are) )?no (?:real )?solutions?"
    r"|(?:[a-z] ?(?:=|\\in(?![a-z])|∈) ?)?(?:\\(?:emptyset|varnothing)|∅)",
}
_PHRASE = re.compile("|".join(f"(?P<{name}>{forms})" for name, forms in _PHRASES.items()), re.I)
"""Texts with several spellings, some of them in symbols."""
_SYMBOLS = re.compile(r"[\\ℝ∅]")
_RESTATED = re.compile(r"(?<!\S)(\S{1,30}) \(\1\)")  # such as `16:30 (4:30 pm)`
_CONNECTIVES = frozenset(["and", "or", "to", "the", "a", "an", "of", "in", "is", "at"])
_OPTION = re.compile(r"(?<!\w)\(([A-J])\)")
_GOLD_LETTER = re.compile(r"\(?([A-J])\)?")
_LETTER_ALONE = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z](?![a-zA-Z])")
_NOT_COMPARED = re.compile(r"(?!(?<=\d)[.:/](?=\d)|-(?=\d))[^\w]|_")


@lru_cache(4096)
def words_of(gold: str, question: str = "") -> str:
    r"""Return the text that a gold is if it is one; "" if it is a formula.

    A time of day or a date is a text, and so are words of letters. Letters are a product of
    variables if all of them stand alone in the question, or follow each other as in `abcd`; so are
    two letters, and three if there is no question. Common short words, and names such as `Amy`, are
    texts anyway.

    Example:
        >>> words_of("listen"), words_of(r"\text{Amy and Bob}"), words_of("4:10 P.M.")
        ('listen', 'Amy and Bob', '4:10 P.M.')
        >>> words_of("xyz"), words_of(r"3\text{ cm}"), words_of(r"\pi")
        ('', '', '')
    """
    text = plain_words(gold)
    is_phrase = _PHRASE.fullmatch(text) and not _SYMBOLS.search(text)
    if is_phrase or is_moment(text, question):
        return text
    if not _TEXT.fullmatch(text) or "\\" in text:
        return ""
    words = _LETTERS.findall(text)
    if any(map(_MATHS.fullmatch, words)):
        return ""
    if any(map(str.isdigit, text)):
        is_name = _SHORT_WORD.fullmatch(words[0]) or _NAME.fullmatch(words[0])
        is_numbered = is_name and text.startswith(f"{words[0]} ")
        return text if len(words[0]) >= _LONG or is_numbered else ""
    is_marked = _FONT.match(gold.strip()) is not None
    return (
        text if any(_is_word(word, question, 2 if is_marked else _LONG) for word in words) else ""
    )


def _is_word(word: str, question: str, shortest: int) -> bool:
    if word.casefold() in _CONNECTIVES or len(word) == 1:
        return False
    if _SHORT_WORD.fullmatch(word) or _NAME.fullmatch(word):
        return True
    if (
        len(word) < (min(shortest, 3) if question else shortest)
        or word in ascii_lowercase
        or word in ascii_uppercase
    ):
        return False
    alone = set(_LETTER_ALONE.findall(question))
    return not alone.issuperset(word)


@lru_cache(256)
def option_letters(question: str) -> str:
    """Return the letters of the options that a question lists, or those from A to J.

    Example:
        >>> option_letters("How many? (A) 3 (B) 4 (C) 5"), option_letters("Let (A) be a set.")
        ('ABC', 'ABCDEFGHIJ')
    """
    letters = "".join(dict.fromkeys(_OPTION.findall(question)))
    is_list = len(letters) > 1 and letters in ascii_uppercase[:10]
    return letters if is_list else ascii_uppercase[:10]


def option_letter(gold: str, question: str) -> str:
    r"""Return the letter of the option that a gold names; "" if it names none.

    Example:
        >>> option_letter(r"\text{(B)}", ""), option_letter("C", "(A) 1 (B) 2")
        ('B', '')
    """
    match = _GOLD_LETTER.fullmatch(plain_words(gold))
    return match[1] if match and match[1] in option_letters(question) else ""


def plain_words(latex: str) -> str:
    r"""Return a text without the LaTeX and Markdown around its words."""
    text = _OR_SIGN.sub(" or ", _FONT.sub("", latex)).replace("{", "").replace("}", "")
    return " ".join(_SPACE.sub(" ", text).split())


def names_no_solution(text: str) -> bool:
    r"""Return whether a text says that nothing solves a problem, in words or by a symbol.

    Example:
        >>> names_no_solution("There is no solution."), names_no_solution(r"x \in \emptyset")
        (True, True)
    """
    phrase = _PHRASE.fullmatch(plain_words(text).strip(" .,;:!"))
    return phrase is not None and phrase.lastgroup == "nosolution"


def same_words(gold: str, answer: str) -> bool:
    r"""Return whether two texts have the same letters, digits and colons, apart from case.

    Times, dates, and phrases such as `does not exist` may have several spellings. Parts that `and`,
    a comma or a semicolon separates may stand in any order.

    Example:
        >>> same_words("4:10 P.M.", r"4{:}10 \text{ pm}"), same_words("listen", "silent")
        (True, False)
        >>> same_words("Amy and Bob", "Bob, Amy"), same_words("even", "even or odd")
        (True, False)
    """
    by_half = names_half(plain_words(gold))
    parts = _parts(gold, by_half)
    return any(parts) and parts == _parts(answer, by_half)


def _parts(text: str, by_half: bool) -> list[str]:
    text = plain_words(text)
    phrase = _PHRASE.fullmatch(text.strip(" .,;:!"))
    if phrase is not None:
        return [phrase.lastgroup or ""]
    text = _RESTATED.sub(r"\1", plain_moments(text.casefold(), by_half=by_half))
    parts = _PARTS.split(text)
    return sorted(filter(None, (_NOT_COMPARED.sub("", part) for part in parts)))
