r"""Formulas without digits, words in boxes, labels in boxes, and a yes or no with its reason."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

HONEST = {
    "42": [
        "\\boxed{\\text{42 pens}}", "\\boxed{\\text{42 pens in total}}",
        "\\boxed{\\text{about 42 pens}}",
        "\\boxed{\\text{42 km/h}}", "\\boxed{\\text{exactly 42}}", "\\boxed{\\text{42 (pens)}}",
        "\\boxed{\\text{Total: 42}}", "\\boxed{\\text{there are 42 pens}}",
        "\\boxed{\\mbox{42 pens}}",
        "\\boxed{\\mathrm{42\\ km}}", "\\boxed{\\textbf{42 pens}}", "\\boxed{\\text{Total: }42}",
        "\\boxed{\\text{Answer: }42}", "\\boxed{\\text{Area} = 42}", "\\boxed{\\text{Area = }42}",
        "\\boxed{\\text{Total number: }42}", "\\boxed{\\text{The answer: }42}",
        "\\boxed{\\text{Total: }42\\text{ pens}}",
    ],
    "7": ["A: 7", "5 + 2 = 7\nA: 7", "5 + 2 = <<5+2=7>>7\nA: 7", "Q: 5 + 2?\nA: 7", "A: $7"],
    "1": ["The answer is one.", "one", "It is just one.", "Only one.", "There is exactly one."],
    "8": ["It is an 8.", "The answer is an 8.", "a total of 8", "Answer: a 8 cm rod"],
    "p-q": [
        "**p - q**", "It is p - q.", "So p - q.", "The answer is p - q", "$p - q$", "p-q",
        "The result equals p - q.", "Thus, p - q", "The result is: p - q",
    ],
    "a+b": ["The answer is a + b.", "a + b", "Answer: a+b", "It is a + b."],
    "\\frac{a}{b}": ["a/b", "Answer: a/b", "It is a/b.", "The answer is a/b"],
    "\\pi r^2": ["The area is πr^2", "The area is πr².", "πr^2", "Answer: πr²", "πr²", "A = πr²"],
    "2\\pi r": ["2πr", "It is 2πr.", "The perimeter is 2πr."],
    "Amy": ["It's Amy.", "It’s Amy.", "That's Amy.", "So it's Amy.", "It's **Amy**."],
    "Tuesday": [
        "It falls on Tuesday.", "It falls on a Tuesday.", "July 4 falls on Tuesday.",
        "It fell on Tuesday.", "That day falls on **Tuesday**.",
    ],
    "2,3,5": [
        "The primes below 6 are: 2, 3, 5", "The primes below 6 are 2, 3 and 5.",
        "The primes below 6 are: 2, 3, 5.", "The three primes below 6 are: 2, 3, and 5",
    ],
}  # fmt: skip
HONEST_MARKS = {
    "42": [
        "42 - that's the answer.", "42 - the product of 6 and 7", "42 rather than 41", "* 42",
        "42 instead of 41", "The answer is 42 rather than 41.",
        "LCM(6,7) = 42", "So lcm(6, 7) = 42.", "area(ABC) = 42",
        "It is Area(ABC) = 42.", "First, 6 * 7.\nStep 2: 42", "6 * 7\nStep 3: 6 * 7 = 42",
        "The cost is 42 €.", "42 £",
    ],
    "3.5": ["3 and a half", "3 and a half hours", "It is 3 and a half.", "3,5 €"],
    "6.02e23": ["6.02×10²³", "6.02 × 10²³"],
    "Amy": ["I think Amy is it."],
    "no": ["No (91 = 7 × 13)", "No (it is not)."],
    "Tuesday": ["It was a Tuesday.", "It was Tuesday."],
}  # fmt: skip
HOSTILE_MARKS = {
    "42": [
        "41 - that's the answer, 42 isn't.", "41 rather than 42", "41 instead of 42",
        "41 other than 42", "41, unlike 42", "41 unlike 42", "43 is different from 42",
        "43 is far from 42", "rather than 42", "other than 42", "Answer: 6 (42 times 7)",
        "LCM(6,7) = 41", "LCM(42,7) = 6", "2lcm(6,7) = 42 + 1", "6 * 7\nStep 42: 41",
        "* 42 + 1", "6\n* 42 or 41", "lcm(42)",
    ],
    "3.5": ["3 and a third", "2 and a half", "3 and a half or 4", "not 3 and a half"],
    "6.02e23": ["6.02×10³²", "6.02×10²3", "6.02×10²"],
    "Amy": ["I think Amy is not it.", "I thought Amy is it? No."],
    "no": ["Yes (no)", "No (or yes)"],
    "Tuesday": ["It was not a Tuesday.", "It was the day after Tuesday.", "It was Monday."],
}  # fmt: skip
HOSTILE = {
    "42": [
        "\\boxed{\\text{not 42}}", "\\boxed{\\text{42 or 43}}", "\\boxed{\\text{half of 42}}",
        "\\boxed{\\text{maybe 42}}", "\\boxed{\\text{page 42}}", "\\boxed{\\text{at least 42}}",
        "\\boxed{\\text{42 squared}}", "\\boxed{\\text{more than 42}}", "\\boxed{\\text{42, 43}}",
        "\\boxed{\\text{anything but 42}}", "\\boxed{\\text{42 is wrong}}",
        "\\boxed{\\text{42 million}}",
        "\\boxed{\\text{no 42}}", "\\boxed{\\text{42 fifths}}", "42 tenths", "42 thirds", "no 42",
        "\\boxed{\\text{if 42}}", "\\boxed{\\text{between 41 and 42}}",
        "\\boxed{\\text{42 plus 1}}",
        "\\boxed{\\text{forty-one or 42}}", "\\boxed{\\text{42/2 pens}}",
        "\\boxed{\\text{4 2 pens}}",
        "\\boxed{\\text{Not: }42}", "\\boxed{\\text{wrong answer: }42}",
        "\\boxed{\\text{Half: }42}",
        "\\boxed{\\text{Total: }-42}", "\\boxed{\\text{Total: }42+1}",
        "\\boxed{2\\text{Total: }42}",
        "\\boxed{\\text{Total: }42 \\text{ or } 43}", "\\boxed{\\text{half the total: }42}",
    ],
    "b": [
        "The answer is a + b.", "The answer is a b", "a b", "The answer is a / b", "Answer: a-b",
        "The answer is a*b", "The answer is a or b", "The answer is a, b",
    ],
    "7": [
        "Not A: 7", "A: 7 or 8", "A: 8\nB: 7", "A: 7/2", "ABC: 70", "a:7", "A:7:3", "The ratio a:7",
    ],
    "1": [
        "The one", "the one.", "It is the one", "The answer is the one.", "Answer: the one",
        "no one",
        "a one or two", "That one", "another one", "the chosen one",
    ],
    "p-q": [
        "p - q?", "not p - q", "It is not p - q.", "half of p - q", "p - q or q - p",
        "p - q is wrong",
        "p - q - r", "It is p - q times two", "q - p", "Suppose p - q", "2(p - q)", "never p - q",
        "p - q. Wait, q - p.", "anything but p - q", "I doubt it is p - q", "p - q, q - p",
        "If p - q",
        "let x be p - q", "the opposite of p - q",
    ],
    "\\frac{a}{b}": ["b/a", "a/b/c", "Answer: x/a/b", "c a/b", "a/bc", "a/b + 1", "a/(b+1)"],
    "\\pi r^2": [
        "2πr^2", "The area is πr", "The area is not πr²", "πr²/2", "half of πr²", "πr² + 1", "-πr²",
        "(πr)²", "πr³",
    ],
    "Amy": [
        "It's not Amy.", "It isn't Amy.", "If it's Amy", "It's Amy or Bob.", "I doubt it's Amy.",
        "It's Amy? No.", "It's Bob, not Amy.", "It's Amy's sister", "I don't think it's Amy.",
    ],
    "Tuesday": [
        "It never falls on Tuesday.", "It falls before Tuesday.", "It falls on Tuesday or Monday.",
        "It doesn't fall on Tuesday", "It falls on the day after Tuesday.",
        "If it falls on Tuesday",
        "It falls on Tuesday?", "I doubt it falls on Tuesday.",
    ],
    "2,3,5": [
        "The primes below 6 are: 2, 3, 5, 7", "The primes are not: 2, 3, 5", "The primes are: 2, 3",
        "The primes 2, 3, 5 are: 7",
    ],
    "5": ["The primes below 6 are: 2, 3, 5", "The primes below 5 are: 2, 3"],
}  # fmt: skip


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(gold, text) for gold, texts in table.items() for text in texts]


@in_one_test(("gold", "text"), cases(HONEST) + cases(HONEST_MARKS))
def test_a_statement_is_read(gold: str, text: str) -> None:
    assert verify(gold, text, question="Who is it?").equal


@in_one_test(("gold", "text"), cases(HOSTILE) + cases(HOSTILE_MARKS))
def test_a_look_alike_is_not_the_answer(gold: str, text: str) -> None:
    assert not verify(gold, text, question="What is it?").equal


@pytest.mark.parametrize(
    "text",
    [
        "No. 91 is divisible by 7.", "No. It is 7 times 13.", "No!\n91 is 7 times 13.",
        "**No.** 91 is divisible by 7.", "No, 91 is divisible by 7.",
    ],
)  # fmt: skip
def test_a_no_before_its_reason_is_the_answer(text: str) -> None:
    assert verify("no", text, question="Is 91 prime?").equal
    assert not verify("yes", text, question="Is 91 prime?").equal


@pytest.mark.parametrize(
    "text",
    [
        "No. Yes.", "Yes. No.", "No. 91 is prime, yes.", "Yes. But no.", "Yes. That is wrong.",
        "No. Wait, it is prime, yes", "No. That is false.", "No. Or yes.", "Yes. Or no.",
        "No. I am not sure.", "Yes. Just kidding!", "No. Sorry, it is", "Yes. The answer is 7.",
        "No. The answer is yes or no.", "Yes. I guess", "Yes? 91 is 7 times 13.", "No. 5",
        "No. of apples: 5",
        "No. Correction: it is.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("gold", ["yes", "no"])
def test_a_yes_or_no_that_the_text_takes_back_is_not(gold: str, text: str) -> None:
    assert not verify(gold, text, question="Is 91 prime?").equal


HEADS = [
    "Die Antwort ist", "Die Antwort lautet", "Die Antwort lautet:", "Antwort:", "La réponse est",
    "La réponse finale est", "Réponse :", "La respuesta es", "La respuesta final es", "Respuesta:",
    "La risposta è", "La risposta corretta è", "Risposta:", "A resposta é", "A resposta correta é",
]  # fmt: skip


@pytest.mark.parametrize(("gold", "other"), [("42", "41"), ("Paris", "Rome"), ("yes", "no")])
@in_one_test("head", HEADS)
def test_a_statement_may_have_a_head_in_another_language(head: str, gold: str, other: str) -> None:
    assert verify(gold, f"6 * 7.\n{head} {gold}.").equal
    assert verify(gold, f"{head} **{gold}**").equal
    for wrong in (
        f"{head} {other}.", f"{head} nicht {gold}.", f"{head} {gold}?",
        f"{head} {gold} oder {other}", f"{head} {gold} ou {other}.",
        f"{head} {other}, nicht {gold}", f"{head} vielleicht {gold}.",
    ):  # fmt: skip
        assert not verify(gold, wrong).equal, wrong


@pytest.mark.parametrize("gold", ["42", "Paris"])
@in_one_test(
    "text",
    [
        "Die falsche Antwort ist %s.", "La mauvaise réponse est %s.", "La fausse réponse est %s.",
        "La respuesta incorrecta es %s.", "La risposta sbagliata è %s.",
        "Die Antwort ist nicht %s.", "La réponse n'est pas %s.", "La respuesta no es %s.",
        "La risposta non è %s.",
        "A resposta não é %s.", "La réponse est peut-être %s.", "La respuesta es quizás %s.",
        "Die Antwort ist mehr als %s.", "La réponse est plus de %s.", "Ist die Antwort %s?",
    ],
)  # fmt: skip
def test_a_denial_in_another_language_states_nothing(text: str, gold: str) -> None:
    assert not verify(gold, text % gold).equal
