r"""Honest answers without a box and look-alikes, which were written to find faults.

Those that were read wrongly were mended at their cause, or are not here.
"""

from __future__ import annotations

from tables import in_one_test

from textgym.verifiers.math import verify

HONEST = {
    ("How many pens does Ann have?", "42"): [
        "Ann has 42 pens.", "Ann ends up with 42 pens in total.", "Total = 42",
        "Total: **42 pens**", "Final count: 42", "That makes 42.",
        "That gives us 42 pens altogether.", "In all, 42.", "42 pens total", "42 (forty-two)",
        "forty-two", "Forty two pens.", "She now has 42 pens left over.",
        "Ann therefore owns 42 pens.", "The result is 42 pens", "Result: 42", "= 42",
        "=> 42 pens", "→ 42", "6×7=42", "6 x 7 = 42.", "6*7 = 42 pens",
        "We multiply 6 by 7 to get 42.", "Multiplying 6 by 7 gives 42.",
        "12 + 30 = 42, so Ann has 42 pens.", "Ann has 6 * 7 = 42 pens.",
        "Ann has (6)(7) = 42 pens.", "Ann has exactly 42 pens.",
        "So, Ann has a total of 42 pens!", "Therefore: 42.", "∴ 42", "Ann's total is 42.",
        "I get 42.", "We find 42.", "My answer is 42.", "Your answer: 42", "Answer 42",
        "ANSWER: 42.0", "Answer: forty-two", "**Final Answer:** Ann has **42** pens.",
        "### Answer\n42", "Answer -> 42", "Answer is 42 pens", "The answer: 42", "Solution: 42",
        "Thus the number of pens is 42.", "The number of pens Ann has is 42.", "pens = 42",
        "n = 42 pens", "Ann → 42 pens", "After buying 30 more, Ann has 42 pens.",
        "By adding 12 and 30, Ann has 42 pens.", "Since 6 * 7 = 42, Ann has 42.",
        "42, since 6 * 7 = 42.", "If each box holds 7, then 6 boxes hold 42.",
        "42 pens (6 boxes × 7 pens)", "42 pens [6 * 7]", "42 pens; that is the total.",
        "42 pens - final answer", "Not 41, but 42.", "It must be 42.", "It has to be 42.",
        "The total comes to 42.", "The total comes out to 42 pens.", "That's 42 pens.",
        "So that is 42 altogether", "It equals 42.", "The sum equals 42.",
        "Ann has forty-two (42) pens.", "Let me compute: 6*7 = 42. Done.",
        "So the final answer is 42. Thank you!", "42. Hope this helps!", "Sure! Ann has 42 pens.",
        "Step 1: 6 boxes.\nStep 2: 6*7=42.\nSo 42.", "1. 6 boxes\n2. 7 each\n3. 6*7 = 42",
        "- boxes: 6\n- each: 7\n- total: 42", "Ann: 42", "| pens | 42 |",
        "Ann has 42 pens at the end of the day.", "At the end, Ann has 42 pens.",
        "Ann has 42 pens after giving away 3.", "Ann has 42 pens remaining.",
        "Ann is left with 42 pens.", "Ann would have 42 pens.", "There'd be 42 pens.",
        "Ann should have 42 pens.", "The correct number is 42.", "The right value is 42.",
        "It works out to 42.",
    ],
    ("What is the probability?", "\\frac{3}{8}"): [
        "3/8", "The probability is 3/8.", "P = 3/8", "P(A) = 3/8", "Probability: 3/8",
        "3 out of 8", "0.375", "37.5%", "The probability is 37.5%.", "It is three eighths.",
        "\\frac{3}{8}", "$P = \\frac38$", "= 3/8", "6/16 = 3/8", "The chance is 3/8, or 37.5%.",
        "3 in 8", "The probability equals 3/8 = 0.375.", "3⁄8", "So P ≈ 0.375",
    ],
    ("Find x.", "-3"): [
        "x = -3", "x=-3.", "The solution is x = -3.", "x equals -3", "x is -3", "−3", "x = − 3",
        "negative three", "minus 3", "Solution: x = -3", "So x must be -3.", "We have x = -3.",
        "$x=-3$.", "\\(x = -3\\)", "x → -3", "Thus, -3", "The value of x is -3.",
        "The only solution is -3.", "the root is x = -3",
    ],
    ("What is the cost?", "12.50"): [
        "$12.50", "12.50 dollars", "It costs $12.50.", "The total cost is \\$12.50.", "12.5",
        "$12.5", "USD 12.50", "12.50 USD", "He pays $12.50 in total.", "Total: $12.50", "12,50",
    ],
    ("Who has the most pens?", "Ann"): [
        "Ann", "Ann has the most pens.", "Ann.", "It is Ann.", "The answer is Ann.",
        "Ann has the most.", "Ann has the most pens (42).", "Ann, with 42 pens.",
        "Ann with 42 pens", "It's Ann!", "So, Ann.", "Clearly, Ann has the most pens.",
        "Answer: Ann", "The person with the most pens is Ann.", "The winner is Ann",
        "**Ann** has the most pens.", "That would be Ann.", "I think it is Ann.",
    ],
    ("Is it a prime?", "yes"): [
        "Yes", "Yes, it is.", "Yes, it is a prime.", "yes!", "Yes - it is a prime", "YES",
        "Answer: yes", "The answer is yes.", "It is a prime, so yes.",
        "Yes, because it has no divisors.", "**Yes**", "Yes. It has no divisors.",
        "So yes, it is.", "Indeed, yes.", "Yes; it is prime",
    ],
    ("On which day is it?", "Friday"): [
        "Friday", "It is Friday.", "It's on Friday.", "On Friday", "on a Friday",
        "It is on a Friday.", "The day is Friday.", "That is a Friday.", "It will be Friday.",
        "So it is Friday", "Answer: Friday.", "FRIDAY", "It happens on Friday.",
        "It takes place on Friday", "The meeting is on Friday.",
    ],
    ("What shape is it?", "rectangle"): [
        "rectangle", "It is a rectangle.", "a rectangle", "A rectangle.",
        "The shape is a rectangle.", "It's a rectangle", "Rectangle", "This is a rectangle.",
        "The answer is a rectangle.", "It forms a rectangle.",
    ],
    ("At what time does it end?", "3:45 PM"): [
        "3:45 PM", "3:45pm", "It ends at 3:45 PM.", "15:45", "at 3:45 p.m.",
        "The time is 3:45 PM.", "03:45 PM", "It will end at 3:45 pm.",
    ],
}  # fmt: skip
LOOK_ALIKES = {
    ("How many pens does Ann have?", "42"): [
        "Ann has fewer than 42 pens.", "Ann has at most 42 pens.", "Ann has at least 42.",
        "Ann has nearly 42 pens.", "Ann has about 42 or 43 pens.",
        "Ann had 42 pens but now she has 41.", "Ann has 42 pens minus 1.",
        "Ann has 42 dozen pens.", "Ann has 42 hundred pens.", "Ann has 42% of the pens.",
        "Ann has 42/7 pens.", "Ann has 42^2 pens.", "Ann has 1/42 of them.", "Ann has -42 pens.",
        "Ann has 42.5 pens.", "Ann has 420 pens.", "Ann has 4 2 pens.",
        "Ann has 42 or so, maybe 43.", "Ann has twice 42 pens.", "Ann has half of 42 pens.",
        "Ann does not have 42 pens.", "Ann doesn't have 42.", "Ann never had 42 pens.",
        "It is unclear whether it is 42.", "It might be 42.", "It may be 42.",
        "I guess 42 or 40.", "40-42", "40–42", "40 to 42 pens", "between 40 and 42",
        "from 40 up to 42", "42+", "42-", "<42", ">42", "≤ 42", "≥42", "≠42", "!= 42", "42?",
        "42??", "?42", "42 is what Bob has. Ann has 41.", "Bob has 42.\nAnn has 41.",
        "Ann has 41.", "41 (Bob has 42)", "41, while Bob has 42", "Ann: 41, Bob: 42", "42 = 41",
        "41 = 42", "x = 41, y = 42", "42 x", "42x", "42i", "√42", "|42| + 1", "log 42", "sin 42",
        "42 mod 5", "42 choose 2", "(42, 1)", "[42, 43]", "{42, 43}", "42, 43, 44", "42; 43",
        "42 / 43", "42 & 43", "42 and 43", "42 plus change", "42-ish", "42ish",
        "roughly between 41 and 42", "the answer to 6*7, i.e. not 42", "Answer: TBD (42?)",
        "The answer could be 42 but I am not sure.", "The answer may be 42",
        "The answer is probably 42 or 43", "The answer is unknown, perhaps 42",
        "The answer is larger than 42.", "The answer exceeds 42", "The answer is below 42",
        "The answer is 42 less 1", "The answer is 1 less than 42",
        "The answer is one more than 42.", "The answer is 42 times 2",
        "The answer is the square of 42", "The answer is the sum of 40 and 42",
        "The answer is anything except 42", "The answer is everything but 42",
        "The answer is neither 42 nor 41", "The answer is 42 only if x = 1, else 41",
        "Everyone says 42, I say 41", "Most would say 42.", "Students often answer 42.",
        "The naive answer, 42, is wrong.", "The naive result is 42", "A wrong guess is 42",
        "My first guess was 42.", "Previously: 42", "Old answer: 42",
        "It was 42 yesterday; today it is 41", "Imagine Ann has 42 pens.",
        "Assume that Ann has 42 pens.", "Suppose there are 42.", "Let Ann have 42 pens.",
        "What if Ann has 42 pens?", "Does Ann have 42 pens?", "Has Ann 42 pens? No",
        "Ann's page 42", "Version 42", "Line 42", "Item 42", "Row 42", "#42", "42:15", "42/100",
        "42nd", "forty-second", "forty-two or forty-one", "not forty-two", "more than forty-two",
        "half of forty-two",
    ],
    ("Find x.", "-3"): [
        "x = 3", "x = --3", "3", "x ≠ -3", "x > -3", "x < -3", "x = -3 or x = 3", "x = ±3",
        "x = 2 - 3", "5 - 3", "x-3", "x - 3", "-3x", "x^{-3}", "|-3|", "-(-3)", "x = -3 + 1",
        "not -3", "-3?", "10^-3",
    ],
    ("Who has the most pens?", "Ann"): [
        "Bob has more pens than Ann.", "Bob", "Ann or Bob", "Ann and Bob", "not Ann",
        "Ann has the fewest pens.", "Ann has pens.", "Not even Ann.", "Anna", "Ann's brother",
        "Bob, then Ann.", "Bob beats Ann", "Everyone except Ann", "Ann? No.", "Maybe Ann",
        "Is it Ann?", "The loser is Ann and the winner is Bob", "Ann has less than Bob.",
        "Ann is second.", "After Bob comes Ann.",
    ],
    ("Is it a prime?", "yes"): [
        "No", "no, yes", "yes and no", "yes?", "Yes or no", "Maybe yes", "not yes", "Yes... no.",
        "I cannot say yes.", "Hardly yes.", "It is not a prime.", "Say yes if you agree.",
        "The answer isn't yes.", "Yes? No!", "Some say yes.",
    ],
    ("On which day is it?", "Friday"): [
        "Not Friday", "the day after Friday", "Thursday or Friday", "before Friday",
        "It is not on Friday.", "Good Friday? No, Monday.", "every day but Friday",
        "Fridays and Mondays", "any day except Friday", "It could be Friday.", "Friday is wrong.",
        "If it is Friday", "two days after Friday", "between Thursday and Friday",
        "It isn't Friday but Monday.",
    ],
    ("At what time does it end?", "3:45 PM"): [
        "3:45 AM", "before 3:45 PM", "after 3:45 PM", "3:45:10 PM", "3:45 PM or 4 PM",
        "not 3:45 PM", "45:3", "5:43 PM", "until 3:45 PM? No.", "13:45", "3:54 PM",
        "It begins at 3:45 PM and ends at 5 PM.",
    ],
}  # fmt: skip


def cases(table: dict[tuple[str, str], list[str]]) -> list[tuple[str, str, str]]:
    return [(question, gold, text) for (question, gold), texts in table.items() for text in texts]


@in_one_test(("question", "gold", "text"), cases(HONEST))
def test_an_honest_answer_is_right(question: str, gold: str, text: str) -> None:
    assert verify(gold, text, question=question).equal


@in_one_test(("question", "gold", "text"), cases(LOOK_ALIKES))
def test_a_look_alike_is_not(question: str, gold: str, text: str) -> None:
    assert not verify(gold, text, question=question).equal
