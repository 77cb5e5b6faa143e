"""Spellings of right answers that the mathematics verifier takes, and look-alikes."""

from __future__ import annotations

import re

from repository import DOCS
from tables import in_one_test

from textgym.verifiers.math import verify

# Gold, and spellings of it as they stand in a box.

RIGHT: dict[str, list[str]] = {
    "120": [
        "\\textcolor{red}{120}", "\\color{blue}{120}", "\\underline{120}", "\\fbox{120}",
        "\\large{120}", "\\approx 120", "120\\,\\checkmark", "\\text{Answer: }120",
        "N = \\binom{10}{3} = 120", "\\left.\\frac{dy}{dx}\\right|_{(1,2)} = 120",
    ],
    "(4, -7, 10)": [
        "\\langle 4,-7,10\\rangle", "\\left\\langle 4, -7, 10 \\right\\rangle", "P(4,-7,10)",
        "\\begin{pmatrix}4\\\\-7\\\\10\\end{pmatrix}", "\\begin{bmatrix}4&-7&10\\end{bmatrix}",
        "u \\times v = (4,-7,10)", "\\vec{u}\\times\\vec{v}=(4,-7,10)",
    ],
    "\\begin{pmatrix} 10 & 20 \\\\ 30 & 40 \\end{pmatrix}": [
        "\\frac{1}{2}\\begin{pmatrix}20&40\\\\60&80\\end{pmatrix}",
        "\\begin{psmallmatrix} 10 & 20 \\\\[4pt] 30 & 40 \\end{psmallmatrix}",
        "\\begin{pmatrix*}[r] 10 & 20 \\\\ 30 & 40 \\end{pmatrix*}",
    ],
    "(-\\infty, 3) \\cup [5, \\infty)": [
        "]-\\infty,3[ \\cup [5,\\infty[", "(-oo,3) \\cup [5,oo)",
        "(-\\infty,3) \\bigcup [5,\\infty)",
    ],
    "[-2, 8)": ["[-2;8)", "[-2,8[", "-2 \\le x < 8"],
    "54": ["x\\equiv 54 \\pmod{77}", "54 \\pmod{77}", "7^{100} \\equiv 54 \\pmod{77}"],
    "7\\frac12": ["7 1/2", "7\\frac{1}{2}", "\\frac{15}{2}", "7.5"],
    "-3, 5": ["x=-3 \\lor x=5", "x = -3, x = 5", "\\{-3, 5\\}"],
    "-15\\sin(5x)+4e^{2x}": ["-15sin(5x)+4e^{2x}", "-15\\operatorname{sin}(5x)+4e^{2x}"],
    "42": [
        "42", "+42", "042", "42.0", "42.", " 42 ", "$42$", "\\(42\\)", "{42}", "\\,42\\,", "~42~",
        "\\mathbf{42}", "\\boldsymbol{42}", "\\bm{42}", "\\textbf{42}", "\\text{42}", "\\rm 42",
        "\\mathrm{42}", "{\\bf 42}", "\\displaystyle 42", "\\left(42\\right)", "x = 42",
        "f(3) = 42", "6 \\cdot 7 = 42", "\\frac{84}{2}", "84/2", "4.2\\times 10^1",
        "42\\text{ apples}", "42 apples", "42~\\text{km/h}", "42\\ \\mathrm{cm}", "42\\mbox{ cm}",
        "42 cm", "42\\$", "\\$42", "42^\\circ", "42^{\\circ}", "42°", "42\\degree",
        "42\\text{ degrees}", "42 \\quad", "\\boxed{42}",
    ],
    "-5": ["-5", "{-}5", "−5", "–5", "-5.0", "- 5", "\\text{-}5", "-\\frac{10}{2}", "-\\mathbf{5}"],
    "1234567": [
        "1234567", "1,234,567", "1{,}234{,}567", "1\\,234\\,567", "1 234 567", "1~234~567",
        "1\u202f234\u202f567", "1\u00a0234\u00a0567", "1\\;234\\;567", "1,234,567.0",
    ],
    "\\frac{1}{2}": [
        "\\frac{1}{2}", "\\dfrac{1}{2}", "\\tfrac12", "\\frac12", "\\frac 1 2", "1/2", "0.5", ".5",
        "½", "\\frac{2}{4}", "0{,}5", "50\\%", "\\mathbf{\\frac{1}{2}}", "\\left(\\frac12\\right)",
    ],
    "\\frac{1}{3}": ["0.\\overline{3}", "0.333333", "\\frac{3}{9}", "0.\\bar{3}"],
    "3\\sqrt{29}": ["3\\sqrt29", "3\\sqrt{29}", "3√29", "3\\cdot\\sqrt{29}", "\\sqrt{29}\\cdot 3"],
    "12i": ["12i", "12 i", "12\\,i", "12\\cdot i", "12\\mathrm{i}", "12\\text{i}", "i \\cdot 12"],
    "\\frac{4448i}{25}": ["\\frac{4448}{25}i", "\\frac{4448}{25}\\,i", "\\frac{4448\\,i}{25}"],
    "3 - 4i": ["3-4i", "3 - 4 i", "-4i + 3", "3-4\\mathrm{i}", "3 + (-4)i", "z = 3-4i"],
    "\\infty": ["\\infty", "∞", "+\\infty", "infinity", "\\text{ }\\infty"],
    "-\\infty": ["-\\infty", "-∞", "−∞"],
    "21e^{4x}": [
        "21\\mathrm{e}^{4x}", "21e^{4x}", "21 \\exp(4x)", "21\\, e^{4 x}", "e^{4x}\\cdot 21",
    ],
    "90^\\circ": ["90", "90°", "90^\\circ", "90^{\\circ}", "90\\text{ degrees}", "90 degrees"],
    "12\\text{ km/h}": [
        "12", "12~\\text{km/h}", "12 km/h", "12\\,\\mathrm{km}/\\mathrm{h}", "12\\text{ kmh}",
        "12 \\text{ km per hour}",
    ],
    "5\\text{ cm}^2": ["5", "5\\text{ cm}^2", "5\\text{ square cm}", "5 \\text{ sq. cm}", "5 cm^2"],
    "[-2, 3)": [
        "[-2,3)", "-2 \\le x < 3", "-2 \\leq x \\lt 3", "3 > x \\geqslant -2", "x \\in [-2,3)",
        "x \\ge -2 \\text{ and } x < 3", "\\left[-2, 3\\right)",
    ],
    "(3, \\infty)": ["(3,\\infty)", "x > 3", "3 < x", "(3, ∞)", "(3, +\\infty)", "3 < x < \\infty"],
    "(-\\infty, -1) \\cup (2, \\infty)": [
        "x < -1 \\text{ or } x > 2", "(2,\\infty)\\cup(-\\infty,-1)", "x<-1 or x>2",
        "x > 2 \\lor x < -1",
    ],
    "x > 3": ["(3, \\infty)", "3 < x", "x>3"],
    "\\{1, 2, 3\\}": ["1, 2, 3", "3,2,1", "\\{3, 2, 1\\}", "1, 2 \\text{ and } 3", "\\{1,2,3\\}."],
    "-\\frac{4}{3}, 5": ["5, -\\frac43", "x = 5, x = -\\frac{4}{3}", "5 \\text{ or } -\\frac43"],
    "\\pm 2": ["2, -2", "\\pm 2", "±2", "-2 \\text{ and } 2", "x = \\pm 2"],
    "(1, -\\frac{1}{2})": ["(1, -0.5)", "\\left(1,-\\frac{1}{2}\\right)"],
    "\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}": [
        "\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", "\\begin{bmatrix}1\\\\2\\end{bmatrix}",
        "\\left[\\begin{matrix} 1 \\\\ 2 \\end{matrix}\\right]",
    ],
    "\\text{even}": [
        "\\text{even}", "even", "Even", "\\textbf{even}", "\\mathrm{even}", "\\text{ even.}",
    ],
    "y = 2x + 3": ["y=2x+3", "2x+3", "y = 3 + 2x", "3+2x = y"],
    "x = 2, y = 3": ["x=2, y=3", "y = 3, x = 2", "x = 2 \\text{ and } y = 3", "2, 3"],
    "10\\%": ["10\\%", "10 percent", "0.1", "\\frac{1}{10}", "10\\text{ percent}", "10 \\%"],
    "\\sqrt{2}": ["\\sqrt2", "2^{1/2}", "\\frac{2}{\\sqrt{2}}", "√2", "\\sqrt{2\\,}"],
    "2\\pi": ["2 \\pi", "\\pi \\cdot 2", "2π", "2pi", "6.283185"],
    "\\emptyset": ["\\emptyset", "\\varnothing", "∅", "\\{\\}"],
    "1101_2": ["1101_2", "1101_{2}", "1101_{\\text{two}}", "1101"],
    "12222": ["12,\\! 222", "12,\\!222", "12{,}\\!222"],
    "12,\\! 222": ["12222", "12{,}222"],
    "7000000": ["7\\text{ million}", "7 million", "\\$7\\text{ million dollars}"],
    "1000000": ["1\\text{ million}", "1 million", "1.0\\text{ million}", "1{,}000 thousand"],
    "1500000": ["1.5\\text{ million}", "1\\frac{1}{2}\\text{ million}", "1{,}500 thousand"],
    "\\ln 2": ["\\log_e 2", "\\log_{e}(2)"],
    "\\sqrt{3}": ["\\sqrt{3} \\approx 1.732"],
    "1.41": ["\\sqrt{2} \\approx 1.41"],
    "2x": [
        "f(x) = 2x \\text{ for all } x", "f(x) = 2x, x \\in \\mathbb{R}",
        "2x \\text{ for all real } x",        "2x \\quad \\forall x \\in \\mathbb{R}",
    ],
    "E_{1}, E_{2}": ["E_1, E_2", "E_1,E_2"],
    "I\\frac{d\\omega}{dt} + 2B\\omega = T": ["I\\frac{d\\omega}{dt} = T - 2B\\omega"],
    "7": ["**7**", "*7*", "`7`", "\"7\"", "[7]", "**x = 7**", "<b>7</b>", "“7”"],
    "nonlinear": ["\\text{nonlinear}", "Nonlinear", "\\textbf{non-linear}", "\\text{nonlinear.}"],
    "4:10P.M": ["4:10 \\text{ P.M.}", "4{:}10\\text{ pm}", "4:10\\,PM"],
    "Amy and Bob": ["\\text{Amy and Bob}", "\\text{Bob, Amy}"],
    "xyz": ["zyx", "x \\cdot y \\cdot z"],
}  # fmt: skip

WRONG: dict[str, list[str]] = {
    "42": [
        "2x = 42", "x^2 = 42", "\\sqrt{x} = 42", "|x| = 42", "x - 3 = 42", "-x = 42",
        "\\sin x = 42", "\\frac{1}{x} = 42", "10 - x = 42", "42_8",
        "", "43", "-42", "4.2", "420", "42, 43", "42 \\text{ or } 43", "\\pm 42", "\\{41, 42\\}",
        "42 = 41", "41 = 42", "42x", "42i", "42\\%", "４２", "42m", "42 + x - x", "42\\infty",
        "(42, 42)", "40 + 1 + 1", "2 \\cdot 3 \\cdot 7", "\\sqrt{1764}", "42!", "|-42|",
        "\\text{not } 42", "\\frac{1}{42}", "42^{-1}", "[41, 43]", "x > 42",
        "\\binom{42}{1}", "6^2 + 6", "\\lfloor 42.5 \\rfloor", "\\max(41, 42)", "\\int_0^{42} dx",
        "42_8 + 8", "\\lim_{x \\to 42} x", "\\sum_{k=1}^{42} 1", "84 \\bmod 1000", "\\gcd(84, 126)",
        "42 \\ne 42", "42.000001", "41.9999", "42\\cdot\\infty^0", "\\log_2 2^{42}", "e^{\\ln 42}",
        "42 \\ldots 43",
    ],
    "-5": ["5", "--5", "(-5)^2", "\\{-5, 5\\}", "-5x", "|{-5}|"],
    "1234567": [
        "1234,567", "1.234.567", "1 234", "12 34 567", "1,234,56", "1,234,567,000", "1, 234, 567",
    ],
    "\\frac{1}{2}": ["\\frac{2}{1}", "0.499", "0.05", "12", "2/1", "1, 2", "1:3", "5\\%"],
    "3\\sqrt{29}": ["3\\sqrt{2}9", "3\\sqrt{92}", "\\sqrt{29}", "\\sqrt[3]{29}", "3\\cdot 29"],
    "12i": ["12", "i", "-12i", "12 + i", "12j", "12_i"],
    "\\infty": [
        "-\\infty", "\\pm\\infty", "5", "\\frac{1}{0}", "\\infty - \\infty", "\\text{undefined}",
    ],
    "90^\\circ": ["90\\text{ radians}", "80^\\circ", "\\frac{\\pi}{2}", "90\\text{ cm}"],
    "12\\text{ km/h}": [
        "12\\text{ m/s}", "12\\text{ km}", "12 mph", "12000\\text{ m/h}", "13\\text{ km/h}",
    ],
    "5\\text{ cm}^2": ["5\\text{ cm}", "5\\text{ cm}^3", "5\\text{ mm}^2", "25"],
    "[-2, 3)": [
        "(-2,3)", "[-2,3]", "-2 < x < 3", "x \\ge -2", "x < 3", "-2, 3",
        "x \\ge -2 \\text{ or } x < 3",
    ],
    "(3, \\infty)": [
        "[3,\\infty)", "x \\ge 3", "(3, 1000)", "x < 3", "(-\\infty, 3)", "x > 3, x > 4",
    ],
    "(1, 2)": ["(2, 1)", "[1, 2]", "(1, 2, 3)", "\\{2, 1\\}"],
    "x > 3": ["x \\ge 3", "y > 3", "x < 3", "x > -3", "3"],
    "\\{1, 2, 3\\}": ["1, 2", "1, 2, 3, 4", "1, 2, 4", "[1, 3]", "123"],
    "\\text{even}": [
        "\\text{odd}", "\\text{not even}", "evening", "\\text{even or odd}", "e \\cdot v",
    ],
    "y = 2x + 3": ["y = 3x + 2", "x = 2y + 3", "2x", "y - 2x = 3", "y = 2x + 3 + 1"],
    "x = 2, y = 3": ["x = 3, y = 2", "3, 2", "x = 2", "2 + 3"],
    "10\\%": ["10", "1\\%", "0.01", "100\\%", "\\frac{1}{100}"],
    "\\emptyset": ["0", "\\{0\\}", "\\{\\emptyset\\}", "(5, 3]", "x > 5 \\text{ and } x < 3"],
    "1101_2": ["1101_3", "13", "1101_{10}"],
    "\\ln 2": ["\\log_2 e", "\\log_e 3"],
    "\\sqrt{2}": ["\\sqrt{2} \\approx 1.5"],
    "7": ["7\\text{ million}", "7 thousand", "7\\text{ dozen eggs}"],
    "1.5": ["1.5\\text{ million}", "1\\frac{1}{2}\\text{ million}", "1.5 dozen"],
    "2x": ["3x \\text{ for all } x", "2 \\text{ for all } x", "f(x) = x^2, x \\in \\mathbb{R}"],
    "E_{1}, E_{2}": ["E_1, E_3", "E_1"],
    "I\\frac{d\\omega}{dt} + 2B\\omega = T": ["I\\frac{d\\omega}{dt} = T + 2B\\omega"],
    "listen": ["silent", "\\text{silent}", "s \\cdot ilent", "listens"],
    "east": ["seat", "east or west"],
    "yes": ["sey", "no"],
    "x": ["y", "|x|", "\\sqrt{x^2}", "x^2", "x + 0.001"],
}  # fmt: skip


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Make one case of each spelling."""
    return [(gold, text) for gold, texts in table.items() for text in texts]


@in_one_test(("gold", "text"), cases(RIGHT))
def test_a_spelling_of_the_right_answer_is_taken(gold: str, text: str) -> None:
    assert verify(gold, f"So it is $\\boxed{{{text}}}$.").equal


@in_one_test(("gold", "text"), cases(WRONG))
def test_a_look_alike_is_not_taken(gold: str, text: str) -> None:
    assert not verify(gold, f"So it is $\\boxed{{{text}}}$.").equal


PAGE = DOCS / "verifiers.md"


def tables_of_the_page() -> list[tuple[str, str, bool]]:
    """Make one case of each example in the page's two tables: in a box, and without one."""
    section = PAGE.read_text("utf-8").partition("\n## Mathematics\n")[2].partition("\n## ")[0]
    boxed, whole = (
        [line.strip("|").split(" | ") for line in part.splitlines() if line.startswith("| ")][2:]
        for part in section.split("These are whole texts without a box:")
    )
    return [
        (gold, form % text, equal)
        for rows, form in ((boxed, "\\boxed{%s}"), (whole, "%s"))
        for _, *cells in rows
        for (gold,), *columns in [[re.findall("`([^`]+)`", cell) for cell in cells]]
        for texts, equal in zip(columns, (True, False), strict=True)
        for text in texts
    ]


@in_one_test(("gold", "text", "equal"), tables_of_the_page())
def test_what_the_page_says_is_so(gold: str, text: str, equal: bool) -> None:
    assert verify(gold, text).equal == equal
