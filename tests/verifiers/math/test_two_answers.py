r"""Mathematics: no text is right for two golds, however it joins, labels or denies them."""

from __future__ import annotations

import re

import pytest

from textgym.verifiers.math import verify

# Two golds of each form, and a question.
GOLDS = {
    "integer": ("42", "17", "How many ways are there?"),
    "small integer": ("1", "2", "What is $k$?"),
    "fraction": ("\\frac{3}{7}", "\\frac{2}{5}", "What is the probability?"),
    "root": ("2\\sqrt{3}", "3\\sqrt{2}", "How long is it?"),
    "pair": ("(1, 2)", "(3, 4)", "Find the ordered pair."),
    "interval": ("[1, 2)", "(3, 4]", "Find the domain."),
    "expression": ("x + 1", "x + 2", "Simplify."),
    "complex number": ("2 + i", "3 - i", "Find $z$."),
    "name": ("Amy", "Bob", "Who is the tallest?"),
    "yes or no": ("yes", "no", "Is it prime?"),
    "time": ("3:30", "4:10", "What time is it?"),
    "half of the day": ("4:10 P.M.", "5:25 A.M.", "When does it end?"),
    "date": ("May 5", "June 7", "On which date?"),
    "percentage": ("15\\%", "20\\%", "What percentage?"),
}

# `[…]` is a box, A and B are the golds.
TEXTS = [
    "[A or B]", "[A \\text{ or } B]", "[A \\lor B]", "[A] or [B]", "[A] or B", "B or [A]",
    "[A] (or B)", "[A] or about B", "[A] or approximately [B]", "[A]; or else [B]",
    "[A] as well as [B]", "[A] [B]", "[A]\n[B]", "[A], [B]", "[A] and B", "[A], or rather [B]",
    "[A, B]", "[A; B]", "[A \\quad B]", "[A \\text{ and } B]", "[\\{A, B\\}]", "[\\pm A, B]",
    "[\\begin{cases}A\\\\B\\end{cases}]", "[\\begin{aligned}A\\\\B\\end{aligned}]", "[A[B]]",
    "[A = B]", "[A \\approx B]", "[A \\equiv B]", "[A \\to B]", "[A \\text{ (B)}]", "[A (B)]",
    "[x = A = B]", "[x = A, x = B]", "[x = A, y = B]", "$x=[A]$ or $x=[B]$", "x = B, x = [A]",
    "[\\text{A or B}]", "[\\text{either A or B}]", "[\\text{Total: }A\\text{ Sum: }B]",
    "[\\text{A: }B]", "[A: B]", "[\\text{First A, then B}]", "[A \\text{ apples } B]",
    "[A \\text{ if even, } B \\text{ if odd}]", "[A \\text{ to } B]", "[A, \\ldots, B]",
    "[A]<|im_end|>[B]", "[A]</s>B", "[A</s>B]", "Answer: A<|im_end|>Answer: B", "Answer: A</s>B",
    "[A]. Wait, [B]. No: A.", "[A]. Actually, it is B.", "[A]? No. [B]? No.", "not [A], not [B]",
    "The answer is A or B.", "The answer is A and it is B.", "The answer is A, or about B.",
    "The answer is A. Let me know if you prefer B.", "A. I hope this helps. B.",
    "Answer: A, if not B", "Answer: B, else A", "Answer: A (B)", "Answer: A (i.e. B)",
    "Answer: A ≈ B", "Answer: 1. A 2. B", "Answer: first A, second B", "Answer: A\nAnswer: B",
    "Answer: A in one case, B in the other", "Answer: at A or at B", "Answer: on A, on B",
    "Answer: A but not B, or B but not A", "Answer: neither A nor B", "Answer: A vs B",
    "<answer>A</answer> or <answer>B or A</answer>", "**A** or **B**", "**A** **B**",
    "It is A, no, B, no, A.", "It is A; it is B.", "It's between A and B.", "One of A and B.",
]  # fmt: skip


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", GOLDS)
def test_no_text_is_right_for_two_golds(form: str, every: int) -> None:
    first, second, question = GOLDS[form]
    for text in TEXTS[[*GOLDS].index(form) % every :: every]:  # each form meets other texts
        boxed = text.replace("[", "\\boxed{").replace("]", "}")
        for pair in ((first, second), (second, first)):
            parts = re.split(r"\b([AB])\b", boxed)
            answer = "".join(dict(zip("AB", pair, strict=True)).get(part, part) for part in parts)
            right = [gold for gold in pair if verify(gold, answer, question=question).equal]
            assert len(right) < 2, answer
