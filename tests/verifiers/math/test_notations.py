r"""Mathematics: notations of one value, and look-alikes that have another one."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

_REALS = ["\\mathbb{R}", "\\mathbb R", "(-\\infty,\\infty)", "\\text{all real numbers}", "ℝ",
          "\\text{all reals}", "\\text{the set of all real numbers}"]  # fmt: skip
_NOT_REALS = [
    "\\mathbb{Q}", "\\mathbb{Z}", "[0,\\infty)", "\\text{no real numbers}", "\\mathbb{R}^2", "R",
    "x", "\\text{all real numbers except }0", "\\text{all positive real numbers}", "\\infty",
    "\\mathbb{R}\\setminus\\{0\\}", "\\text{not all real numbers}",
]  # fmt: skip
_UNDEFINED = ["DNE", "\\text{undefined}", "\\text{does not exist}", "\\text{Does Not Exist}",
              "\\text{doesn't exist}", "\\text{The limit does not exist.}"]  # fmt: skip
_DEFINED = ["\\text{does exist}", "\\text{exists}", "\\text{not undefined}", "\\text{defined}", "0",
            "\\infty", "END", "\\text{not DNE}", "\\text{undefined or }0"]  # fmt: skip
_MATRIX = "\\begin{pmatrix}34&44\\\\1&2\\end{pmatrix}"

M = "\\text{ m}"

# Gold, spellings of it, and look-alikes; all of them in a box, without a question.

TABLE: list[tuple[str, list[str], list[str]]] = [
    (
        "3.5",
        ["3,5", "3,50", "x = 3,5", "3,5\\text{ cm}", "3,5 cm", "$3,5$", "+3,5", "3{,}5", "3,5 €"],
        ["3, 5", "(3,5)", "[3,5]", "\\{3,5\\}", "3,500", "-3,5", "5,3", "3,5,0", "3;5", "3,05"],
    ),
    ("-3.5", ["-3,5", "−3,5", "x=-3,50"], ["3,5", "(-3,5)", "[-3,5]", "-3, 5", "3,-5"]),
    ("0.25", ["0,25", "0,250", "25\\%", "0,25 kg"], ["025", "0, 25", "2,5", "0,2,5", "0,025"]),
    ("3500", ["3,500", "3500,0", "3.500,00", "3 500,0"], ["3,5", "3,50", "350,0", "3,5000"]),
    ("1234.5", ["1,234.5", "1.234,5", "1 234,5", "1234,50"], ["1,234,5", "1.234.5", "12.34,5"]),
    ("42", ["84:2", "42", "\\frac{84}{2}"], ["42:1", "42 : 1", "42\\colon 1", "1:42", "84:4:1"]),
    ("42:1", ["42:1", "42 : 1", "84:2"], ["1:42", "42:2", "42:3"]),
    ("(3,5)", ["3,5", "(3,5)", "3, 5"], ["3.5", "5,3", "35"]),
    ("3, 5", ["3,5", "5, 3", "\\{3,5\\}"], ["3.5", "3,50"]),
    ("12.75", ["12,75 €", "€12.75", "12.75 €", "12,75 Euro"], ["12,7 €", "1275 €", "12, 75 €"]),
    (
        "3.83\\times10^{35}",
        ["3.83 x 10^35", "3.83x10^{35}", "3.83 X 10^{35}", "3.83\\text{ x }10^{35}",
         "3.83\\,\\mathrm{x}\\,10^{35}"],
        ["3.84 x 10^35", "3.83 x 10^36", "3.83 x 35", "3.83 x", "3.83 x 10", "3.83xx10^35",
         "x 10^35", "3.83 y 10^35", "3.83 x 10^35 x", "-3.83 x 10^35", "3.83 + x 10^35"],
    ),
    (
        "\\emptyset",
        ["\\text{no solution}", "\\text{no solutions}", "\\text{No real solution.}", "\\varnothing",
         "\\text{There is no solution}", "\\text{there are no real solutions}"],
        ["\\text{one solution}", "\\text{no}", "\\text{solution}", "\\text{no solution but }0", "0",
         "\\text{no idea}", "\\text{not no solution}", "\\{0\\}", "\\text{no other solution}",
         "\\text{no solution or }1", "\\text{no complex solution}"],
    ),
    (
        "12",
        [f"3{M}\\cdot4{M}=12{M}^2", f"3{M}\\times4{M}=12{M}^{{2}}", f"3{M}\\cdot4{M}=12",
         "3\\text{m}\\cdot4\\text{m}=12\\text{m}^2", f"A=3{M}\\cdot4{M}=12{M}^2",
         "3\\text{ ft}\\cdot4\\text{ ft}=12\\text{ ft}^2", f"2{M}^2+10{M}^2=12{M}^2",
         f"6{M}^2\\cdot2{M}=12{M}^3", f"\\frac{{1}}{{2}}\\cdot6{M}\\cdot4{M}=12{M}^2",
         f"6{M}\\cdot4{M}/2=12{M}^2"],
        [f"3{M}\\cdot4{M}", f"3{M}\\cdot4{M}=13{M}^2", f"3{M}\\cdot5{M}=12{M}^2",
         f"3{M}\\cdot4{M}=12{M}", f"3{M}\\cdot4{M}=12{M}^3", f"3{M}+4{M}=12{M}^2",
         f"3{M}\\cdot4\\text{{ s}}=12{M}^2", f"36{M}^3/3{M}=12{M}^4", f"3{M}\\cdot4{M}>12{M}^2",
         f"12{M}\\cdot4{M}=48{M}^2"],
    ),
    (f"12{M}", ["12"], [f"3{M}\\cdot4{M}=12{M}^2"]),
    (f"12{M}^2", [f"3{M}\\cdot4{M}=12{M}^2"], [f"12{M}"]),
    ("A", ["A", "(A)"], ["A \\lor B", "B \\lor A", "A\\vee B", "(A) \\lor (C)"]),
    (
        "4210_5",
        ["(4210)_5", "(4210)_{5}", "\\left(4210\\right)_5", "4210_{5}", "4210"],
        ["(4210)_6", "(4211)_5", "(4,2,1,0)_5", "(4210)^5", "4(210)_5", "(4210)_{5}+0", "(4210)_"],
    ),
    ("60", ["60"], ["(3)_3", "(60)_7", "(5)_2"]),
    (
        "90^\\circ",
        ["90^o", "90^{o}", "90 ^ o", "90^{ o }", "90"],
        ["80^o", "90^{oo}", "90^{o+1}", "90^o2", "9^o0", "90^{o}^2"],
    ),
    ("x", ["x"], ["x^o", "x^{o}", "x^\\circ o", "xo", "o"]),
    (
        "1500",
        ["1.5e3", "1.5E3", "1.5e+3", "1.5e03", "15e2", "1.5E+03"],
        ["1.5e2", "1.5e^3", "1.5e3e0", "1.5\\cdot e3", "e3", "1.5e", "1.5e3x", "15e3", "-1.5e3"],
    ),
    ("1.5\\times10^{-3}", ["1.5e-3", "0.0015", "1.50E-3"], ["1.5e3", "1.5e-2", "-1.5e3", "1.5-e3"]),
    ("2e-3", ["-3+2e", "2e-3"], ["0.002", "2e-03", "2e3", "2e", "2e^{-3}"]),
    ("2e^3", ["2e^3", "2\\cdot e^{3}"], ["2e3", "2000", "6e", "2e+3", "2^3e"]),
    (
        "3.83e35",
        ["3.83\\times10^{35}", "3.83\\cdot 10^{35}", "3.83E35", "383e33", "3.830e+35", "3.83e35"],
        ["3.83e34", "3.83\\times10^{34}", "-3.83e35", "3.84e35", "3.83e^{35}", "3.83", "35",
         "100\\cdot3.83e33", "3.83e35e0", "3.83e35 + 1e30"],
    ),
    (
        "1e3 m/s",
        ["1000", "1000\\text{ m/s}", "1e3 m/s", "10^3", "1E3~\\mathrm{m/s}"],
        ["1000\\text{ km/s}", "1\\text{ km/s}", "1e3 m", "e^3", "3e", "10\\cdot10\\cdot10"],
    ),
    ("2e3", ["2000", "2\\times10^3", "2E3"], ["2e^3", "6e", "2e", "2^3 e", "23", "2e-3"]),
    ("2e", ["2e", "2\\cdot e"], ["2e0", "2e1", "20", "2", "2e^2"]),
    ("-2e-7", ["-2e-7", "-7-2e"], ["-2\\times10^{-7}", "-0.0000002", "0", "2e-7", "-2e7"]),
    (
        "-2e-07",
        ["-2\\times10^{-7}", "-0.0000002", "-2.0e-7", "-0.2e-6"],
        ["2e-07", "-2e-06", "-2e-7", "0", "-2.1e-07", "-2.01e-07"],
    ),
    (
        "5.89e-7",
        ["5.89\\times10^{-7}", "589\\times10^{-9}", "0.000000589", "5.8939e-7 \\approx 5.89e-7"],
        ["5.9e-7", "0.59\\times10^{-6}", "5.88e-7", "5.8939e-7", "0", "5.89e-6", "5.89"],
    ),
    (
        "1.325e-27",
        ["1.325\\times10^{-27}", "13.25e-28"],
        ["1.326e-27", "0", "2e-27 \\approx 1.325e-27", "1.325e-27 \\approx 2.0e-27",
         "1.1e-27 \\approx 1.2e-27 \\approx 1.325e-27", "2.0e-27 (1.325e-27)"],
    ),
    (
        "1.5\\times10^{-7}x",
        ["1.5\\times10^{-7}x", "0.00000015x"],
        ["1.6\\times10^{-7}x", "9\\times10^{-7}x", "-1.5\\times10^{-7}x", "1.5\\times10^{-7}",
         "0x"],
    ),
    ("\\frac{\\sqrt{2}}{10}", ["0.141421", "0.1414214"], ["0.14142", "1.41421e-2", "0.141423"]),
    ("\\frac{1}{3000}", ["3.33e-4", "0.000333"], ["3.36e-4", "3.3e-4", "3.33e-5"]),
    ("(1e3, 2.5e-4)", ["(1000, 0.00025)"], ["(2.5e-4, 1e3)", "(1e3, 2.5e-5)", "(1e3, 2.5-e4)"]),
    (
        "3AF_{16}",
        ["3AF_{16}", "3AF", "(3AF)_{16}", "N = 3AF_{16}", "3AF_{\\text{sixteen}}"],
        ["3FA_{16}", "3FA", "FA3_{16}", "3AF_{15}", "1+3AF_{16}", "943", "3af"],
    ),
    ("1E3_{16}", ["1E3_{16}", "1E3"], ["1000", "1000_{16}", "483", "1e3", "10^3", "E13_{16}"]),
    (
        _MATRIX,
        ["[[34,44],[1,2]]", "[[34, 44], [1, 2]]", "\\left[[34,44],[1,2]\\right]",
         "A = [[34,44],[1,2]]", "[ [34,44] , [1,2] ]"],
        ["[[34,1],[44,2]]", "[34,44,1,2]", "[[34,44],[1]]", "[[34,44,1,2]]", "[34,44],[1,2]",
         "[[34,44],[1,3]]", "[[34,44],[1,2],[]]", "[[[34,44],[1,2]]]", "[[34,44],[1,2]]^T",
         "[[34,44],[1,2]][[1,0],[0,1]]"],
    ),
    ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", ["[[1],[2]]"], ["[[1,2]]", "[[2],[1]]", "[[1],[2]],"
                                                           "[[1],[2]]"]),
    ("[1,2],[3,4]", ["[1,2],[3,4]"], ["[1,2]", "[[1,3],[2,4]]", "[1,2,3,4]"]),
    (
        "\\frac{3}{8}",
        ["3/8 (37.5\\%)", "\\frac38 (37.5\\%)", "\\frac{3}{8}~(0.375)", "\\frac{3}{8} (=0.375)",
         "\\frac{3}{8} (\\approx 0.38)", "0.375 (3/8)", "\\frac{3}{8} (or 37.5\\%)"],
        ["3/8 (38.5\\%)", "3/7 (37.5\\%)", "3/8 (8)", "3 (8)", "3/8 (x)", "\\frac38 (3)"],
    ),
    (
        "42",
        ["42 (6 \\times 7)", "42 (= 6\\cdot7)", "42 (42)", "42~(6\\cdot 7)"],
        ["42 (41)", "41 (42)", "42 (43)", "42 (x)", "42 (1,2)", "42 (42.6)", "40 (2)", "0 (42)",
         "42 (6 \\times 8)", "(42) (41)", "41 (42) (42)", "42 (0)"],
    ),
    ("1764", ["1764"], ["42 (42)"]),
    ("x(x+1)", ["x (x+1)", "(x+1) x"], ["x (x)", "x+1 (x)", "x (x+2)"]),
    (
        "7\\text{ m}",
        ["3\\text{ m}+4\\text{ m}=7\\text{ m}", "3\\text{ m}+4\\text{ m}=7",
         "3\\,\\text{m}+4\\,\\text{m}=7\\,\\text{m}", "x=3\\text{ m}+4\\text{ m}=7\\text{ m}",
         "2\\cdot 3.5\\text{ m}=7\\text{ m}"],
        ["3\\text{ m}+4\\text{ km}=7\\text{ m}", "3\\text{ m}+5\\text{ m}=7\\text{ m}",
         "3\\text{ m}+4\\text{ m}=7\\text{ km}", "3\\text{ m}+4\\text{ m}",
         "41\\text{ m}=7\\text{ m}",
         "3\\text{ kg}+4\\text{ kg}=7\\text{ kg}", "3\\text{ m}+4\\text{ m}=7\\text{ m}^2",
         "7\\text{ m}+0\\text{ m}"],
    ),
    ("12\\text{ m}^2", ["12\\text{ m}^2"], ["3\\text{ m}\\cdot4\\text{ m}=12\\text{ m}"]),
    (
        "90\\text{ minutes}",
        ["1h30m", "1h 30m", "1 h 30 min", "1hr30min", "1 hour and 30 m", "1\\text{h}30\\text{m}"],
        ["1h31m", "1h90m", "30h1m", "1m30h", "1h30s", "1h30km", "1h30", "1.5h30m", "130m", "1x30m"],
    ),
    ("90\\text{ m}", ["90\\text{ m}"], ["1h30m", "1h 30m", "1 h 30 min"]),
    ("30hm", ["30hm", "30mh"], ["1h30m", "90"]),
    *((gold, _REALS, _NOT_REALS) for gold in _REALS[:4]),
    *((gold, _UNDEFINED, _DEFINED) for gold in _UNDEFINED[:3]),
    ("-450", ["\u2011450", "\u2010450", "\u2012450"], ["450", "\u2011\u2011450", "45\u20110"]),
    (
        "2,3,5",
        ["2,3,5.", "5, 3, 2", "\\{2,3,5\\}"],
        ["2,3,5,\\ldots", "2,3,5,...", "2,3,5,\\dots", "2, 3, 5, \\text{etc.}", "2,3,5,…",
         "2,3,5,\\cdots", "\\{2,3,5,\\dotsc\\}", "2,3,\\ldots,5", "2,3,5,\\text{ and so on}"],
    ),
    ("1,3,5,\\ldots", ["1,3,5,...", "1, 3, 5, \\dots"], ["1,3,5", "1,5,3,\\ldots", "1,3,\\ldots"]),
    ("3.14159", ["3.14159...", "3.14159", "3,14159"], ["3.14159,...", "3, 14159", "3.14"]),
]  # fmt: skip

PAIRS = {
    True: ["(x,y)=(1,2)", "(y,x)=(2,1)", "P=(1,2)", "\\vec{v}=(1,2)", "(a,b)=(1,2)", "P(1,2)",
           "(x_1,x_2)=(1,2)"],
    False: ["(y,x)=(1,2)", "x+y=(1,2)", "2x=(1,2)", "(y,x)=[1,2]", "x-y=(1,2)", "3=(1,2)",
            "(x,x)=(1,2)", "(x,y)=(2,1)", "(x,y)=(1,2,3)", "(x,y,z)=(1,2)", "(3,4)=(1,2)",
            "\\langle y,x\\rangle=\\langle 1,2\\rangle"],
}  # fmt: skip

# Gold, answer, question, and whether the question asks for the term on the left.

TERMS: list[tuple[str, str, str, bool]] = [
    ("7", "r+s=7", "Find $r+s$.", True),
    ("7", "r + s = 7", "What is the value of \\(r+s\\)?", True),
    ("7", "r+s=7", "Find the sum of the roots r and s.", True),
    ("7", "x_1+x_2=7", "What is the sum of the roots of $x^2-7x+1=0$?", True),
    ("5", "|z|=5", "Find $|z|$.", True),
    ("5", "|z|=5", "Find the absolute value of $z=3+4i$.", True),
    ("5", "|AB|=5", "Find the length of $AB$.", True),
    ("25", "x^{2}+y^{2}=25", "Compute $x^2 + y^2$ if $x+y=7$ and $xy=12$.", True),
    ("42", "x=42", "Solve $2x=84$.", True),
    ("(3,4)", "\\vec{a}+\\vec{b}=(3,4)", "Compute the vector $\\vec{a}+\\vec{b}$.", True),
    ("(1,2)", "(y,x)=(1,2)", "Find the pair $(y,x)$.", True),
    ("(1,2)", "(r,\\theta)=(1,2)", "Find the polar coordinates $(r, \\theta)$.", True),
    ("(1,2)", "(\\theta,r)=(1,2)", "Find the polar coordinates $(r, \\theta)$.", False),
    ("(1,2)", "(x,y)=(1,2)", "Find the pair $(y,x)$.", False),
    ("(1,2)", "(x,y)=(1,2)", "Find the point (x, y) if (x, y) = (a, b).", True),
    ("(1,2)", "(y,x)=(2,1)", "Find the solution $(x,y)$.", True),
    ("(1,2)", "(y,x)=(1,2)", "Find the solution $(x,y)$.", False),
    ("7", "x+y=7", "Find x + y.", True),
    ("7", "\\frac{x}{y}=7", "Find $\\frac xy$ as $\\frac{ x }{y}$.", True),
    ("7", "x+y=7", "Find x + y + z.", False),
    ("7", "x+y=7", "Find z - x+y.", False),
    ("7", "x+y=7", "Find x if x + y = 84.", False),
    ("7", "x+y=7", "$x+y=$ ?", True),
    ("7", "x+y=7", "What is the length of $AB$? And find the sum of x and y.", True),
    ("42", "2x=42", "Solve $2x=84$.", False),
    ("42", "2x=42", "Solve $84 = 2x$.", False),
    ("42", "2x=42", "Solve $2x+5=89$.", False),
    ("42", "x+y=42", "If $x+y=84$ and $x=y$, what is x?", False),
    ("42", "x+y=42", "The sum of two equal numbers is 84. Find the larger number.", False),
    ("42", "x+y=42", "What is the sum of the squares of the roots?", False),
    ("42", "x+y=42", "", False),
    ("42", "x+1=42", "What is the sum of the roots?", False),
    ("42", "2x+y=42", "What is the sum of the roots?", False),
    ("42", "x-y=42", "What is the sum of the roots?", False),
    ("42", "x^2+y^2=42", "What is the sum of the roots?", False),
    ("42", "|z|=42", "What is the sum of the roots?", False),
    ("42", "|z|=42", "Find z.", False),
    ("42", "|z+1|=42", "Find the absolute value of z.", False),
    ("42", "2|z|=42", "Find the absolute value of z.", False),
    ("42", "x+y=41=42", "Find $x+y$.", False),
    ("42", "41=42", "Find 41.", False),
]


@in_one_test(
    ("gold", "answer", "equal"),
    [
        *((gold, answer, True) for gold, answers, _ in TABLE for answer in answers),
        *((gold, answer, False) for gold, _, answers in TABLE for answer in answers),
        *(("(1,2)", answer, equal) for equal, answers in PAIRS.items() for answer in answers),
    ],
)
def test_a_value_has_several_notations(gold: str, answer: str, equal: bool) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}").equal is equal


@pytest.mark.parametrize(
    ("gold", "answer", "question", "equal"),
    [
        *(("1E3", answer, "Write 483 in base 16.", True) for answer in ("1E3", "1E3_{16}")),
        *(
            ("1E3", answer, "Write 483 in hexadecimal.", False)
            for answer in ("1000", "10^3", "1e3", "E13", "1E3_{12}", "483")
        ),
        ("483", "483", "Which number is 1E3 in hexadecimal?", True),
        ("1000", "1E3", "Which number is 3E8 in hexadecimal?", False),
        ("1E3", "1000", "How many bases are there?", True),
        ("1E3", "1000", "Find $a_{16}$.", True),
    ],
)
def test_letters_of_hexadecimal_numbers_are_digits(
    gold: str, answer: str, question: str, equal: bool
) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", question=question).equal is equal


@in_one_test(("gold", "answer", "question", "equal"), TERMS)
def test_a_term_is_an_answer_if_it_is_asked_for(
    gold: str, answer: str, question: str, equal: bool
) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", question=question).equal is equal


# Gold, texts that state it, and texts that do not.

SENTENCES: list[tuple[str, list[str], list[str]]] = [
    (
        "DNE",
        ["The limit does not exist.", "Therefore, the limit does not exist.", "It doesn't exist.",
         "So this limit DNE.", "Answer: The limit does not exist.", "the limit **does not exist**",
         "The limit does not exist because the one-sided limits differ.",
         "The limit as x approaches 0 does not exist.", "Is it 0? No. The limit does not exist.",
         "Hence $\\lim_{x\\to 0} f(x)$ does not exist.",
         "\\(\\lim_{x\\to 0} f(x)\\) does not exist."],
        ["The limit does exist.", "The limit does not exist?", "The limit does not exist or is 0.",
         "It is not true that the limit does not exist.", "The limit does not exist. So it is 0.",
         "If the limit does not exist, the answer is 0.", "The derivative does not exist.",
         "I doubt that the limit does not exist.", "The limit never does not exist.",
         "The limit does not exist if I am wrong, else it is 5.", "The limit does not matter.",
         "The limit does not exist because it is 5.", "The limit does not exist, but f(0) = 5.",
         "The limit does not exist. Wait, it does.", "The limit does not exist for some paths."],
    ),
    (
        "5",
        ["As the limit does not exist there, the answer is 5.", "Where f does not exist, x = 5."],
        ["The limit as x approaches 5 does not exist.", "The limit of 5 does not exist.",
         "The limit does not exist because it is 5.", "5 does not exist.", "x = 5 DNE"],
    ),
    (
        "90",
        ["It takes 1h30m.", "It takes 1 h 30 min.", "So the trip takes 1 hour and 30 minutes.",
         "It took him 1h30m.", "It lasts 1h30m, not 2h.", "It takes ninety minutes."],
        ["It takes 1h20m.", "It does not take 1h30m.", "It takes less than 1h30m.",
         "It takes 1h30m or 2h.",
         "It takes 1h30m to 2h30m.", "It takes half of 1h30m.", "Suppose it takes 1h30m.",
         "If it takes 1h30m, we are late.", "It takes 1h30m?", "It never takes 1h30m.",
         "It takes 1h30m. Wait, no.", "It takes 1h30m more.", "It takes him 1m30s less."],
    ),
    (
        "no solution",
        ["\\boxed{\\emptyset}", "\\boxed{\\varnothing}", "\\boxed{x \\in \\emptyset}",
         "The answer is $∅$.", "\\boxed{\\text{no solution}}", "There are no solutions."],
        ["\\boxed{\\{\\emptyset\\}}", "\\boxed{\\{0\\}}", "\\boxed{0}", "\\boxed{\\phi}",
         "\\boxed{\\emptyset \\cup \\{1\\}}", "\\boxed{x \\ne \\emptyset}", "\\boxed{\\emptyset^c}",
         "\\boxed{\\text{not }\\emptyset}", "\\boxed{\\emptyset\\text{ or }3}", "\\boxed{\\infty}"],
    ),
    ("\\emptyset", ["\\boxed{\\emptyset}", "\\boxed{\\{\\}}"], ["\\boxed{\\{0\\}}", "\\boxed{0}"]),
    ("∅", ["\\boxed{\\emptyset}", "\\boxed{∅}"], ["\\boxed{\\{\\emptyset\\}}", "\\boxed{\\phi}"]),
]  # fmt: skip


@in_one_test(
    ("gold", "text", "equal"),
    [
        *((gold, text, True) for gold, texts, _ in SENTENCES for text in texts),
        *((gold, text, False) for gold, _, texts in SENTENCES for text in texts),
    ],
)
def test_values_that_whole_sentences_state(gold: str, text: str, equal: bool) -> None:
    assert verify(gold, text).equal is equal


@in_one_test(
    ("gold", "text", "equal"),
    [
        ("\\frac38", "The answer is 3/8 (37.5%).", True),
        ("\\frac38", "The answer is 3/8 (38.5%).", False),
        ("42", "42 (6 * 7)", True),
        ("1500", "The answer is 1.5e3.", True),
        ("3.83e35", "It is 3.83E35 ergs/s.", True),
        ("3.83e35", "The answer is $3.83 \\times 10^{35}$ ergs/s.", True),
        ("3.83e35", "The answer is $3.83 \\times 10^{34}$ ergs/s.", False),
        ("1e3 m/s", "The speed is 1000 m/s.", True),
        ("1e3 m/s", "The speed is 1000 km/s.", False),
        ("-450", "The answer is \u2011450.", True),
        ("450", "The answer is \u2011450.", False),
        ("2,3,5", "The answers are 2, 3 and 5.", True),
        ("2,3,5", "The answers are 2, 3, 5, ...", False),
        ("2,3,5", "The answers are 2, 3, 5, and so on.", False),
        ("90", "The answer is 1h30m.", True),
        ("90", "It takes Amy 1h30m.", True),
        ("90", "Amy needs 1h 30m!", True),
        ("90", "It takes Amy 1h31m.", False),
        ("90", "It takes Amy less than 1h30m.", False),
        ("90", "It does not take Amy 1h30m.", False),
        ("90", "It takes Amy 1h30m or 2h.", False),
        ("\\emptyset", "There is no solution.", True),
        ("\\emptyset", "The equation has no real solutions.", True),
        ("\\emptyset", "There is no solution but 0.", False),
        ("\\emptyset", "There is one solution.", False),
        ("\\emptyset", "It is wrong that there is no solution.", False),
        ("3.83\\times10^{35}", "It is 3.83 x 10^35.", True),
        ("3.83\\times10^{35}", "It is 3.83 x 10^34.", False),
        ("DNE", "The answer is DNE.", True),
        ("42", "The answer is 42:1.", False),
        ("42", "The ratio is 42:1.", False),
        ("3.5", "The answer is 3,5.", True),
        ("3.5", "So the rod has 3,5 cm.", True),
        ("3.5", "The answers are 3 and 5.", False),
        ("3.5", "The answer is 3,5 or 4.", False),
        ("3.5", "The answer is not 3,5.", False),
        ("3500", "The answer is 3,500.", True),
        ("(3,5)", "The answer is 3,5.", True),
        ("undefined", "The answer is defined.", False),
    ],
)
def test_notations_in_sentences(gold: str, text: str, equal: bool) -> None:
    assert verify(gold, text).equal is equal
