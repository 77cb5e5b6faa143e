r"""Normalisation of LaTeX to the spelling that the parser reads.

Invariants: every function accepts any text and never raises; golds and answers are normalised in
the same way, so a rule can make two spellings of a value equal, but it never decides that an answer
is correct.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from textgym.verifiers.math.quantities import split_unit, with_unit_at_end

__all__ = ["Spelling", "connected", "plain_fractions", "powers_of_ten", "spell"]

_SYMBOLS = {
    "∞": "\\infty ", "π": "\\pi ", "θ": "\\theta ", "φ": "\\phi ", "α": "\\alpha ", "β": "\\beta ",
    "−": "-", "–": "-", "—": "-", "×": "\\times ", "·": "\\cdot ", "⋅": "\\cdot ", "÷": "\\div ",
    "≤": "\\le ", "≥": "\\ge ", "≠": "\\neq ", "≈": "\\approx ", "±": "\\pm ", "∪": "\\cup ",
    "∩": "\\cap ", "∈": "\\in ", "∅": "\\emptyset ", "ℝ": "\\mathbb{R}", "ℤ": "\\mathbb{Z}",
    "°": "^\\circ ", "′": "'", "²": "^{2}", "³": "^{3}", "½": "\\frac{1}{2}", "¼": "\\frac{1}{4}",
    "¾": "\\frac{3}{4}", "…": "\\ldots ", "\u2010": "-", "\u2011": "-",
    "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ",
}  # fmt: skip
_TRANSLATED = str.maketrans(_SYMBOLS)
_SPACES = re.compile(
    r"(?:(?<!\\)\\(?:[,;:> ]|(?:q?quad|(?:thin|med|thick|en)?space)(?![a-zA-Z]))|~|\s)++"
)
_REMOVED = re.compile(
    r"\\!|\\(?:left|right)\s*\.|\\(?:display|text|script)style(?![a-zA-Z])"
    r"|\\m?(?:left|right)(?![a-zA-Z])|\\[bB]igg?[lrm]?(?![a-zA-Z])|\\(?:no)?limits(?![a-zA-Z])"
    r"|\\(?:bf|rm|it|sf|tt|mathstrut|strut|large|Large|huge|small|checkmark)(?![a-zA-Z])"
    r"|\\neg(?:thin|med|thick)space(?![a-zA-Z])|\\phantom\{[^{}]*+\}"
    r"|\\(?:textcolor|color)\{[a-zA-Z]*+\}(?:\{\})?|\\text\{\s*+[Aa]nswer:?\s*+\}|\A\s*+\\approx(?![a-zA-Z])"
    r"|\A\s*+\\text\{\s*+(?i:(?:the )?(?:(?:final|correct|total|maximum|minimum) )?"
    r"(?:answer|total|result|solution|value|area|perimeter|volume|sum|product|difference|number|count"
    r"|probability|average|mean|median|length|distance|speed|cost|price|profit|maximum|minimum|time))"
    r" ?[:=]\s*+\}"
)
_SYNONYMS = {
    "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\cfrac": "\\frac", "\\dbinom": "\\binom",
    "\\tbinom": "\\binom", "\\leqslant": "\\le", "\\geqslant": "\\ge", "\\leq": "\\le",
    "\\geq": "\\ge", "\\lt": "<", "\\gt": ">", "\\ne": "\\neq", "\\varnothing": "\\emptyset",
    "\\degree": "^\\circ", "\\imath": "i", "\\lbrace": "\\{", "\\rbrace": "\\}", "\\lbrack": "[",
    "\\rbrack": "]", "\\lparen": "(", "\\rparen": ")", "\\ast": "\\cdot", "\\land": "\\wedge",
    "\\lor": "\\vee", "\\lcm": "\\operatorname{lcm}", "\\operatorname*": "\\operatorname",
    "\\upi": "\\pi", "\\mathbbm": "\\mathbb", "\\R": "\\mathbb{R}", "\\Z": "\\mathbb{Z}",
    "\\pounds": "£", "\\euro": "€", "\\langle": "(", "\\rangle": ")", "\\bigcup": "\\cup",
    "\\nicefrac": "\\frac", "\\sfrac": "\\frac",
}  # fmt: skip
_AND_SO_ON = re.compile(
    r",\s*(?:\.{3,}|\\c?dots[cb]?(?![a-z])|\\text\{ ?(?:etc|and so on)\b[ .]*\})"
)
_COMMAND = re.compile(r"\\operatorname\*|\\[a-zA-Z]++")
_FONT = re.compile(
    r"\\(?P<name>underline|fbox|mathbf|boldsymbol|bm|pmb|mathit|mathsf|mathtt|mathnormal|mathrm|textbf|textit"
    r"|textrm|textsf|texttt|textnormal|textup|emph|text|mbox|hbox)\s*+\{(?P<content>[^{}]*+)\}"
)
_NESTED_FONT = re.compile(r"\\(?:mathbf|boldsymbol|bm|pmb|mathit|mathrm|mathsf|textbf)\s*+\{")
_TEXT_FONTS = frozenset(["mathrm", "textrm", "textnormal", "textup", "text", "mbox", "hbox"])
_LETTER = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_CONNECTIVE = re.compile(
    r"\\text\{\s*+,?\s*+(?P<word>and|or)\s*+\}|(?<![a-zA-Z\\])(?P<bare>and|or)\b"
    r"|\\(?P<sign>wedge|vee)(?![a-zA-Z])"
)
_CONNECTIVES = {"and": "and", "or": "or", "wedge": "and", "vee": "or"}
_SIGN_IN_BRACES = re.compile(r"\{\s*+([-+=<>])\s*+\}")
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,])(?<!\d )(\d{1,3})((?: \d{3})++)(?![\d])(?! \d)")
_BRACED_THOUSANDS = re.compile(r"(?<![\d.])(\d{1,3})((?:\{,\}\d{3})++)(?!\d)")
_DECIMAL_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d)")
_BARE_ROOT = re.compile(r"\\sqrt\s*+(\d++|[a-zA-Z](?![a-zA-Z]))")
_BARE_PAIR = re.compile(r"\\(frac|binom)\s*+(\d)\s*+(\d)")
_UNICODE_ROOT = re.compile(r"√\s*+(?:\(([^()]*+)\)|(\d++|[a-zA-Z]))")
_RECURRING = re.compile(
    r"(?<![\d.])(?P<whole>\d*+)\.(?P<fixed>\d*+)\\(?:overline|bar|dot)\s*+\{?(?P<repeated>\d++)\}?"
)
_SIDE_BY_SIDE = re.compile(r"(?<=[\d)]) ?(?=\()|(?<=\)) ?(?=\d)")
_MIXED = re.compile(r"(?<![\d.])(\d+) (\d+)/(\d+)(?![\d.])")
_POINT = re.compile(r"\A[A-Z](?=\([^()]*,)")
_INTERVAL = re.compile(
    r"(?P<open>[][(])(?P<low>(?:[^][(){},;]|\{[^{}]*+\})++)(?P<mark>[,;])"
    r"(?P<high>(?:[^][(){},;]|\{[^{}]*+\})++)(?P<close>[][)])"
)
_INFINITY = re.compile(r"(?<![a-zA-Z\\])oo(?![a-zA-Z])")
_ROW_GAP = re.compile(r"(\\\\)\s*\[\d+(?:pt|em|ex|mm)\]")
_MATRIX = re.compile(r"\{(?P<kind>[pb]?)(?:small)?matrix\*?\}(?:\[[lcr]\])?")
_RESIDUE = re.compile(r"\s*+(?P<value>\d++)\s*+\\pmod\s*+\{?\s*+(?P<modulus>\d++)\s*+\}?\s*+")
_BARE_FUNCTION = re.compile(
    r"\\operatorname\{(sin|cos|tan|ln|log|exp)\}|(?<![a-zA-Z\\])(sin|cos|tan|ln|log)(?![a-zA-Z])"
)
_WORDS = re.compile(r"(?<![a-zA-Z\\])(?:pi|infinity|inf)(?![a-zA-Z])")
_PERCENT = re.compile(r" ?(?:\\text\{ ?)?(?<![a-zA-Z])(?:percent(?:age)?|pct)(?![a-zA-Z])\}?")
_LOOSE_SPACE = re.compile(r"(?<![A-Za-z0-9,;!]) |(?<!!) (?![A-Za-z0-9])")
_DELIMITERS = (
    ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("**", "**"), ("*", "*"), ("__", "__"), ("_", "_"),
    ("`", "`"), ('"', '"'), ("“", "”"), ("‘", "’"), ("'", "'"), ("<b>", "</b>"),
)  # fmt: skip
_NEGATIVE_SPACE = re.compile(r"(?<=\d)(,|\{,\})\\!\s*+(?=\d{3}(?!\d))")
_SCALE = re.compile(
    r"(?:(?<![\d.,])(?P<number>\d[\d.,]*+)|(?<=\})) ?(?P<text>\\text\{ ?)?"
    r"(?P<word>dozen|hundred|thousand|million|billion|trillion)(?![a-zA-Z])(?P<end> ?\})?"
)
_SCALES = {
    "dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "trillion": 10**12,
}  # fmt: skip
_NATURAL_LOGARITHM = re.compile(r"\\log\s*+_\s*+(?:e(?![a-zA-Z])|\{\s*+e\s*+\})")
_SCIENTIFIC = re.compile(
    r"(?<![\w.\\])(?P<number>\d++(?:\.\d++)?)[eE](?P<sign>[-+]?)(?P<power>\d{1,3})(?![\w.^])"
)
_LETTER_X_FOR_TIMES = re.compile(
    r"(?<=\d)(?: |\\[,;:])?(?:\\(?:text|mathrm)\{ ?[xX] ?\}|[xX])(?: |\\[,;:])?(?=10 ?\^)"
)
_LETTER_O_FOR_DEGREES = re.compile(r"(?<=\d) ?\^ ?(?:o|\{ ?o ?\})(?![\w^])")
_DIGITS_IN_BRACKETS = re.compile(r"(?<![\w)}])\(([\dA-F]++)\)(?= ?_)")
_ROWS = re.compile(r"\[ ?(\[[^][]++\](?: ?, ?\[[^][]++\])*+) ?\]\Z")
_ALL_REALS = re.compile(
    r"(?:\\text\{ ?)?(?:(?:all|any|every|the set of(?: all)?) )?real(?:s| numbers?)(?: ?\})?"
    r"|\\mathbb ?\{? ?R ?\}?"
)
_QUALIFIER = re.compile(
    r"(?:(?<![ ,;(])[ ,;(]++)?(?:\\text\{[ ,]*+for (?:all|any|every|each)\b[^=<>]{0,100}+"
    r"|\\forall.{0,100}+|\\text\{ ?where ?\} ?[a-zA-Z] ?\\in.{0,100}+"
    r"|(?<=[ ,;(])[a-zA-Z] ?\\in ?\\mathbb ?\{?[RQC]\}?\)?)\Z"
)


class Spelling(NamedTuple):
    """A normalised formula.

    Attributes:
        latex: The LaTeX, without a unit at its end.
        unit: The canonical name of the unit, such as `km/h`; "" if there is none or it is unknown.
    """

    latex: str
    unit: str = ""


@lru_cache(maxsize=4096)
def spell(latex: str) -> Spelling:
    r"""Normalise LaTeX, and split off the unit.

    Example:
        >>> spell(r"1\,234\,567.").latex, spell(r"\mathbf{{-}5}").latex, spell(r"3\sqrt29").latex
        ('1234567', '-5', '3\\sqrt{29}')
        >>> spell(r"12~\text{km/h}")
        Spelling(latex='12', unit='km/h')
    """
    text = _COMMAND.sub(_same_command, _ROW_GAP.sub(r"\1", latex.translate(_TRANSLATED)))
    text = _AND_SO_ON.sub(r",\\ldots ", text)
    text = _residue(_MATRIX.sub(lambda match: f"{{{match['kind'] or 'p'}matrix}}", text))
    text = _REMOVED.sub("", _NEGATIVE_SPACE.sub(r"\1", _NATURAL_LOGARITHM.sub(r"\\ln ", text)))
    text = _bare(_SPACES.sub(" ", text))
    text = _bare(_FONT.sub(_without_font, _unwrap_nested_fonts(text)))
    text = _PERCENT.sub(r"\%", _SIGN_IN_BRACES.sub(r"\1", text))
    text = _BRACED_THOUSANDS.sub(_joined, text)
    text = _DECIMAL_COMMA.sub(".", _SPACED_THOUSANDS.sub(_joined, text))
    text = _UNICODE_ROOT.sub(lambda match: f"\\sqrt{{{match[1] or match[2]}}}", text)
    text = _BARE_ROOT.sub(r"\\sqrt{\1}", text)
    text = _BARE_FUNCTION.sub(lambda match: f"\\{match[1] or match[2]} ", text)
    if _ALL_REALS.fullmatch(text):
        return Spelling("(-\\infty,\\infty)")
    text = _LETTER_O_FOR_DEGREES.sub(r"^\\circ ", text)
    text = _ROWS.sub(_as_matrix, _DIGITS_IN_BRACKETS.sub(r"\1", text))
    text = _INTERVAL.sub(_plain_interval, _POINT.sub("", _INFINITY.sub(r"\\infty ", text)))
    text = plain_fractions(
        _WORDS.sub(lambda match: "\\pi " if match[0] == "pi" else "\\infty ", text)
    )
    text = _SIDE_BY_SIDE.sub(r"\\cdot ", _MIXED.sub(r"\1\\frac{\2}{\3}", text))
    text = _SCALE.sub(_scaled, text)
    value, unit = split_unit(with_unit_at_end(_unqualified(text)))
    return Spelling(_LOOSE_SPACE.sub("", _bare(value)), unit)


def powers_of_ten(text: str) -> str:
    r"""Write numbers such as `1.5e3` as products, but not `2e-3`, which may be a difference.

    Example:
        >>> powers_of_ten("1.5e3"), powers_of_ten("2e-3"), powers_of_ten("4 x 10^3")
        ('1.5\\times10^{3}', '2e-3', '4\\times 10^3')
    """
    return _SCIENTIFIC.sub(_power_of_ten, _LETTER_X_FOR_TIMES.sub(r"\\times ", text))


def _power_of_ten(match: re.Match[str]) -> str:
    number, sign, power = match.groups()
    if sign and "." not in number and number != "1" and not power.startswith("0"):
        return match.group()
    return f"{number}\\times10^{{{int(sign + power)}}}"


def _scaled(match: re.Match[str]) -> str:
    r"""Write `7\text{ million}` as a number, and `\frac{1}{2}\text{ million}` as a product.

    Other words of the text stay behind it.
    """
    scale = _SCALES[match["word"]]
    opening, closing = match["text"] or "", match["end"] or ""
    rest = "" if bool(opening) == bool(closing) else opening + closing
    try:
        number = Decimal(match["number"].replace(",", "")) if match["number"] else None
    except ArithmeticError:
        return match.group()
    return f"\\cdot {scale}{rest}" if number is None else f"{number * scale:f}{rest}"


def _as_matrix(match: re.Match[str]) -> str:
    """Write `[[1,2],[3,4]]` as a matrix if its rows have the same length."""
    rows = [row.split(",") for row in re.findall(r"\[([^][]+)\]", match[1])]
    if len({*map(len, rows)}) > 1:
        return match.group()
    body = "\\\\".join("&".join(row) for row in rows)
    return f"\\begin{{pmatrix}}{body}\\end{{pmatrix}}"


def _unqualified(text: str) -> str:
    r"""Return a formula without a phrase such as `\text{ for all } x` at its end."""
    shorter = _QUALIFIER.sub("", text)
    return shorter if re.search(r"[a-zA-Z0-9]", shorter) else text


def plain_fractions(text: str) -> str:
    r"""Write fractions and binomials with all braces, and recurring decimals as fractions.

    Example:
        >>> plain_fractions(r"\dfrac43 and 0.1\overline{6}")
        '\\frac{4}{3} and \\frac{15}{90}'
    """
    text = _COMMAND.sub(_same_command, text)
    return _RECURRING.sub(_as_fraction, _BARE_PAIR.sub(r"\\\1{\2}{\3}", text))


def _plain_interval(match: re.Match[str]) -> str:
    """Write an interval such as `]1;2[` with round brackets for its open ends, and a comma."""
    opening, low, mark, high, closing = match.groups()
    if mark == "," and opening != "]" and closing != "[":
        return match.group()
    opening, closing = opening.replace("]", "("), closing.replace("[", ")")
    return f"{opening}{low},{high}{closing}"


def _residue(text: str) -> str:
    r"""Return the residue of a congruence such as `x \equiv 54 \pmod{77}`, or else the text."""
    match = _RESIDUE.fullmatch(text.rpartition("\\equiv")[2])
    return match["value"] if match and int(match["value"]) < int(match["modulus"]) else text


def _same_command(match: re.Match[str]) -> str:
    return _SYNONYMS.get(match.group(), match.group())


def _bare(text: str) -> str:
    """Remove white space and math delimiters around a formula, and punctuation at its end."""
    while True:
        before = text
        text = text.strip().rstrip(".,;:").rstrip()
        for opening, closing in _DELIMITERS:
            inside = text[len(opening) : len(text) - len(closing)]
            if text.startswith(opening) and text.endswith(closing) and opening not in inside:
                text = inside
        if text == before:
            return text


def _unwrap_nested_fonts(text: str) -> str:
    r"""Remove font commands around a whole formula, as in `\mathbf{\frac{1}{2}}`."""
    while (opening := _NESTED_FONT.match(text)) is not None:
        depth = 0
        for place in range(opening.end() - 1, len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if depth == 0:
                break
        if depth or "{" not in text[opening.end() : place] or text[place + 1 :].strip():
            break
        text = text[opening.end() : place].strip()
    return text


def _without_font(match: re.Match[str]) -> str:
    content = match["content"].strip().rstrip(".,;:")
    words = _LETTER.search(content) if match["name"] in _TEXT_FONTS else _WORD.search(content)
    if not words or content in ("e", "i") or (match["name"] == "mathrm" and "\\" in content):
        return f" {content}" if content[:1].isalnum() else content
    return f"\\text{{{content}}}"


def _joined(match: re.Match[str]) -> str:
    return match[1] + re.sub(r"\D", "", match[2])


def _as_fraction(match: re.Match[str]) -> str:
    r"""Write a recurring decimal as a fraction: `0.1\overline{6}` is 15 over 90."""
    whole, fixed, repeated = match.group("whole", "fixed", "repeated")
    if len(fixed) + len(repeated) > 100:
        return match.group()
    over = (10 ** len(repeated) - 1) * 10 ** len(fixed)
    value = int(f"{whole or 0}{fixed}{repeated}") - int(f"{whole or 0}{fixed}")
    return f"\\frac{{{value}}}{{{over}}}"


def connected(latex: str) -> tuple[str, list[str]]:
    r"""Split a text at `and` or `or`; return the connective ("" if there is none) and the parts.

    Example:
        >>> connected(r"x < -1 \text{ or } x > 2")
        ('or', ['x < -1', 'x > 2'])
    """
    connectives = list(_CONNECTIVE.finditer(latex))
    words = {_CONNECTIVES[match[match.lastgroup or 0]] for match in connectives}
    if len(words) != 1:
        return "", [latex]
    ends = [0, *(place for match in connectives for place in match.span()), len(latex)]
    parts = [latex[start:end].strip(" ,") for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return words.pop(), parts
