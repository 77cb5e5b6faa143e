"""Spellings without a box that honest models write, and look-alikes of each kind."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers import match
from textgym.verifiers.math import verify

HONEST = {
    "1.5 hours": [
        "90 minutes", "90 min", "1h30m", "1h30min", "1 h 30 min", "1 hour 30 minutes",
        "1 hour, 30 minutes", "It takes 1 hour and 30 minutes.", "one and a half hours",
        "an hour and a half", "1½ hours",
    ],
    "90 minutes": ["1.5 hours", "1h30m", "one and a half hours", "3/2 hours"],
    "150 minutes": ["2½ hours", "two and a half hours", "2 h 30 min"],
    "3 hours 20 minutes": ["3 1/3 hours", "200 minutes"],
    "2 weeks": ["14 days"],
    "36\\text{ cm}^2": ["36 cm squared", "36\\text{ cm}^2", "36 sq cm"],
    "12\\text{ cm}": ["12 \\text{ cm}", "12\\,\\mathrm{cm}", "AB = 12 \\text{ cm}."],
    "\\frac{1}{2}": [
        "one half", "one-half", "a half", "half", "The probability is one half.", "1⁄2",
        "The answer is 1/2, i.e. 0.5",
    ],
    "\\frac{7}{3}": ["2⅓", "two and one third"],
    "\\frac{3}{4}": ["three quarters", "three fourths"],
    "\\pi": ["π", "pi", "The area is π.", "the area is pi square units"],
    "25\\%": ["25 per cent", "25％"],
    "0.001": ["10⁻³", "1×10⁻³"],
    "1234567": ["1'234'567", "1\u202f234\u202f567"],
    "1250.5": ["US$1,250.50"],
    "5 : 3": ["5 to 3", "The ratio is 5 to 3."],
    "42": [
        "The answer isn't 41; it's 42.", "It's not 41, it's 42.", "The answer is not 41: it is 42.",
        "The answer isn't 41 but 42.", "This isn't 41 — it's 42.",
        "The answer is 42, it's the sum of 40 and 2.", "答案是42。", "答案：42",
        "Es ist 42, nicht 41.", "(Answer: 42)", "<h3>Answer: 42</h3>", "<div>42</div>",
        '<span style="color:red">42</span>', "She read 42 pages (20 + 22).",
        "When x = 3, f(x) = 42.",
        "At 5, the value is 42.",
    ],
}  # fmt: skip
LOOK_ALIKES = {
    "1.5 hours": [
        "1:30", "1h50m", "90 hours", "90 seconds", "90 m", "1.5 minutes", "1.5 days",
        "half an hour",
        "one and a half minutes", "an hour and a quarter", "two and a half hours", "1h30m more",
        "90 minutes or 80 minutes", "not 90 minutes", "more than 90 minutes", "half of 90 minutes",
    ],
    "1.3 hours": ["1h30", "1h30m", "1:30", "90 minutes", "1h3m"],
    "1.5": ["1:30", "1h30m", "90 minutes"],
    "1.5 meters": ["150 m", "1.5 cm", "1.5 km", "150 mm", "1.5 m^2", "150 cm^2", "1500 cm"],
    "2 kg": ["2 g", "2 lb", "2000 kg", "2000 mg"],
    "$4.50": ["4.50 cents", "450 dollars", "€4.50"],
    "36\\text{ cm}^2": ["36 cm", "36 cm cubed", "6 cm squared"],
    "\\frac{1}{2}": [
        "one third", "one half or one third", "not one half", "two halves", "one and a half",
        "half a dozen", "half of it is 3", "one half of 3", "the first half", "half-truth",
    ],
    "\\frac{7}{3}": ["2⅔", "two thirds", "two and two thirds"],
    "\\pi": ["2π", "π or 2π", "not π", "less than π", "pie", "π²"],
    "5 : 3": ["3 to 5", "5 to 4", "5 to 3 to 1"],
    "3": ["2 to 3", "from 3 to 5"],
    "42": [
        "The answer isn't 42; it's 41.", "It isn't 42, it's 41.", "The answer isn't 42 but 41.",
        "The answer is 41, it's 42 in other books.", "It's not 41, it's half of 42.", "42 (wrong)",
        "The answer is 42 or so... I can't tell; maybe 41.", "I think 41, others say 42",
        "It could be 42.", "41, i.e. 42", "答案不是42。", "答案是41或42。",
        "Die Antwort ist nicht 42.",
        "La réponse n'est pas 42.", "La respuesta no es 42.", "Nein, 42 ist falsch.", "42⁵", "42⅓",
        "42'000", "42.000.000", "42 or more", "42 apples or fewer", "42 (no, 41)",
        "One could think 42, but no.", "When x = 42, f(x) = 41.", "She read 41 pages (42 - 1).",
    ],
}  # fmt: skip

CONVERTED = [
    ("1.5 hours", "90 minutes", "Convert 90 minutes to hours."),
    ("1440 minutes", "1 day", "How many minutes are in a day?"),
    ("90 minutes", "1.5 hours", "Write 1.5 hours in minutes."),
    ("90 minutes", "1.5 hours", "A film takes 1.5 hours. What is that in minutes?"),
]

CAPITAL, PRIME = "What is the capital of France?", "Is 7 prime?"
TALLEST, WINNERS = "Who is the tallest?", "Who are the winners?"
PARITY, TRAIN = "Is the function even or odd?", "At what time does the train arrive?"
WORDS = [
    ("Paris", "Therefore, Paris.", CAPITAL), ("Paris", "Conclusion: Paris", CAPITAL),
    ("Paris", "**Result:** Paris", CAPITAL), ("Paris", "Not Lyon but Paris.", CAPITAL),
    ("Paris", "The answer isn't Lyon; it's Paris.", CAPITAL),
    ("Paris", "Lyon? No, wait: Paris.", CAPITAL), ("yes", "So yes.", PRIME),
    ("yes", "Therefore, yes.", PRIME), ("even", "It's an even function.", PARITY),
    ("even", "even function", PARITY), ("Amy", "So Amy is the tallest person.", TALLEST),
    ("Amy", "Amy is the tallest, followed by Bob.", TALLEST),
    ("Amy and Bob", "Amy and Bob are the winners.", WINNERS),
    ("Amy and Bob", "Both Amy and Bob", WINNERS), ("Amy and Bob", "- Amy\n- Bob", WINNERS),
    ("Amy and Bob", "The winners are:\n1. Amy\n2. Bob", WINNERS), ("4:30 PM", "4.30 pm", TRAIN),
    ("4:30 PM", "16:30 (4:30 PM)", TRAIN), ("all real numbers", "(-∞, ∞)", "What is the domain?"),
    ("all real numbers", "The set of all real numbers", "What is the domain?"),
]  # fmt: skip
NOT_WORDS = [
    ("Paris", "The answer isn't Paris; it's Lyon.", CAPITAL), ("Paris", "So not Paris.", CAPITAL),
    ("Paris", "Not Paris but Lyon.", CAPITAL), ("Paris", "It could be Paris.", CAPITAL),
    ("Paris", "Conclusion: Paris or Lyon", CAPITAL), ("Paris", "Paris? No, wait: Lyon.", CAPITAL),
    ("no", "No, wait: yes.", PRIME), ("yes", "So yes or no.", PRIME),
    ("even", "even and odd", PARITY), ("even", "not an even function", PARITY),
    ("even", "neither even nor odd", PARITY), ("Amy", "Amy is the tallest but one.", TALLEST),
    ("Amy", "Amy is the tallest after Bob.", TALLEST), ("Amy", "- Amy\n- Bob", TALLEST),
    ("Amy and Bob", "- Amy\n- Bob\n- Cy", WINNERS),
    ("Amy and Bob", "Amy and Bob are not the winners.", WINNERS),
    ("4:30 PM", "4.30 am", TRAIN), ("4:30 PM", "16:30 (5:30 PM)", TRAIN),
]  # fmt: skip


def pairs(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(gold, text) for gold, texts in table.items() for text in texts]


@in_one_test(("gold", "text"), pairs(HONEST))
def test_a_spelling_is_right(gold: str, text: str) -> None:
    assert verify(gold, text).equal


@in_one_test(("gold", "text"), pairs(LOOK_ALIKES))
def test_a_look_alike_is_not(gold: str, text: str) -> None:
    assert not verify(gold, text).equal


@pytest.mark.parametrize(("gold", "text", "question"), CONVERTED)
def test_a_quantity_of_the_question_is_not_its_conversion(
    gold: str, text: str, question: str
) -> None:
    assert not verify(gold, text, question=question).equal
    assert verify(gold, gold, question=question).equal


@pytest.mark.parametrize(("gold", "text", "question"), WORDS)
def test_words_in_a_sentence_are_right(gold: str, text: str, question: str) -> None:
    assert verify(gold, text, question=question).equal


@pytest.mark.parametrize(("gold", "text", "question"), NOT_WORDS)
def test_words_in_another_sentence_are_not(gold: str, text: str, question: str) -> None:
    assert not verify(gold, text, question=question).equal


@pytest.mark.parametrize(
    "text", ["Therefore, Paris.", "So Paris", "Conclusion: Paris", "**Final result:** Paris"]
)
def test_an_opening_of_a_short_answer_only_presents_it(text: str) -> None:
    assert match("Paris", text)
    assert not match("Paris", text.replace("Paris", "not Paris"))
