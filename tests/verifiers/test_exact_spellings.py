"""Spellings of a short answer that `match` accepts, and look-alikes that it rejects."""

from __future__ import annotations

import random

import pytest
from tables import in_one_test

from textgym.envs.equivalence_judge.families import FAMILIES
from textgym.verifiers.exact import match


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return each expected answer with each of its spellings."""
    return [(expected, text) for expected, texts in table.items() for text in texts]


RIGHT = {
    "Paris": [
        "The answer is Paris. Let me know if you need anything else.",
        "Paris\n\nI hope this helps!",
        "Paris. Feel free to ask if you have more questions.",
        "The answer is **Paris**. Hope that helps!",
        "So it is Paris. If you have any other questions, feel free to ask.",
        "Answer: Paris. Please let me know if you would like more details.",
        "Paris. Hope this helps! Let me know if you have any questions.",
        "Paris", "paris", "PARIS", " Paris ", "Paris\n", "\u00a0Paris\u202f", "Paris.", "Paris!",
        '"Paris"', "'Paris'", "“Paris”", "`Paris`", "*Paris*", "**Paris**", "**Paris.**",
        "__Paris__",
        "(Paris)", "[Paris]", r"\boxed{Paris}", r"\boxed {Paris}", r"\boxed{\text{Paris}}",
        r"\boxed{\text{Paris}.}", r"\boxed{\mathrm{Paris}}", r"\boxed{\textbf{Paris}}",
        r"$\boxed{\text{Paris}}$", r"$$\boxed{Paris}$$", r"\[ \boxed{Paris} \]",
        r"\(\boxed{Paris}\)",
        r"\text{Paris}", r"$\text{Paris}$", r"\textbf{Paris}", r"\mbox{Paris}", r"{\rm Paris}",
        r"The capital is \boxed{Paris}.", r"**\boxed{Paris}**", r"\boxed{Rome}? No: \boxed{Paris}",
        "Answer: Paris", "answer: paris", "Answer: Paris.", "Answer:\nParis", "**Answer:** Paris",
        "**Answer: Paris**", "**Answer**: **Paris**", "Final answer: Paris", "### Answer: Paris",
        "The answer is Paris.", "The answer is: Paris", "My final answer is **Paris**.",
        r"Answer: \boxed{Paris}", r"Answer: $\text{Paris}$", "It has the Louvre.\nAnswer: Paris",
        "Answer: Rome\nAnswer: Paris", "<answer>Paris</answer>", "<answer> Paris. </answer>",
        r"<answer>\boxed{Paris}</answer>", "<answer>Rome</answer> <answer>Paris</answer>",
        "- Paris", "* Paris", "• Paris", "– Paris", "> Paris", "1. Paris", "1) Paris", "(1) Paris",
        "- **Paris**", "1. **Paris.**", "- Answer: Paris", "Answer: - Paris",
        "```\nAnswer: Paris\n```",
        "It is Paris", "It's Paris.", "it’s Paris", "This is Paris.", "That is Paris!",
        "So it is Paris.", "Therefore, it is Paris.", "Thus it's **Paris**.",
        "Hence, that is Paris",
        "And so it is Paris.", "It must be Paris.", "It is: Paris", "It is the Paris",
        "So the answer is Paris", "So, the answer is Paris.", "Therefore, the answer is Paris.",
        "Thus the final answer is: Paris", "In conclusion, my answer is “Paris”.",
        "Finally, the correct answer must be Paris.", "As a result, the answer is `Paris`.",
        "SO THE ANSWER IS PARIS", "The answer to the question is Paris.", "Our answer = Paris",
        "**The answer is Paris.**", "**So the answer is Paris.**", "**It is Paris.**",
        "__The answer is Paris.__", "*So it is Paris*", '"The answer is Paris."',
        "**So the answer is** Paris", "**The answer is:** Paris.", "(So the answer is Paris.)",
        r"So the answer is $\text{Paris}$.", r"**So the answer is \boxed{Paris}.**",
        "It has the Louvre. So the answer is Paris.", "Rome is older.\nSo the answer is Paris.",
        "It has the Louvre.\n\n**The answer is Paris.**",
        "No river but the Seine. Thus, it is Paris.",
        "Rome? No. Therefore, it is Paris.", "The answer is Rome? No. So the answer is Paris.",
        'He said "Louvre." **So the answer is Paris.**',
    ],
    "yes": [
        "So the answer is yes", "So the answer is yes.", "So the answer is Yes!", "**Yes.**",
        "It has four sides. So the answer is yes.", "**So the answer is yes.**",
    ],
    "no": ["So the answer is no.", "Therefore, it is no."],
    "St. Louis": ["So the answer is St. Louis.", "It lies there. So the answer is St. Louis."],
    "not guilty": ["It is not guilty.", "So the answer is not guilty"],
    "It is Paris": ["It is Paris.", "it is paris"],
    "The Eiffel Tower": [
        "Eiffel Tower", "the eiffel  tower", "The Eiffel\nTower.",
        r"\boxed{\text{The Eiffel Tower}}",
        r"\boxed{\text{Eiffel}\ \text{Tower}}", r"\text{Eiffel~Tower}", "- the Eiffel tower",
    ],
    "2084": [
        "2084", "2084.", "2084.0", "+2084", "2,084", "2 084", "2\u00a0084", "2\u2009084",
        "2\u202f084",
        "2\u2007084", "2'084", "2’084", "2{,}084", r"2\,084", r"2\ 084", "2~084", "$2{,}084$",
        r"\boxed{2084}", r"\boxed{2 084}", r"\boxed{2{,}084}", r"\boxed{2\,084.}",
        r"$\boxed{2084}$",
        "Answer: 2 084", "**2,084**", "* 2084", "• 2 084", "2.084e3", "<answer>2 084</answer>",
    ],
    "1234567.5": ["1,234,567.5", "1 234 567.5", "1'234'567.50", "1\u202f234\u202f567.5"],
    "1.5": [
        "1.50", "+1.5", "1,5", "1,50", "+1,5", "Answer: 1,5", "The answer is 1,5.", "**1,5**",
        r"\boxed{1,5}", "$1{,}5$", "It is 1,5", "(1.5)", "<answer>1,5</answer>",
    ],
    "-1.5": ["-1,5", "−1,5", "- 1.5", "-1,50"],
    "0.25": ["0,25", "0,250", ".25"],
    "1234.5": ["1.234,5", "1 234,5", "1234,5", "1,234.5"],
    "-5": ["-5", "−5", "–5", "- 5", "− 5", "-5.0", "−5.0", r"\boxed{-5}", r"\boxed{- 5}",
    "Answer: −5"],
    "5": ["5", "5.", "5.0", "+5", "+ 5", "* 5", "• 5", "$5$", r"\(5\)", "<answer>5</answer>"],
    "5%": ["5%", r"5\%", r"\boxed{5\%}"],
    "$5": ["$5", r"\$5", r"\boxed{\$5}"],
    "A major": ["A major", "A Major.", "the A major"],
    "__init__": ["__init__", "`__init__`", "**__init__**"],
    "[5]": ["[5]", "`[5]`"],
    "(1,2)": ["(1, 2)", "$(1,2)$"],
    "$x$": ["x", r"\(x\)"],
    "A": ["a", "(A)", "**A**", r"\boxed{\text{A}}", "Answer: A"],
    "1. FC Union": ["1. FC Union", "1. fc union."],
    "red, white": ["red white", "Red, White.", r"\boxed{\text{red, white}}"],
}  # fmt: skip
WRONG = {
    "A major": ["major", "minor", "A minor"],
    "__init__": ["init", "_init_", "__main__"],
    "[5]": ["5", "(5)", "{5}"],
    "{5}": ["5", "[5]"],
    "(1,2)": ["1,2,", "(1,3)", "(2,1)", "12"],
    "Paris": [
        "Paris. Let me know if it is Rome.", "Rome. Let me know if you need Paris.",
        "Let me know if Paris",
        "Paris or Rome. Let me know if you need anything else.", "Paris. I hope this is wrong.",
        "The answer is not Paris. Let me know if you need anything else.",
        "Paris. Feel free to say Rome.",
        "Paris. But I doubt it. Hope this helps!", "Paris. Or Rome. Hope this helps!",
        "Paris. Let me know if that is wrong.", "Paris. Rome. Hope that helps!",
        "Paris. Hope it is not Rome.", "Rome. Hope this helps! Paris",
        "Paris. Is there another answer?",
        "", " ", "?", "Not Paris", "not Paris", "No, Paris", "Paris or Rome", "Rome or Paris",
        "Paris, Rome", "Paris and Rome", "Paris/Rome", "Paris (or Rome)", "Paris; Rome",
        "Paris Rome",
        "Paris, France", "Paris is the capital", "Paris?? Rome", "Pari", "Pariss",
        "Parıs", "Раris", "P a r i s", "Paris2", "-Paris-", "x = Paris", "{Paris", "Par-is",
        r"\boxed{Paris} or \boxed{Rome}", r"\boxed{Paris, Rome}", r"\boxed{Paris or Rome}",
        r"\boxed{\text{not Paris}}", r"\boxed{Paris}\boxed{Rome}", r"\boxed{Rome} Paris",
        r"Paris \boxed{Rome}", r"\boxed{Paris", r"\neg \text{Paris}",
        "Answer: Paris\nAnswer: Rome", "Answer: not Paris", "Answer: Paris or Rome",
        "Answer: Paris. Answer: Rome", "Paris. Answer: Rome", "The answer is not Paris",
        "The answer isn't Paris", "The answer was Paris", "The question is Paris", "Answers Paris",
        "<answer>Rome</answer>Paris", "<answer>Paris</answer><answer>Rome</answer>",
        "<answer>Paris",
        r"<answer>Paris \boxed{Rome}</answer>", "- Paris\n- Rome", "- Rome\n- Paris",
        "* Paris * Rome",
        "1. Paris 2. Rome", "1. Paris\n2. Rome", "2. Paris", "A. Paris", "J. Paris", "1 Paris",
        "It is not Paris", "It isn't Paris", "It's not Paris.", "It is not Paris but Rome",
        "It is not Paris but…", "It is Paris or Rome", "It is Paris, not Rome",
        "It is Rome, not Paris",
        "It was Paris", "Is it Paris?", "It is near Paris", "It is Paris's suburb", "It is Paris 2",
        "It is Paris. It is Rome", "It is Rome. It is Paris.", "Therefore, it is not Paris.",
        "Therefore it is Paris or Rome.", "Therefore, it isn't Paris.", "So is it Paris?",
        "So the answer is not Paris", "So the answer is Paris or Rome.",
        "So the answer isn't Paris",
        "So the answer is Paris, Rome", "So the answer is either Paris or Rome",
        "So the answer is anything but Paris", "So the answer is Paris if it is in France",
        "So the answer is Paris. No, it is Rome.", "So the answer is Paris. Rome",
        "So the answer is Paris. So the answer is Rome.", "The answer is Paris. But I disagree.",
        "I do not think the answer is Paris", "I doubt that the answer is Paris.",
        "It is false that the answer is Paris", "If so, it is Paris", "Wrong: the answer is Paris",
        "Nobody says the answer is Paris.", "The wrong answer is Paris", "An answer is Paris",
        "**The answer is not Paris.**", "**It is not Paris.**",
        "**So the answer is Paris or Rome.**",
        "**The answer is Paris.** Or Rome.", "**Paris** is wrong.", "**The answer is** not Paris",
        "Paris. So the answer is Rome.", "Paris\nTherefore, it is Rome.", "So Paris is not it",
        "So the answer is unParis", "It is Parisian", "So the answer is: not Paris",
        "So the answers are Paris", "Answer: Rome. So the answer is Paris or Rome.",
        r"\boxed{Rome} So the answer is Paris.", "The answer is\nRome. So it is not Paris",
        "10. Paris", "1.Paris", "- - Paris", "- not Paris", "New Paris", "The not Paris",
    ],
    "5": [
        "-5", "- 5", "− 5", "−5", "– 5", "1. 5", "1) 5", "(1) 5", "5 or 6", "5, 6", "5/6", "5 6",
        "5!",
        "5%", "5 %", "$5", "5°", "5 km", ".5", "0.5", "5.5", "50", "05 or 6", "five", "5²", "5^2",
        "⁵",
        "~5", "≈5", "<5", ">5", "≥ 5", "> 5", "x5", "5x", "a 6", r"\boxed{5}\boxed{6}",
        r"\boxed{5, 6}", r"\boxed{-5}", r"\sqrt{5}", r"\frac{5}{1}", "5 = 5", "not 5",
        "Answer: 5 or 6",
        "<answer>5 6</answer>", "V", "a 5", "A5",
    ],
    "-5": ["5", "* 5", "• 5", "+ 5", "--5", "- - 5", "-5 or 5", "±5", "-.5", "1. -5", "- 5 6",
    "(5)"],
    "2084": [
        "2 0 8 4", "20 84", "208 4", "2 84", "2  084", "2 0840", "2 084 084", "2.084", "2;084",
        "2,84",
        "2,0 84", "2_084", "2 084 or 5", "02 084", "5 084", "-2084", "2\n084", "20,84", "2, 084",
        "084",
    ],
    "5084": ["50 84", "5 84", "5,84", "508 4"],
    "1.5": [
        "1. 5", "1 .5", "1, 5", "15", "1 5", "-1,5", "1,500", "1 ,5", "(1,5)", "[1,5]", "1,5,0",
        "1,5 or 2", "not 1,5", "1,5 kg", "5,1", "1,5 2,5", "1,5; 2", "0,15",
    ],
    "1.234": ["1,234", "1.234,0", "1,2,3,4"],
    "15": ["1,5"],
    "2": ["2,0", "2,2"],
    "1,5": ["1.5", "15"],
    "84": ["0,084", "0 084", "84 or 85", "8 4", "084 apples"],
    "12": ["1 2", "1, 2", "1-2", "1/2"],
    "B": ["A B", "a B2", "A, B", "A or B", "A/B", "B.A", "not B", "B-", "b*", "AB", "B, A",
    "the A B"],
    "2. Bundesliga": ["1. Bundesliga", "Bundesliga", "- Bundesliga", "1. 2 Bundesliga"],
    "Bundesliga": ["2. Bundesliga", "3) Bundesliga"],
    "C": ["C++", "C#", "-C", "C'", "°C"],
    "5 m": ["5 km", "5", "m", "5 m²", "50 m"],
    "red, white": ["white, red", "red", "red, white, blue", "red white or blue"],
}  # fmt: skip


@in_one_test(("expected", "generated"), cases(RIGHT))
def test_spelling_is_accepted(expected: str, generated: str) -> None:
    assert match(expected, generated)


@in_one_test(("expected", "generated"), cases(WRONG))
def test_look_alike_is_rejected(expected: str, generated: str) -> None:
    assert not match(expected, generated)


# Two answers in one text.

TWO = [
    "{a} {b}", "{a}, {b}", "{a} or {b}", "{a} and {b}", "{a}/{b}", "{a}; {b}", "{a}\n{b}",
    "{a}. {b}",
    "{a} ({b})", "({a}) {b}", "{a}: {b}", "{a}-{b}", "{a} - {b}", "not {a}, {b}", "{a}, not {b}",
    "**{a}** {b}", "'{a}' '{b}'", "- {a}\n- {b}", "1. {a} 2. {b}", "${a}$ {b}",
    "{a}\\ {b}",
    "\\boxed{{{a}}} \\boxed{{{b}}}", "\\boxed{{{a}}} {b}", "{a} \\boxed{{{b}}}",
    "\\text{{{a}}} {b}",
    "Answer: {a}\nAnswer: {b}", "Answer: {a} Answer: {b}", "{a}\nAnswer: {b}", "Answer: {a}\n{b}",
    "<answer>{a}</answer>{b}", "<answer>{a}</answer><answer>{b}</answer>", "The answer is {a}. {b}",
    "So the answer is {a}. So the answer is {b}.", "{a}. Therefore, it is {b}.",
    "It is {a}. It is {b}",
    "{a}. It is {b}.", "So it is {a}, or it is {b}", "**It is {a}.** So the answer is {b}",
    "{a}\nSo the answer is {b}", "So the answer is {a}\n{b}", "\\boxed{{{a}}} So the answer is {b}",
]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_matches_two_answers(family: str) -> None:
    rng = random.Random(1)
    answers = sorted({FAMILIES[family](rng, level).answer for level in (1, 3, 5) for _ in range(3)})
    for a, b in [(a, b) for a in answers for b in answers if a != b]:
        for template in TWO:
            text = template.format(a=a, b=b)
            assert not (match(a, text) and match(b, text)), text
