r"""The marks and characters of a text in their plain form: Markdown, tags, LaTeX, typography.

Invariant: a text without such marks stays as it is; any text is read in linear time.
"""

from __future__ import annotations

import re
import unicodedata

from textgym.verifiers.boxed import FORMULA
from textgym.verifiers.denial import FALSE

__all__ = [
    "NUMBERED", "plain_characters", "prepared", "with_asked_number", "with_confirmed_value",
    "with_results", "without_marks",
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
    r"(?:[-*•+>]|#{1,6}(?! ?[-$\\\d])|\d[.)]|[Ss]tep \d{1,2}[:.)]) +"
    r"|^[ \t]*(?=[*_(QPE])[*_]{0,3}(?:\([a-h]\)[*_]{0,3} +(?=[-−]?[\d$]|\\[(\[])"
    r"|(?:Q|Question|Problem|Part|Exercise) ?\d{1,2}[:.)][*_]{0,3} +)",
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
_AND_SO_ON = re.compile(
    r"(?=[ .…ae])(?:(?<=,) ?(?:\.{3,}|…|(?:and so on|etc)\b)|(?<=\d) ?(?:\.{3,}|…)(?= ?\d))"
)
_ARROW = re.compile(r"=>|[⇒⟹∴]")
_DECORATION = re.compile(
    r"[\"“”«»„‟∎■□✓✅🎉]|\\(?:blacksquare|square|qed|checkmark|therefore|implies|Rightarrow)(?![a-zA-Z])"
)
_HYPHEN = re.compile(r"-(?<=\d-)(?=(?!(?:sin|cos|tan|log|ln|exp|sqrt|pi|ish)\b)[a-z]{2,20}\b)")
_TIMES = re.compile(r" [xX] (?<=\d [xX] )(?=\d)")
_TERM = r"\(?[$€£]?\d[\d.,]*+%?(?: ?(?:\([^()\n]{1,40}\)|(?![xX] )[a-zA-Z][a-zA-Z'’/ ]{0,40}?))?\)?"
_CALCULATION = re.compile(
    rf"(?=[$€£(\d])(?<![-+*/×·÷−=^\w.,(\\])(?<![-+*/×·÷−=^(] )(\$)?(?<!\b[a-zA-Z] ){_TERM}"
    rf"(?: ?[-+*/×·÷−xX] ?{_TERM}){{1,9}} ?= ?(?(1)(?=-?\$))(?=[-−$€£]?\d)"
)
"""Numbers that are combined, perhaps with their units, up to the result."""
_SQUARED_UNIT = re.compile(r"\$(\^\{?\d\}?)\$")
_PLAIN = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2044": "/", "％": "%"})
_MARK = r"[*_]{0,3}\(?[A-Ha-h\d][.)][*_]{0,3} "
_VALUE = (
    r"(?P<value>[*_]{0,3}(?:\${1,2}[^$\n]{1,80}\${1,2}"
    r"|\\[(\[][^\n]{1,80}\\[)\]]|(?:[a-zA-Z] ?= ?)?[-−]?[\d(][\d .,/^()°%√π−-]{0,40}+)[*_]{0,3})"
    r"[ .,;]{0,3}(?=\n|\Z)"
)
_LISTED = re.compile(rf"\n[ \n]{{0,3}}(?:[-*•+] |{_MARK})?{_VALUE}")
_MARKED = re.compile(rf"\n[ \n]{{0,3}}{_MARK}{_VALUE}")
_ITEMS = re.compile(rf"(?>{_MARKED.pattern.replace('?P<value>', '?:')}){{2,9}}+\s*\Z")
"""At least two values at the end, one a line, each with a mark such as `A.` or `(b)`."""
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
NUMBERED = (
    "page|chapter|room|bus|platform|footnote|step|question|theorem|section|problem|exercise"
    "|(?-i:Table|Figure|Equation|Lemma|Appendix|Example|Part|Line|Row|Item|Version)"
)
"""What the number behind it names. In lower case, the last ones may have nothing to do with it."""
_ASKED_NAME = re.compile(
    rf"\b(?:which|what|on what|in which) ({NUMBERED.replace('(?-i:', '(?:')})\b", re.IGNORECASE
)
_ASKED_END = re.compile(r"\b(after|before|until|past) (?:how (?:many|long)|which|what)\b", re.I)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?= (?P<noun>[a-z]{3,20})\b)", re.IGNORECASE)
_PLAIN_VALUE = r"(?:[-−]?\$?[\d.,/]*[\d/]|\$[^$\n]{1,40}\$)"
_CONFIRMED = re.compile(
    r"\bis (it|that|this|the (?:(?:final|correct|right) )?answer|[a-z]) (?:equal to )?"
    rf"({_PLAIN_VALUE}(?: [a-z]{{2,15}})?)\? (?:yes|correct|right|indeed|exactly)\b[.!]*\s*\Z",
    re.IGNORECASE,
)
_RIGHT, _NOT_RIGHT = (
    r" is (?:right|correct|the answer)",
    rf" is (?:{FALSE}|not(?: right| correct| the answer)?)",
)
_AND_ALSO = r"(?:[,;] |[,;]? (?:and|but|while|whereas) )"
_JUDGED = re.compile(
    r"(?=[-−\d$sth])(?:(?<=\n)|(?<=[.!?] )|\A)(?:(?:so|thus|therefore|hence),? )?"
    rf"(?:(?P<first>{_PLAIN_VALUE}){_RIGHT}{_AND_ALSO}{_PLAIN_VALUE}{_NOT_RIGHT}"
    rf"|{_PLAIN_VALUE}{_NOT_RIGHT}{_AND_ALSO}(?P<last>{_PLAIN_VALUE}){_RIGHT})[.!]*(?=\n|\Z)",
    re.IGNORECASE,
)
"""A sentence that affirms one value and denies another."""


def plain_characters(answer: str) -> str:
    """Return an answer whose fractions, powers and thousands have plain characters."""
    answer = _PER_CENT.sub("percent", answer.translate(_PLAIN))
    if answer.isascii() and "'" not in answer:
        return answer
    answer = _FRACTION.sub(_spelled_fraction, answer)
    answer = _EXPONENT.sub(_spelled_exponent, answer)
    return _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), answer)


def with_asked_number(answer: str, question: str) -> str:
    """Return an answer with the bare number that the question asks for: `which floor`.

    Example:
        >>> with_asked_number("It is the 18th floor.", "On what floor is Bill?")
        'It is the 18 floor.'
        >>> with_asked_number("It is the 18th floor.", "How many floors are there?")
        'It is the 18th floor.'
    """
    for asked in (*_ASKED_NAME.finditer(question), *_ASKED_END.finditer(question)):
        answer = re.sub(rf"\b{asked[1]} (?=[-\d$])", "", answer, flags=re.IGNORECASE)
    nouns = _ASKED_NOUN.findall(question.lower())
    if not nouns:
        return answer
    return _ORDINAL.sub(
        lambda ordinal: "" if ordinal["noun"].lower() in nouns else ordinal[0], answer
    )


def with_confirmed_value(text: str) -> str:
    """Return a text that states the value which its last sentence only confirms.

    Example:
        >>> with_confirmed_value("Is it 42? Yes."), with_confirmed_value("Is it over 42? Yes.")
        ('it is 42.', 'Is it over 42? Yes.')
        >>> with_confirmed_value("41 is wrong, 42 is right.")
        '42.'
    """
    if "?" in text[-40:]:
        text = _CONFIRMED.sub(r"\1 is \2.", text)
    return _JUDGED.sub(lambda judged: f"{judged['first'] or judged['last']}.", text)


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
    text = _ITEMS.sub(_in_one_line, f"\n{text}")[1:]
    text = _with_plain_units(text)
    if not text.isascii():
        text = _BESIDE_IDEOGRAPH.sub(" ", text)
    text = _TIMES.sub(" × ", _HYPHEN.sub(" ", text))  # of a 42-minute walk
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


def _in_one_line(items: re.Match[str]) -> str:
    """Return the values of a list at the end of a text."""
    values = (item["value"].strip(" ,.;") for item in _MARKED.finditer(items[0]))
    return f"\n{', '.join(values)}"


def _with_plain_units(text: str) -> str:
    r"""Return a text in which units in `\text{…}` are words, unless they stand in a formula."""
    return _outside_formulas(_TEXT_COMMAND, r" \1", text) if "\\" in text else text


def with_results(text: str) -> str:
    """Return a text with the results of its calculations, unless they are formulas.

    Example:
        >>> with_results("2 boxes * 21 pens = 42 pens"), with_results("$2 * 21 = 42$")
        ('gives 42 pens', '$2 * 21 = 42$')
    """
    return _outside_formulas(_CALCULATION, "gives ", text) if "=" in text else text


def _outside_formulas(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    parts: list[str] = []
    end = 0
    for formula in FORMULA.finditer(text):
        parts += pattern.sub(replacement, text[end : formula.start()]), formula[0]
        end = formula.end()
    return "".join([*parts, pattern.sub(replacement, text[end:])])


def without_marks(text: str) -> str:
    """Return a text without the marks of Markdown around words, also nested ones."""
    for _ in range(2):
        text = _MARKDOWN.sub(r"\g<inside>", text)
    return text
