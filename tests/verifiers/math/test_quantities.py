"""Numbers in words, and quantities in two units."""

from __future__ import annotations

from tables import in_one_test

from textgym.verifiers.math import verify
from textgym.verifiers.math.quantities import quantity

TAKEN = [
    ("7", "The answer is seven."), ("7", "Seven."), ("7", "seven apples"), ("7", "**Seven**"),
    ("7", "There are seven apples."), ("7", "Answer: seven"), ("7", "\\boxed{\\text{seven}}"),
    ("21", "twenty-one"), ("21", "The answer is twenty one dollars."), ("0", "It is zero."),
    ("-5", "The answer is minus five."), ("105", "one hundred and five"), ("seven", "7"),
    ("1234", "one thousand two hundred thirty-four"), ("2000000", "two million"),
    ("seven", "The answer is seven."), ("24", "two dozen"), ("0.05", "five percent"),
    ("1 hour 30 minutes", "It is 1 hour and 30 minutes."), ("90", "1 hour 30 minutes"),
    ("1\\text{ hour } 30\\text{ minutes}", "90 minutes"), ("1 hour 30 minutes", "1 h 30 min"),
    ("1 hour 30 minutes", "\\boxed{1 \\text{ hour } 30 \\text{ minutes}}"),
    ("7", "So he has seven marbles left."), ("7", "It is exactly seven."), ("7", "$\\text{seven}$"),
    ("seven years", "seven years"), ("Five Guys", "The answer is Five Guys."),
    ("71", "5 feet 11 inches"), ("5 feet 11 inches", "71 inches"), ("2 weeks 3 days", "17 days"),
]  # fmt: skip
NOT_TAKEN = [
    ("7", "seventeen"), ("7", "twenty-seven"), ("7", "seven or eight"), ("7", "not seven"),
    ("7", "The answer is not seven."), ("7", "I doubt it is seven."), ("7", "seven squared"),
    ("7", "half of seven"), ("7", "seven times two"), ("7", "minus seven"), ("7", "Is it seven?"),
    ("7", "If it is seven"), ("7", "seven less"), ("3", "three quarters"), ("1", "one third"),
    ("2", "two halves"), ("5", "five percent"), ("7000", "three thousand four thousand"),
    ("7", "seven. Wait, eight."), ("3", "First 3. The answer is seven."), ("2", "two million"),
    ("1", "one hundred"), ("6", "sixty"), ("7", "seventh"), ("1", "one half"),
    ("30", "1 hour 30 minutes"), ("1", "1 hour 30 minutes"), ("130", "1 hour 30 minutes"),
    ("1 hour 30 minutes", "1 hour 20 minutes"), ("1 hour 30 minutes", "30 minutes"),
    ("1 hour 30 minutes", "130"), ("1 hour 30 minutes", "90 seconds"), ("62", "4 feet 14 inches"),
    ("Five Guys", "five"), ("two pairs", "two triples"), ("one way", "one road"),
    ("1 hour 30 minutes", "1 hour or 30 minutes"), ("5", "4 feet 5 inches"),
]  # fmt: skip


@in_one_test(("gold", "text"), TAKEN)
def test_a_quantity_in_words_is_its_value(gold: str, text: str) -> None:
    assert verify(gold, text).equal


@in_one_test(("gold", "text"), NOT_TAKEN)
def test_a_part_or_denial_of_a_quantity_is_not_taken(gold: str, text: str) -> None:
    assert not verify(gold, text).equal


def test_every_number_below_a_thousand_is_read() -> None:
    small = (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    )
    small += " sixteen seventeen eighteen nineteen"
    names = small.split()
    for ten in ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]:
        names += [ten, *(f"{ten}-{one}" for one in names[:9])]
    hundreds = [f"{one} hundred" for one in names[:9]]
    names += [
        text for name in hundreds for text in (name, *(f"{name} and {low}" for low in names[:99]))
    ]
    assert [quantity(name) for name in names] == [str(number) for number in range(1, 1000)]
