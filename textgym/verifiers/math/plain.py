r"""The marks and characters of a text in their plain form: Markdown, tags, LaTeX, typography.

Invariant: a text without such marks stays as it is; any text is read in linear time.
"""

from __future__ import annotations

import re
import unicodedata

from textgym.verifiers.boxed import FORMULA

__all__ = [
    "plain_characters", "prepared", "with_asked_number", "with_decimal_point", "without_marks",
]  # fmt: skip

_MAX_READ = 20_000  # characters at the end of the text
_BLANKS = re.compile(r"(?:[\t\r\u00a0]| [ \t\r\u00a0])[ \t\r\u00a0]*+")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<(del|s|strike)>[^<\n]{1,300}</\1>", re.IGNORECASE)
_TAGS = re.compile(
    r"</?(?:b|strong|i|em|u|code|mark|span|p|div|pre|li|font|center|h[1-6]|answer)"
    r"(?: [a-z]{2,10}=[^<>\n]{1,80})?>|<br ?/?>",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(
    r"(?=[*_`=])(?<!\w)(?P<mark>\*{1,3}|_{1,3}|`{1,3}|==)(?=\S)(?P<inside>(?:(?!(?P=mark))[^\n]){1,300}?)"
    r"(?<=\S)(?P=mark)(?!\w)"
)
_BULLET = re.compile(
    r"^[ \t]*(?:> (?=\*\*)|\* (?=[\d$]))|(?<=\n)[ \t]*"
    r"(?:[-*•+>]|#{1,6}(?! ?[-$\\\d])|\d[.)]|[Ss]tep \d{1,2}[:.)]) +",
    re.MULTILINE,
)
_CELL = re.compile(r"^\|.*\|(?=[^|\n]+\|$)|\|$", re.MULTILINE)
_SPLIT_OR = re.compile(r"(?=[\so])(?:\s{0,5}\n\s{0,5}or\b|\bor\s{0,5}\n\s{0,5})", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\((or [^()\n]{1,100})\)", re.IGNORECASE)
_TEXT_COMMAND = re.compile(
    r"(?<=[\d} ,;!~])(?:\\[,;! ]|~)? ?\\(?:text|mathrm|rm)\{ ?([A-Za-z][^{}\n]{0,40})\}"
)
_IDEOGRAPHS = r"\u3040-\u30ff\u4e00-\u9fff"
_BESIDE_IDEOGRAPH = re.compile(
    rf"(?<=[{_IDEOGRAPHS}：，。])(?=[-\d$\\])|(?<=[\d$}}])(?=[{_IDEOGRAPHS}])"
)
_THAT_IS = re.compile(r"(?=[,; ])(?<=[\d})])[,;]? i\.e\.,? (?=[-\d.$\\])")
_US_DOLLAR = re.compile(r"US(?<!\wUS)\\?\$(?= ?\d)")
_ESCAPED_DOLLAR = re.compile(r"\\\$(?= ?[\d.])")
_APPROXIMATION = re.compile(r" \((?:≈|\\approx|about|approximately)[^()\n]{1,60}\)", re.IGNORECASE)
_AND_SO_ON = re.compile(r"(?<=,) ?(?:\.{3,}|…|(?:and so on|etc)\b)")
_ARROW = re.compile(r"=>|[⇒⟹∴]")
_DECORATION = re.compile(
    r"[\"“”«»„‟∎■□✓✅🎉]|\\(?:blacksquare|square|qed|checkmark|therefore|implies|Rightarrow)(?![a-zA-Z])"
)
_HYPHEN = re.compile(r"-(?<=\d-)(?=(?!(?:sin|cos|tan|log|ln|exp|sqrt|pi)\b)[a-z]{2,20}\b)")
_SQUARED_UNIT = re.compile(r"\$(\^\{?\d\}?)\$")
_PLAIN = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2044": "/", "％": "%"})
_LISTED = re.compile(
    r"\n[ \n]{0,3}(?:[-*•+] |\(?\d[.)] )?(?P<value>[*_]{0,3}(?:\${1,2}[^$\n]{1,80}\${1,2}"
    r"|\\[(\[][^\n]{1,80}\\[)\]]|(?:[a-zA-Z] ?= ?)?[-−]?[\d(][\d .,/^()°%√π−-]{0,40}+)[*_]{0,3})"
    r"[ .,;]{0,3}(?=\n|\Z)"
)
_VALUES = re.compile(
    r"(?=[ainrsvz])(?P<label>\b(?:answers?|solutions?|roots?|zeros|values?|numbers|integers|results)\b"
    r"[^\n.?!]{0,40}(?::|\b(?:are|is))[*_]{0,3}) ?"
    rf"(?P<items>(?>{_LISTED.pattern.replace('?P<value>', '?:')}){{2,9}}+)",
    re.IGNORECASE,
)
"""A label, and at least two values below it, one a line."""
_PER_CENT = re.compile(r"\bper cent\b", re.IGNORECASE)
_FRACTION = re.compile("(\\d?)([⅐-⅞↉])")
_EXPONENT = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+")
_THOUSANDS = re.compile(
    r"(?<![\w.,'’])[1-9]\d{0,2}(?:(?:['’]\d{3}){1,6}|(?:[\u2007\u2009\u202f]\d{3}){1,6})"
    r"(?![\w'’]|[.,]\d)"
)
_ASKED_NOUN = re.compile(r"\b(?:which|what) ([a-z]{3,20})\b")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?= (?P<noun>[a-z]{3,20})\b)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(
    r"(?<![\d.,(\[{])(?P<sign>[-−]?)(?<![(\[{][-−])(?![1-9]\d{0,2},\d{3}(?!\d))"
    r"(?P<whole>[1-9]\d{0,2}(?:[. ]\d{3}){1,6}|\d+),(?P<places>\d+)(?![\d.)\]}])"
)


def plain_characters(answer: str) -> str:
    """Return an answer whose fractions, powers and thousands have plain characters."""
    answer = _PER_CENT.sub("percent", answer.translate(_PLAIN))
    if answer.isascii() and "'" not in answer:
        return answer
    answer = _FRACTION.sub(_spelled_fraction, answer)
    answer = _EXPONENT.sub(_spelled_exponent, answer)
    return _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), answer)


def with_asked_number(answer: str, question: str) -> str:
    """Return an answer whose ordinals are numbers if the question asks for them: `which floor`.

    Example:
        >>> with_asked_number("It is the 18th floor.", "On what floor is Bill?")
        'It is the 18 floor.'
        >>> with_asked_number("It is the 18th floor.", "How many floors are there?")
        'It is the 18th floor.'
    """
    nouns = _ASKED_NOUN.findall(question.lower())
    if not nouns:
        return answer
    return _ORDINAL.sub(
        lambda ordinal: "" if ordinal["noun"].lower() in nouns else ordinal[0], answer
    )


def with_decimal_point(formula: str) -> str:
    r"""Return a formula whose only comma is a decimal comma with a decimal point; "" if none is.

    A comma before three digits separates thousands, unless they have no thousands: `0,250`.

    Example:
        >>> with_decimal_point("x = 3,5"), with_decimal_point(r"1.234,50\text{ cm}")
        ('x = 3.5', '1234.50\\text{ cm}')
        >>> with_decimal_point("3,500"), with_decimal_point("(3,5)"), with_decimal_point("3, 5")
        ('', '', '')
    """
    number = _DECIMAL_COMMA.search(formula) if formula.count(",") == 1 else None
    if number is None:
        return ""
    whole = re.sub(r"\D", "", number["whole"])
    decimal = f"{number['sign']}{whole}.{number['places']}"
    return f"{formula[: number.start()]}{decimal}{formula[number.end() :]}"


def _spelled_fraction(fraction: re.Match[str]) -> str:
    spelled = unicodedata.normalize("NFKC", fraction[2]).replace("\u2044", "/")
    return f"{fraction[1]} {spelled}" if fraction[1] else spelled


def _spelled_exponent(exponent: re.Match[str]) -> str:
    if exponent[0] in ("²", "³"):
        return exponent[0]
    power = unicodedata.normalize("NFKC", exponent[0]).replace("\u2212", "-")
    return f"^{{{power}}}"


def prepared(text: str) -> str:
    """Return the end of a text without tags, quotes, bullets and what is struck out."""
    text = _VALUES.sub(_in_a_line, _BLANKS.sub(" ", text[-_MAX_READ:]))
    text = _with_plain_units(text)
    if not text.isascii():
        text = _BESIDE_IDEOGRAPH.sub(" ", text)
    text = _HYPHEN.sub(" ", text)  # of a 42-minute walk
    text = _THAT_IS.sub(" = ", _US_DOLLAR.sub("$", text))
    text = _AND_SO_ON.sub(r" \\ldots ", text)
    text = _ARROW.sub(" ", _ESCAPED_DOLLAR.sub("", _APPROXIMATION.sub("", text)))
    text = _DECORATION.sub("", _TAGS.sub("", _STRUCK.sub("", text)))
    text = _SQUARED_UNIT.sub(r"\1", _IN_BRACKETS.sub(r"\1", text))
    return _SPLIT_OR.sub(" or ", _CELL.sub("", _BULLET.sub("", text)))


def _in_a_line(values: re.Match[str]) -> str:
    """Return a label with the values that are listed below it, one a line."""
    items = (item["value"].strip(" ,.;") for item in _LISTED.finditer(values["items"]))
    return f"{values['label']} {', '.join(items)}."


def _with_plain_units(text: str) -> str:
    r"""Return a text in which units in `\text{…}` are words, unless they stand in a formula."""
    if "\\" not in text:
        return text
    parts: list[str] = []
    end = 0
    for formula in FORMULA.finditer(text):
        parts += _TEXT_COMMAND.sub(r" \1", text[end : formula.start()]), formula[0]
        end = formula.end()
    return "".join([*parts, _TEXT_COMMAND.sub(r" \1", text[end:])])


def without_marks(text: str) -> str:
    """Return a text without the marks of Markdown around words, also nested ones."""
    for _ in range(2):
        text = _MARKDOWN.sub(r"\g<inside>", text)
    return text
