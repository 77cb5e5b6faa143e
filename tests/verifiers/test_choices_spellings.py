r"""Spellings of an option that each grading mode accepts, and look-alikes that it rejects.

The right option is always B, zinc. A look-alike chooses another option or none.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tables import in_one_test

from textgym.envs.mcqa import MCQA
from textgym.verifiers.choices import GRADING_MODES, choice
from textgym.verifiers.extract import after_reasoning

STRICT, BOXED, COLON, LAST = GRADING_MODES
OPTIONS = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "not lead", "E": "iron or zinc"}


def chosen(text: str, mode: Any) -> str:
    """Return the letter that a whole message chooses."""
    return choice(after_reasoning(text), OPTIONS, mode)


# A letter in a box, for both boxed modes.

BOXED_LETTER = [
    r"\boxed{Option B}", r"\boxed{\text{Option B}}", r"\boxed{\text{Choice (B)}}",
    r"\boxed{option B.}", r"\boxed{the letter B}",
    r"\boxed{B}", r"\boxed{ B }", r"\boxed {B}", "\\boxed\n{B}", r"\boxed{\ B}", r"\boxed{~B~}",
    r"\boxed{\;B\;}", r"\boxed{\,B\,}", r"\boxed{\quad B}", "\\boxed{\u00a0B\u202f}",
    r"\boxed{(B)}", r"\boxed{[B]}", r"\boxed{{B}}", r"\boxed{\left(B\right)}", r"\boxed{<B>}",
    r"\boxed{B.}", r"\boxed{B,}", r"\boxed{B:}", r"\boxed{B)}", r"\boxed{(B).}", r"\boxed{B!}",
    r'\boxed{"B"}', r"\boxed{'B'}", r"\boxed{“B”}", r"\boxed{`B`}", r"\boxed{**B**}",
    r"\boxed{__B__}", r"\boxed{*B*}", r"\boxed{**(B)**}", "\\boxed{B\n}",
    r"\boxed{$B$}", r"\boxed{\(B\)}", r"\boxed{$\text{B}$}", r"\boxed{\displaystyle B}",
    r"\boxed{\text{B}}", r"\boxed{\text {B}}", r"\boxed{\text{ B }}", r"\boxed{\text{B}.}",
    r"\boxed{\text{B.}}", r"\boxed{\text{(B)}}", r"\boxed{(\text{B})}", r"\boxed{\text{(B)}.}",
    r"\boxed{\mbox{B}}", r"\boxed{\hbox{B}}", r"\boxed{\textbf{B}}", r"\boxed{\textbf{(B)}}",
    r"\boxed{\textrm{B}}", r"\boxed{\textit{B}}", r"\boxed{\textsf{B}}", r"\boxed{\texttt{B}}",
    r"\boxed{\emph{B}}", r"\boxed{\underline{B}}", r"\boxed{\mathrm{B}}", r"\boxed{\mathbf{B}}",
    r"\boxed{\mathit{B}}", r"\boxed{\mathsf{B}}", r"\boxed{\boldsymbol{B}}", r"\boxed{\bm{B}}",
    r"\boxed{\operatorname{B}}", r"\boxed{\rm B}", r"\boxed{{\rm B}}", r"\boxed{\bf{B}}",
    r"\boxed{\text{\textbf{B}}}", r"\boxed{\mathbf{\text{(B)}}}", r"\boxed{\boxed{B}}",
    r"\\boxed{\\text{B}}",
]  # fmt: skip
BOXED_LETTER_AND_TEXT = [
    r"\boxed{B: zinc}", r"\boxed{B) zinc}", r"\boxed{(B) zinc}", r"\boxed{B. zinc}",
    r"\boxed{B - zinc}", r"\boxed{B – zinc}", r"\boxed{[B] zinc}", r"\boxed{B zinc}",
    r"\boxed{B, zinc}", r"\boxed{B (zinc)}", r"\boxed{\text{B: zinc}}", r"\boxed{B: \text{zinc}}",
    r"\boxed{\text{(B) zinc}}", r"\boxed{\textbf{(B)} zinc}", r"\boxed{\textbf{B}\ \text{zinc}}",
    r"\boxed{\text{B}\quad\text{zinc}}", r"\boxed{\mathbf{B}: \mathrm{zinc}}",
    r"\boxed{B: Zinc.}", r'\boxed{B: "zinc"}', r"\boxed{B: a metal, zinc}", r"\boxed{**B**: zinc}",
    r"\boxed{B: It is the only one that is not heavy.}", r"\boxed{B-zinc}", r"\boxed{B: iron}",
]  # fmt: skip
AROUND_A_BOX = [
    r"The answer is \boxed{B}.", r"**\boxed{B}**", r"$\boxed{B}$", r"$$\boxed{B}$$",
    r"\(\boxed{B}\)", r"\[ \boxed{B} \]", "```\n\\boxed{B}\n```", "So:\n\n\\[\n\\boxed{B}\n\\]\n",
    r"The answer is: \boxed{\mathrm{B}}", r"**Answer: \boxed{B}**", r"Final answer: $\boxed{B}$",
    r"<answer>\boxed{B}</answer>", "\\boxed{B}\n\n", r"\boxed{A}? No: \boxed{B}",
    r"\boxed{B} beats \boxed{A", r"I used <think> tags. \boxed{B}",
    r"<think>\boxed{A}</think>\boxed{B}", r"Not \boxed{A} but \boxed{B}", r"\boxed{B} in a \boxed",
]  # fmt: skip
NO_BOXED_LETTER = [
    r"\boxed{B \lor A}", r"\boxed{B \vee A}", r"\boxed{B \text{ or } A}", r"\boxed{B~or~A}",
    r"\boxed{B \text{ and } A}", r"\boxed{\text{B} \lor \text{A}}", r"\boxed{B \land A}",
    r"\boxed{B \lor iron}", r"\boxed{A \text{ or zinc}}", r"\boxed{B = A}", r"\boxed{B oder A}",
    "B", "Answer: B", "(B)", r"\boxed{", r"\boxed{}", r"\boxed{B", r"\boxed B", r"\fbox{A}",
    r"boxed{B}", r"\boxed{b}", r"\boxed{(b)}", r"\boxed{\text{b}}", r"\boxed{b: tin}",
    r"\boxed{F}", r"\boxed{Z: tin}", r"\boxed{2}", r"\boxed{Ｂ}", r"\boxed{ب}", r"\boxed{В}",
    r"\boxed{β}", r"\boxed{ß}", r"\boxed{AB}", r"\boxed{BB}", r"\boxed{B2}", r"\boxed{B_1}",
    r"\boxed{B^2}", r"\boxed{\beta}", r"\boxed{\mathcal}", r"\boxed{\text{Bee}}",
    r"\boxed{A, B}", r"\boxed{B, A}", r"\boxed{A or B}", r"\boxed{A and B}", r"\boxed{B or A}",
    r"\boxed{A/B}", r"\boxed{A|B}", r"\boxed{A & B}", r"\boxed{A; B}", r"\boxed{A B}",
    r"\boxed{A-B}", r"\boxed{A–D}", r"\boxed{B.A}", r"\boxed{B. A.}", r"\boxed{B) A)}",
    r"\boxed{B: A}", r"\boxed{B: or A}", r"\boxed{(A) or (B)}", r"\boxed{(B) or (A)}",
    r"\boxed{\text{A} or \text{B}}", r"\boxed{\text{B}, \text{A}}", r"\boxed{A: iron or B: zinc}",
    r"\boxed{B: zinc, A: iron}", "\\boxed{B) zinc\nA) iron}", r"\boxed{B. zinc; A. iron}",
    r"\boxed{B) tin or A) iron}", r"\boxed{B: maybe, or A}", r"\boxed{neither A nor B}",
    r"\boxed{not B}", r"\boxed{Not B}", r"\boxed{\neg B}", r"\boxed{≠B}", r"\boxed{¬B}",
    r"\boxed{!B}", r"\boxed{-B}", r"\boxed{不是B}", r"\boxed{\text{not } B}",
    r"\boxed{B is wrong}", r"\boxed{B: wrong}", r"\boxed{B) is wrong}", r"\boxed{B) is not right}",
    r"\boxed{B: incorrect}", r"\boxed{B, ruled out}", r"\boxed{anything but B}",
    r"\boxed{Answer B}", r"\boxed{B: maybe A}", r"\boxed{B. possibly A}", r"\boxed{Option b}",
    r"\boxed{Option A or B}", r"\boxed{Option AB}", r"\boxed{not Option B}", r"\boxed{Options B}",
    r"\boxed{Option B: maybe A}", r"\boxed{Option B/A}", r"\boxed{the letter after B}",
    r"\boxed{B and more}", r"\boxed{B metal}",
    r"\boxed{B-cell}", r"\boxed{B-12}", r"\boxed{A}", r"\boxed{B} \boxed{A}",
    r"\boxed{B}, or \boxed{A}", r"\boxed{B} ... \boxed {A}", r"\boxed{B} \boxed{\text{A}}",
    r"\boxed{\boxed{B} \boxed{A}}", r"<think>\boxed{B}</think>", r"<think>\boxed{B}",
    r"<think>\boxed{B}</think>\boxed{A}", r"<think>A?</think>Hm.<think>\boxed{B}",
]  # fmt: skip

AROUND_THE_RIGHT_BOX = [
    r"\boxed{A} or B? No: \boxed{B}", r"A or B? \boxed{B}", r"Options: A or B.\n\boxed{B}",
    r"The one that is not correct is \boxed{B}", r"The one that does not is \boxed{B}",
    r"The incorrect statement is \boxed{B}", r"The false one is \boxed{B}",
    r"The incorrect answer is \boxed{B}", r"All of them are metals except \boxed{B}",
    r"Everything but \boxed{B}", r"All but \boxed{B} rust.", r"No doubt, it is \boxed{B}",
    r"Without a doubt \boxed{B}", r"It is no doubt \boxed{B}", r"None other than \boxed{B}",
    r"A is wrong: it melts. \boxed{B}", r"\boxed{B}. Otherwise it would rust.", r"- \boxed{B}",
    r"\boxed{B}, or zinc", r"\boxed{A} is wrong, it is \boxed{B}", r"Wrong: \boxed{A}. \boxed{B}",
    r"\boxed{B}. A common wrong answer is \boxed{A}", r"\boxed{B}, not \boxed{A}",
    r"\boxed{B} instead of \boxed{A}", r"\boxed{B} \boxed{B}", "-\\boxed{B}", r"I say: \boxed{B}!",
    r"The one that is false: \boxed{B}", r"Statement B is false: \boxed{B}",
    r"\boxed{B} $\boxed{\text{B}}$", r"\boxed{B}, \boxed{B: zinc}", r"\boxed{B} or I am mistaken.",
]  # fmt: skip
AROUND_NO_BOX = [
    r"\boxed{B} (or A)", r"\boxed{B} or (A)", r"\boxed{B}, or A", r"\boxed{B} or maybe A",
    r"A or \boxed{B}", r"(A) or perhaps \boxed{B}", r"\boxed{B} vs. A", r"\boxed{B} otherwise A",
    r"\boxed{B} otherwise \boxed{A}", r"\boxed{A}, otherwise \boxed{B}", r"\boxed{A} \boxed{B}",
    r"$\boxed{A}$ or $\boxed{B}$", r"\boxed{A} to \boxed{B}", r"\boxed{A} vs \boxed{B}",
    r"\boxed{A} and \boxed{B}", r"Wrong: \boxed{B}", r"Incorrect: $\boxed{B}$",
    r"**Wrong:** \boxed{B}", r"A wrong answer would be \boxed{B}", r"Wrong answer: \boxed{B}",
    r"A common wrong answer is \boxed{B}", r"An incorrect answer is \boxed{B}",
    r"I doubt that it is \boxed{B}", r"I doubt it's \boxed{B}", r"I doubt \boxed{B}",
    r"It is unlikely \boxed{B}", r"hardly \boxed{B}", r"It is hardly \boxed{B}", r"not \boxed{B}",
    r"It isn't \boxed{B}", r"The answer is not \boxed{B}", r"anything but \boxed{B}",
    r"\boxed{B} is wrong", r"\boxed{B} (wrong)", r"\boxed{B} is not the answer", r"\neg\boxed{B}",
    r"~~\boxed{B}~~", r"Not: \boxed{B}", r"far from \boxed{B}", r"Nobody says \boxed{A} \boxed{B}",
]  # fmt: skip

# An option's text in a box, for the lenient boxed mode.

BOXED_TEXT = [
    r"\boxed{zinc}", r"\boxed{ zinc }", r"\boxed {zinc}", r"\boxed{Zinc}", r"\boxed{ZINC}",
    r"\boxed{zinc.}", r"\boxed{Zinc!}", r'\boxed{"zinc"}', r"\boxed{'zinc'}", r"\boxed{`zinc`}",
    r"\boxed{**zinc**}", r"\boxed{(zinc)}", r"\boxed{[zinc]}", r"\boxed{$zinc$}",
    r"\boxed{\text{zinc}}", r"\boxed{\text{zinc}.}", r"\boxed{\text{ Zinc }}",
    r"\boxed{\mbox{zinc}}",
    r"\boxed{\textbf{zinc}}", r"\boxed{\mathrm{zinc}}", r"\boxed{\rm zinc}", r"\boxed{{\rm zinc}}",
    r"\boxed{\textbf{\text{zinc}}}", r"\boxed{\ zinc}", r"\boxed{~zinc~}", r"\boxed{\quad zinc}",
    "\\boxed{zinc\n}", "\\boxed{\u00a0zinc}", r"\boxed{the zinc}", r"\boxed{It is zinc.}",
    r"\boxed{It's zinc}", r"\boxed{It is \text{zinc}}", r"\boxed{x = zinc}", r"\boxed{metal: zinc}",
    r"\boxed{zinc, a metal}", r"\boxed{zinc (a metal)}", r"\boxed{zinc, not tin}",
    r"\boxed{zinc (not tin)}", r"\boxed{zinc, and not tin}", r"\boxed{zinc; not tin}",
    r"\boxed{I choose zinc}", r"\boxed{I would pick zinc here}", r"\boxed{option zinc}",
    r"\boxed{a knot of zinc}", r"\boxed{the nobel zinc}", r"\boxed{tin? zinc}",
    r"\boxed{zinc zinc}",
    r"\boxed{zinc or tin}", r"\boxed{b: zinc}", r"\boxed{b) zinc}", r"\boxed{Z: zinc}",
    r"\boxed{- zinc}", r"\boxed{1. zinc}", r"\boxed{\textit{zinc}, probably}",
    r"$\boxed{zinc}$", r"\[\boxed{\text{zinc}}\]", r"\boxed{iron}? No: \boxed{zinc}",
    r"**\boxed{zinc}**", "```\n\\boxed{zinc}\n```", r"\boxed{zinc} in a \boxed",
    r"<think>\boxed{iron}</think>\boxed{zinc}", r"\boxed{It has to be zinc — surely}",
]  # fmt: skip
NO_BOXED_TEXT = [
    r"\boxed{anything but zinc}", r"\boxed{all but zinc}", r"\boxed{tin rather than zinc}",
    r"\boxed{other than zinc}", r"\boxed{unlike zinc}", r"\boxed{tin instead of zinc}",
    "zinc", "Answer: zinc", r"\boxed{zinc", r"\boxed zinc", r"\boxed{z i n c}", r"\boxed{zin}",
    r"\boxed{zincs}", r"\boxed{zincite}", r"\boxed{unzinc}", r"\boxed{zinc-coated}",
    r"\boxed{non-zinc}", r"\boxed{zinc's}", r"\boxed{zinc/iron}", r"\boxed{iron/zinc}",
    r"\boxed{zinc_oxide}", r"\boxed{zinc2}", r"\boxed{+zinc}", r"\boxed{\zinc}",
    r"\boxed{tin}", r"\boxed{}", r"\boxed{iron}", r"\boxed{zinc} \boxed{iron}", r"\boxed{B metal}",
    r"\boxed{zinc or iron}", r"\boxed{zinc and iron}", r"\boxed{zinc, iron}", r"\boxed{zinc iron}",
    r"\boxed{iron, zinc}", r"\boxed{iron zinc}", r"\boxed{iron or zinc}", r"\boxed{zinc not iron}",
    r"\boxed{zinc, not iron}", r"\boxed{zinc, vitamin C}", r"\boxed{not lead but zinc}",
    r"\boxed{iron zinc vitamin C not lead}", r"\boxed{\text{zinc} \text{iron}}",
    r"\boxed{zinc\text{ or }iron}", r"\boxed{either zinc or iron}",
    r"\boxed{\text{iron}/\text{zinc}}",
    r"\boxed{not zinc}", r"\boxed{Not zinc}", r"\boxed{\text{not }zinc}", r"\boxed{not the zinc}",
    r"\boxed{no zinc}", r"\boxed{never zinc}", r"\boxed{neither zinc}", r"\boxed{It isn't zinc}",
    r"\boxed{It isn’t zinc}", r"\boxed{It can't be zinc}", r"\boxed{all except zinc}",
    r"\boxed{wrong: zinc}", r"\boxed{zinc is wrong}", r"\boxed{zinc isn't it}",
    r"\boxed{zinc is not right}", r"\boxed{zinc is not tin}", r"\boxed{zinc? No}",
    r"\boxed{zinc: false}", r"\boxed{zinc is incorrect}", r"\boxed{zinc, never}",
    r"\boxed{A: zinc}", r"\boxed{A) zinc}", r"<think>\boxed{zinc}</think>", r"<think>\boxed{zinc}",
]  # fmt: skip

# `Answer:` and a letter, for both modes of answer lines.

ANSWER_LETTER = [
    "Answer: B", "Answer:B", "Answer : B", "answer: B", "ANSWER: B", "Answer: b", "answer: b",
    "Answer:  B ", "Answer:\tB", "Answer:\u00a0B", "Answer:\u202fB", "Answer：B", "Answer: B\n",
    "Answer: B\n\n", "Answer:\nB", "Answer:\n\nB", "Answer: B.", "Answer: B!", "Answer: B,",
    "Answer: B)", "Answer: (B)", "Answer: (b)", "Answer: (B).", "Answer: [B]", "Answer: {B}",
    "Answer: <B>", 'Answer: "B"', "Answer: 'B'", "Answer: “B”.", "Answer: `B`", "Answer: *B*",
    "Answer: **B**", "Answer: **B.**", "Answer: **(B)**", "Answer: __B__", "**Answer: B**",
    "**Answer:** B", "**Answer**: B", "**Answer:** **B**", "**Answer: (B)**", "*Answer:* B",
    "__Answer__: B", "**Answer:**\nB", "### Answer: B", "> Answer: B", "- Answer: B",
    "Final answer: B", "Final Answer: (B)", "**Final Answer:** B", "My answer: B",
    "The right answer: B", "Answer: $B$", r"Answer: \(B\)", r"Answer: \[B\]", r"Answer: $\text{B}$",
    r"Answer: \boxed{B}", r"Answer: $\boxed{B}$", r"Answer: \boxed {B}.", r"**Answer: \boxed{B}**",
    r"Answer: \boxed{\text{B}}", r"Answer: \text{B}", r"Answer: \textbf{(B)}",
    r"Answer: \mathrm{B}",
    r"Answer: \mbox{B}", r"Answer: {\rm B}", "Answer: option B", "Answer: Option (B)",
    "Answer: the letter B", "Answer: B\nI am sure.", "It is zinc.\nAnswer: B",
    'I end with "Answer: A".\nAnswer: B', "Answer:\nAnswer: B", '"Answer: B"', "`Answer: B`",
    'I was told to say "Answer: A", so: Answer: B', "I used <think> tags. Answer: B",
    "<think>Answer: A</think>Answer: B", "Answer: ?\nAnswer: B",
]  # fmt: skip
ANSWER_LETTER_AND_TEXT = [
    "Answer: B) zinc", "Answer: b) zinc", "Answer: (B) zinc", "Answer: B. zinc", "Answer: B - zinc",
    "Answer: B – zinc", "Answer: B zinc", "Answer: B, zinc", "Answer: B (zinc)", "Answer: [B] zinc",
    "Answer: **B** zinc", "Answer: **B)** Zinc.", "Answer: **(B) zinc**", "**Answer: B) zinc**",
    r"Answer: \boxed{B) zinc}", r"Answer: \boxed{B} zinc", r"Answer: $B$ (zinc)",
    r"Answer: \textbf{B.} \text{zinc}", "Answer: option B) zinc", 'Answer: B) "zinc"',
]  # fmt: skip
NO_ANSWER_LETTER = [
    "B", "(B)", r"\boxed{B}", "Answer B", "The answer is B", "Answer", "Answer:", "Answer: ?",
    "Answers: B", "Solution: B", "Answer - B", "Answer; B", "Answer: ", "Answer: F", "Answer: Z",
    "Answer: Ｅ", "Answer: AB", "Answer: BA", "Answer: BB", "Answer: B2", "Answer: 2B", "Answer: 2",
    "Answer: Bee", "Answer: because", "Answer: Bélgica", "Answer: β", "Answer: В", "Answer: B-12",
    "Answer: B-cell", "Answer: A", "Answer: a", "Answer: (A)", r"Answer: \boxed{A}",
    "Answer: A or B", "Answer: B or A", "Answer: a or b", "Answer: A, or B", "Answer: (A) or (B)",
    "Answer: **A** or **B**", "Answer: A and B", "Answer: both A and B", "Answer: either A or B",
    "Answer: A/B", "Answer: B/A", "Answer: B/B/A", "Answer: A|B", "Answer: A & B", "Answer: A + B",
    "Answer: A, B", "Answer: B, A", "Answer: A; B", "Answer: A B", "Answer: (A)(B)",
    "Answer: A.B.C", "Answer: B. A.", "Answer: B) A)", "Answer: A-B", "Answer: A–D",
    r"Answer: \boxed{A} \boxed{B}", r"Answer: \boxed{A, B}", r"Answer: $A$ or $B$",
    "Answer: B) iron or A) zinc", "Answer: B: zinc, A: iron", "Answer: (B) zinc, (A) iron",
    "Answer: A) iron or B) zinc", "Answer: B or C or D",
    "Answer: not B", "Answer: Not B", "Answer: not (B)", "Answer: not option B", "Answer: never B",
    "Answer: rule out B", "Answer: I reject option B", "Answer: eliminate the letter B",
    "Answer: anything but B", "Answer: all except B", "Answer: It can't be B",
    "Answer: I do not think it is B", "Answer: A rather than B", "Answer: A, not B",
    "Answer: neither A nor B", "Answer: B is wrong", "Answer: B is not right", "Answer: B isn't it",
    "Answer: B: wrong", "Answer: B, wrong.", "Answer: B can be ruled out; A",
    "Answer: B can't be", "Answer: not **B**", "Answer: **not** B", "Answer: never `B`",
    "Answer: **A** **B**",
    "<think>Answer: B</think>", "<think>Answer: B", "<think>Answer: B</think>Answer: A",
]  # fmt: skip

# Texts that only one of these two modes accepts.

FIRST_ANSWER = [
    "Answer: zinc", "Answer: Zinc", "Answer: ZINC", "Answer: Zinc.", "Answer: zinc!",
    "Answer: the zinc", 'Answer: "zinc"', "Answer: **zinc**", "Answer: **Zinc.**",
    "**Answer: zinc**",
    "Answer: `zinc`", "Answer: (zinc)", "Answer:\nzinc", r"Answer: \text{zinc}",
    r"Answer: \boxed{zinc}", r"Answer: $\boxed{\text{zinc}}$", "Answer: B\nAnswer: A",
    "Answer: B. Answer: A",
]  # fmt: skip
NO_FIRST_ANSWER = [
    "Answer: A\nAnswer: B", "Answer: A. Answer: B", "Answer: unclear\nAnswer: B",
    "Answer: zinc or iron", "Answer: zinc, iron", "Answer: not zinc", "Answer: zinc is wrong",
    "Answer: the zinc one", "Answer: it is zinc", "Answer: tin", "Answer: zincs", "Answer: z",
    "Answer: B iron", "Answer: A) zinc", "Answer: B) iron", "Answer: B because it fits",
    "Answer: B: zinc",  # a second colon, as NeMo Gym has it
    "Answer: I think B", "Answer: it is B", "zinc", r"\boxed{zinc}",
]  # fmt: skip
LAST_ANSWER = [
    "Answer: A\nAnswer: B", "Answer: A. Answer: B", "Answer: B\nAnswer: unclear",
    "Answer: B\nAnswer: A or B", "Answer: B\nAnswer: not A", "Answer: B\nAnswer: F",
    'Answer: B\nI ended with "Answer: A".', "Answer: B: zinc", "Answer: B: iron",
    "Answer: B because it fits", "Answer: B, since the rest are wrong", "Answer: B is right",
    "Answer: it is B", "Answer: It is B, not A", "Answer: not A but B", "Answer: A is wrong, so B",
    "Answer: I think B", "Answer: I'd say B", "Answer: I think it is (B).", "Answer: a metal: B",
    "Answer: A metal, namely B", "Answer: B, a metal", "Answer: B (A is wrong)",
    "Answer: B (unlike A)",
    "Answer: B rather than A", "Answer: B) the vitamin C one", "Answer: B. Zinc beats vitamin C",
    "Answer: the one with the letter B", "Answer: ب", "Answer: ব", "Answer: Ｂ", "Answer: (ب)",
    "Answer: B — iron or lead rust", "Answer: B, as A and C are no metals", "Answer: B) not lead",
    "Answer: the wrong statement is B", "Answer: no doubt B", "Answer: wrong: A, right: B",
    "Answer: B; A is wrong", "Answer: without a doubt (B)", "Answer: the false one is B",
    "Answer: I doubt A, so B", "Answer: B. I have no doubt.", "Answer: hardly A but B",
    "Answer: B, otherwise iron would not rust",
]  # fmt: skip
NO_LAST_ANSWER = [
    r"Answer: B \lor A", r"Answer: $B \vee A$", r"Answer: A \wedge B", r"Answer: B \cup A",
    r"Answer: B \to A", "Answer: B = A", "Answer: B ∨ A", "Answer: B → A", "Answer: B oder A",
    "Answer: B ou A", "Answer: B or iron", "Answer: iron or B", r"Answer: B \lor iron",
    "Answer: the letter after B", "Answer: B: maybe A", "Answer: the one before B",
    "Answer: the option above B", "Answer: next to B", "Answer: the opposite of B",
    "Answer: the option right after option B", "Answer: unlike B",
    "Answer: B\nAnswer: A", "Answer: B. Answer: A", "Answer: zinc", "Answer: vitamin C",
    "Answer: A metal", "Answer: a metal", "Answer: A good case can be made", "Answer: I",
    "Answer: I'm",
    "Answer: it is A or B", "Answer: it is B, and maybe C", "Answer: the letters A and B",
    "Answer: بيت", "Answer: F, or B",
    "Answer: Wrong: [B]", "Answer: wrong: B", "Answer: I doubt that it is [B]", "Answer: I doubt B",
    "Answer: a common wrong answer is [B]", "Answer: [B] otherwise [A]", "Answer: B otherwise A",
    "Answer: A otherwise B", "Answer: A, else B", "Answer: B unless A", "Answer: A unless it is B",
    "Answer: Incorrect: **B**", "Answer: unlikely B", "Answer: it is hardly B",
    "Answer: nobody would say B", "Answer: far from B", r"Answer: \boxed{A} otherwise \boxed{B}",
]  # fmt: skip


@pytest.mark.parametrize("mode", [STRICT, BOXED])
@in_one_test("text", BOXED_LETTER + BOXED_LETTER_AND_TEXT + AROUND_A_BOX + AROUND_THE_RIGHT_BOX)
def test_letter_in_a_box_is_chosen(text: str, mode: Any) -> None:
    assert chosen(text, mode) == "B"


@pytest.mark.parametrize("mode", [STRICT, BOXED])
@in_one_test("text", NO_BOXED_LETTER + AROUND_NO_BOX)
def test_look_alike_of_a_boxed_letter_is_not_chosen(text: str, mode: Any) -> None:
    assert chosen(text, mode) != "B"


@in_one_test("text", BOXED_TEXT)
def test_option_text_in_a_box_is_chosen_in_the_lenient_mode_only(text: str) -> None:
    assert chosen(text, BOXED) == "B"
    assert chosen(text, STRICT) == ""


@in_one_test("text", NO_BOXED_TEXT)
def test_look_alike_of_a_boxed_option_is_not_chosen(text: str) -> None:
    assert chosen(text, BOXED) != "B"


@pytest.mark.parametrize("mode", [COLON, LAST])
@in_one_test("text", ANSWER_LETTER + ANSWER_LETTER_AND_TEXT)
def test_letter_behind_answer_is_chosen(text: str, mode: Any) -> None:
    assert chosen(text, mode) == "B"


@pytest.mark.parametrize("mode", [COLON, LAST])
@in_one_test("text", NO_ANSWER_LETTER)
def test_look_alike_of_an_answered_letter_is_not_chosen(text: str, mode: Any) -> None:
    assert chosen(text, mode) != "B"


@pytest.mark.parametrize("text", FIRST_ANSWER)
def test_first_answer_line_is_chosen(text: str) -> None:
    assert chosen(text, COLON) == "B"


@pytest.mark.parametrize("text", NO_FIRST_ANSWER)
def test_text_that_the_first_answer_line_mode_rejects(text: str) -> None:
    assert chosen(text, COLON) != "B"


@in_one_test("text", LAST_ANSWER)
def test_last_answer_line_is_chosen(text: str) -> None:
    assert chosen(text, LAST) == "B"


@in_one_test("text", NO_LAST_ANSWER)
def test_text_that_the_last_answer_line_mode_rejects(text: str) -> None:
    assert chosen(text, LAST) != "B"


# Options that differ little.

NUMBERS = {"A": "2", "B": "12", "C": "-12", "D": "12%"}
LETTERS = {"A": "B", "B": "A", "C": "c", "D": "A or B"}
CASES = {"A": "CO", "B": "Co", "C": "Zinc", "D": "zinc", "E": "ZINC."}
SAME = {"A": "zinc", "B": "zinc", "C": "tin"}


@in_one_test(
    ("options", "box", "letter"),
    [
        (NUMBERS, "12", "B"),
        (NUMBERS, " 12.", "B"),
        (NUMBERS, "x = 12", "B"),
        (NUMBERS, "2", "A"),
        (NUMBERS, "-12", "C"),
        (NUMBERS, "x = -12", "C"),
        (NUMBERS, "12%", "D"),
        (NUMBERS, r"12\%", "D"),
        (NUMBERS, "112", ""),
        (NUMBERS, "12!", ""),
        (NUMBERS, "2!", ""),
        (NUMBERS, "2^{12}", ""),
        (NUMBERS, r"\sqrt{12}", ""),
        (NUMBERS, "f(12)", ""),
        (NUMBERS, "12/2", ""),
        (NUMBERS, "2.5", ""),
        (NUMBERS, "0.12", ""),
        (NUMBERS, "1,12", ""),
        (NUMBERS, "12:30", ""),
        (NUMBERS, "$12", ""),
        (NUMBERS, "2 or 12", ""),
        (NUMBERS, "12°", ""),
        (LETTERS, "B", "B"),
        (LETTERS, "C", "C"),
        (LETTERS, "A or B", "D"),
        (LETTERS, "D: A or B", "D"),
        (CASES, "CO", "A"),
        (CASES, "Co", "B"),
        (CASES, "co", ""),
        (CASES, "zinc", "D"),
        (CASES, "zInc", ""),
        (SAME, "zinc", ""),
        (SAME, "tin", "C"),
        (SAME, "B", "B"),
    ],
)
def test_options_that_differ_little_are_not_confused(options: Any, box: str, letter: str) -> None:
    assert choice(f"\\boxed{{{box}}}", options, BOXED) == letter


BOTH = {"A": "iron", "B": "zinc", "C": "Neither A nor B", "D": "Both A and B", "E": "Not iron"}


@pytest.mark.parametrize(
    ("text", "letter"),
    [("D", "D"), ("D: Both A and B", "D"), ("D) Both A and B", "D"), ("(D) both A and B.", "D"),
     ("D (Both A and B)", "D"), ("C. Neither A nor B", "C"), ("E) Not iron", "E")],
)  # fmt: skip
@pytest.mark.parametrize("mode", GRADING_MODES)
def test_option_whose_text_names_other_letters_is_chosen(text: str, letter: str, mode: Any) -> None:
    if mode is COLON and ":" in text:
        letter = ""
    said = f"\\boxed{{{text}}}" if mode in (STRICT, BOXED) else f"Answer: {text}"
    assert choice(said, BOTH, mode) == letter


@pytest.mark.parametrize("option", ["vitamin C", "E. coli", "B-cell", "A metal", "type I"])
def test_option_text_that_looks_like_a_letter_is_not_one(option: str) -> None:
    options = dict.fromkeys("ABCEI", "?") | {"D": option}
    assert choice(f"\\boxed{{{option}}}", options, STRICT) == ""
    assert choice(f"\\boxed{{{option}}}", options, BOXED) == "D"
    assert choice(f"Answer: {option}", options, COLON) == "D"
    assert choice(f"Answer: {option}", options, LAST) == ""


# Texts that do not commit to an answer.

HEDGES = [
    "A, B, C, D", "A or B or C or D", "A/B/C/D", "A B C D", "A) B) C) D)", "{A} {B} {C} {D}",
    "{A}, {B}, {C} or {D}", "A: {A}, B: {B}, C: {C}, D: {D}", "{question}", "all of them", "not A",
    "(A) {A} or (B) {B}", "neither A nor B",
]  # fmt: skip


@cache
def quizzes() -> list[Any]:
    env = MCQA()
    return [env.get_task(index) for index in range(150)]


@pytest.mark.parametrize("mode", GRADING_MODES)
@pytest.mark.parametrize("hedge", HEDGES)
def test_hedge_scores_less_than_a_guess(hedge: str, mode: Any) -> None:
    right = 0
    for task in quizzes():
        text = hedge.format(**task.options, question=task.row["question"])
        said = f"\\boxed{{{text}}}" if mode in (STRICT, BOXED) else f"Answer: {text}"
        right += choice(said, task.options, mode) == task.answer
    assert right <= 150 / 10
