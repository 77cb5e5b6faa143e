"""RedefinedRules: rows, what counts as the answer, and what is drawn."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest

import textgym
from textgym.envs.generation import Unfit
from textgym.envs.redefined_rules import RedefinedRules
from textgym.envs.redefined_rules.answers import written
from textgym.envs.redefined_rules.families import FAMILIES, LEVELS
from textgym.envs.redefined_rules.families.board_games import ending
from textgym.envs.redefined_rules.families.instructions import changed_list
from textgym.envs.redefined_rules.families.puzzle import Puzzle, Rule, answers
from textgym.envs.redefined_rules.families.sorting import sorted_numbers
from textgym.errors import RowError
from textgym.messages import text_of
from textgym.policies.base import Action

QUESTION = "An hour has 40 minutes here. How many minutes are 2 hours and 5 minutes?"
ROW = {"question": QUESTION, "expected_answer": 85, "usual_answer": 125}
LIST = {
    "question": "Sort by the last letter: pear, fig, plum.",
    "expected_answer": ["fig", "plum", "pear"],
    "usual_answer": ["fig", "pear", "plum"],
}
NUMBERS = {"question": "Where do you arrive?", "expected_answer": [-4, 12], "usual_answer": [4, 12]}
DATE = {"question": "Which date is it?", "expected_answer": "May 4", "usual_answer": "May 6"}


def graded(text: str, row: dict[str, Any]) -> dict[str, float]:
    """Return the components of an answer's grade; its reward is `correct`."""
    env = RedefinedRules()
    env.reset(options={"task": row})
    _, reward, terminated, truncated, info = env.step(text)
    assert (terminated, truncated) == (True, False)
    assert reward == info["reward_components"]["correct"]
    return info["reward_components"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (ROW, "Answer: 85"),
        (ROW, "answer: 85."),
        (ROW, "So 2 × 40 + 5 = 85.\n**Answer: 85**"),
        (ROW, "Answer: \\boxed{85}"),
        (ROW, "Answer: 125\nNo, that was a usual hour.\nAnswer: 85"),
        (ROW, "85"),
        (ROW, '"Answer: 85"'),
        (ROW, "<think>Answer: 125</think>Answer: 85"),
        (LIST, "Answer: fig, plum, pear"),
        (LIST, "Answer: [fig, plum, pear]"),
        (LIST, 'Answer: "fig", "plum", "pear"'),
        (LIST, "Answer: Fig,Plum,Pear."),
        (LIST, "Answer: `fig`, `plum`, `pear`"),
        (NUMBERS, "Answer: (-4, 12)"),
        (NUMBERS, "Answer: −4, 12"),
        (DATE, "Answer: may 4"),
        (DATE, "The date is:\nAnswer: May 4.\n\nThat is all."),
    ],
)
def test_forms_of_a_right_answer(row: dict[str, Any], text: str) -> None:
    assert graded(text, row) == {"correct": 1.0, "followed_convention": 0.0}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (ROW, ""),
        (ROW, "Answer:"),
        (ROW, "Answer: 84"),
        (ROW, "Answer: 85 or 125"),
        (ROW, "Answer: 85, 125"),
        (ROW, "Answer: not 85"),
        (ROW, "Answer: 85 hours"),
        (ROW, "Answer: -85"),
        (ROW, "Answer: 85e400"),
        (ROW, "Answer: NaN"),
        (ROW, "Answer: ８５ ８５"),
        (ROW, "Answer: 1" + "0" * 5000),
        (ROW, "Answer: 85\nAnswer: 86"),
        (ROW, "<think>Answer: 85</think>"),
        (ROW, "<think>Answer: 85"),
        (LIST, "Answer: pear, plum, fig"),
        (LIST, "Answer: fig, plum, pear, fig"),
        (LIST, "Answer: fig, plum"),
        (LIST, "Answer: fig plum pear"),
        (LIST, "Answer: fig, , plum, pear"),
        (LIST, "Answer: not fig, plum, pear"),
        (LIST, "Answer: fig, plum or pear, pear"),
        (LIST, "Answer: [[fig, plum, pear]]"),
        (LIST, "Answer: " + "fig, plum, pear, " * 1000),
        (NUMBERS, "Answer: 12, -4"),
        (NUMBERS, "Answer: -4"),
        (NUMBERS, "Answer: -4, 12, 0"),
        (DATE, "Answer: May 4 or 6"),
        (DATE, "Answer: May 14"),
        (DATE, "Answer: 4"),
    ],
)
def test_wrong_answers(row: dict[str, Any], text: str) -> None:
    assert graded(text, row) == {"correct": 0.0, "followed_convention": 0.0}


@pytest.mark.parametrize(
    ("row", "text"),
    [(ROW, "Answer: 125"), (LIST, "Answer: fig, pear, plum"), (DATE, "**Answer:** May 6")],
)
def test_the_usual_answer_is_wrong_and_counted(row: dict[str, Any], text: str) -> None:
    assert graded(text, row) == {"correct": 0.0, "followed_convention": 1.0}


def test_a_row_without_a_usual_answer_has_no_such_component() -> None:
    row = {key: value for key, value in ROW.items() if key != "usual_answer"}
    assert graded("Answer: 125", row) == {"correct": 0.0}


def test_a_row_with_nemo_gyms_prompt() -> None:
    env = RedefinedRules()
    row = {
        "responses_create_params": {"input": "Say the opposite of hot."},
        "expected_answer": "hot",
    }
    observation, _ = env.reset(options={"task": row})
    assert observation == [{"role": "user", "content": "Say the opposite of hot."}]
    assert env.step("Answer: hot")[1] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": None}, "'question' must be a string"),
        ({"question": " "}, "'question' must be a string"),
        ({"expected_answer": None}, "'expected_answer' must be a number"),
        ({"expected_answer": True}, "'expected_answer' must be a number"),
        ({"expected_answer": []}, "'expected_answer' must be a number"),
        ({"expected_answer": ["fig", None]}, "'expected_answer' must be a number"),
        ({"expected_answer": [["fig"]]}, "'expected_answer' must be a number"),
        ({"expected_answer": "..."}, "'expected_answer' must be a number"),
        ({"expected_answer": ["a, b", "c"]}, "'expected_answer' must be a list of items without"),
        ({"usual_answer": {}}, "'usual_answer' must be a number"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        RedefinedRules().reset(options={"task": {**ROW, **change}})


@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["Answer: ", "[", "fig, ", "\\boxed{", "1,", "**", '"', "\ud800"])
def test_long_answers_are_data(piece: str, size: int) -> None:
    text = piece * (size // len(piece))
    for row in (ROW, LIST, NUMBERS, DATE):
        assert graded(text, row)["correct"] == 0.0
        assert graded(f"{text}\nAnswer: 125", row)["correct"] == 0.0


def test_a_prompt_is_not_an_answer() -> None:
    env = RedefinedRules()
    for index in range(300):
        observation, _ = env.reset(options={"index": index})
        prompt = observation[-1]["content"]
        assert env.step(str(prompt))[1] == 0.0
        env.reset(options={"index": index})
        assert env.step(f"Answer: {prompt}")[1] == 0.0


@pytest.mark.parametrize(
    "form",
    [
        "{0} or {1}", "{0}, {1}", "{1}, {0}", "{0}/{1}", "{0} ({1})", "{0}-{1}", "{0}\nAnswer: {1}",
        "~~{0}~~ {1}", "{0}<!-- {1} -->", "<answer>{0}</answer><answer>{1}</answer>", "not {0}",
        '{{"answer": "{0}"}}', "{0}, {0}", "{0}; {1}",
    ],
)  # fmt: skip
def test_the_right_answer_beside_another_one_is_wrong(form: str) -> None:
    env = RedefinedRules()
    for index in range(48):
        env.reset(options={"index": index})
        row = env.task.row
        both = written(row["expected_answer"]), written(row["usual_answer"])
        assert env.step(f"Answer: {form.format(*both)}")[1] == 0.0


def test_metrics_report_how_often_the_usual_answer_was_given() -> None:
    class Habit(textgym.Policy):
        """Gives the usual answer of every second task."""

        def for_env(self, env: Any) -> Any:
            other = Habit()
            other.env = env.unwrapped
            return other

        async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
            usual = self.env.task.row["usual_answer"]
            items = usual if isinstance(usual, list) else [usual]
            text = f"Answer: {', '.join(map(str, items))}" if self.env.task_index % 2 else "Hm."
            return Action({"role": "assistant", "content": text})

    run = textgym.rollout("textgym/RedefinedRules-v0", Habit(), episodes=20)
    assert run.metrics["overall"]["components"] == {"correct": 0.0, "followed_convention": 0.5}


# What is drawn.


@pytest.mark.parametrize("n", [400, pytest.param(800, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_every_family_is_drawn_equally_often(level: int, n: int) -> None:
    env = RedefinedRules(level=level)
    counts = Counter(env.get_task(index).row["category"] for index in range(n))
    mean = n / len(FAMILIES)
    assert counts.keys() == FAMILIES.keys()
    assert min(counts.values()) > mean - 4.5 * mean**0.5


def test_level_0_asks_for_the_number_that_the_only_rule_states() -> None:
    env = RedefinedRules(level=0)
    for index in range(300):
        observation, _ = env.reset(options={"index": index})
        rule, question, form = text_of(observation[0]).split("\n\n")
        stated = re.fullmatch(r"Here (an? \w+) has (\d+) (\w+)\.", rule)
        assert stated
        whole, number, parts = stated.groups()
        assert question == f"How many {parts} does {whole} have?"
        assert form == 'End with a line that says "Answer: " and the number.'
        assert env.step(f"Answer: {number} {parts}")[1] == 1.0
        for wrong in (
            env.task.row["usual_answer"],
            int(number) + 1,
            f"{number}0",
            f"1 or {number}",
        ):
            env.reset(options={"index": index})
            assert env.step(f"Answer: {wrong}")[1] == 0.0


def test_the_wording_does_not_decide_the_split() -> None:
    """Rows that differ in their wording alone have the same content."""
    env, rng = RedefinedRules(), random.Random(5)
    row = env.generate(rng, 1)
    assert env.canonical({**row, "question": "In other words."}) == env.canonical(row)


def drawn(rules: list[Rule], solutions: dict[tuple[str, ...], int]) -> Puzzle:
    """Return a puzzle whose answers depend on the kinds of rules."""
    return Puzzle(rules, "?", [], "it", lambda contents: solutions[tuple(c[0] for c in contents)])


A, B = Rule(("a",), "A."), Rule(("b",), "B.")


def test_a_puzzle_has_answers_where_every_rule_matters() -> None:
    solutions = {("a", "b"): 1, ("a",): 2, ("b",): 3, (): 4}
    assert answers(drawn([A, B], solutions)) == (1, 4)


def test_a_puzzle_with_the_usual_answer_is_drawn_again() -> None:
    with pytest.raises(Unfit):
        answers(drawn([A], {("a",): 4, (): 4}))


def test_a_puzzle_in_which_a_rule_does_not_matter_is_drawn_again() -> None:
    solutions = {("a", "b"): 1, ("a",): 1, ("b",): 3, (): 4}
    with pytest.raises(Unfit):
        answers(drawn([A, B], solutions))


def test_a_rule_that_is_replaced_need_not_matter() -> None:
    solutions = {("a", "b"): 1, ("a",): 2, ("b",): 1, (): 4}
    assert answers(drawn([A._replace(needed=False), B], solutions)) == (1, 4)


def test_a_puzzle_in_which_a_rule_matters_only_against_a_replaced_one_is_drawn_again() -> None:
    solutions = {("a", "b"): 1, ("a",): 2, ("b",): 1, (): 4, ("c", "a", "b"): 1, ("c", "a"): 2}
    solutions |= {("c", "b"): 3}
    replaced = Rule(("c",), "C.", needed=False)
    with pytest.raises(Unfit):
        answers(drawn([replaced, A, B], solutions))
    assert answers(drawn([replaced, A, B], {**solutions, ("b",): 3})) == (1, 4)


def test_numbers_have_no_order_where_counted_and_written_numbers_differ_in_a_tie() -> None:
    rules = [("remainder", 5), ("shift", "even", 34)]
    assert sorted_numbers([16, 25], rules) == []
    assert sorted_numbers([16, 26], rules) == [16, 26]


def test_a_list_has_no_result_where_a_word_is_swapped_with_itself() -> None:
    rules = [("place", "first", "second", "")]
    assert changed_list(["a", "b", "c"], [("swap", "first", "second")], rules) == []
    assert changed_list(["a", "b", "c"], [("swap", "first", "third")], rules) == ["a", "c", "b"]


def test_a_game_has_no_ending_where_a_move_completes_two_lines() -> None:
    moves = ["a1", "e5", "a2", "e1", "b3", "d5", "c3", "d1", "a3"]
    assert ending(moves, ()) == []
    assert ending(moves, [("void", "row 1")]) == ["X", "a3", "b3", "c3"]


def test_a_puzzle_without_an_answer_or_with_a_large_one_is_drawn_again() -> None:
    none: Any = {("a",): [], (): 4}
    with pytest.raises(Unfit):
        answers(drawn([A], none))
    with pytest.raises(Unfit):
        answers(drawn([A], {("a",): 100_000, (): 4}))


def test_guesses_are_well_formed_and_nearly_always_wrong() -> None:
    env, rng = RedefinedRules(), random.Random(2)
    rewards = []
    for index in range(500):
        env.reset(options={"index": index})
        guess = env.guess(rng)
        assert str(guess["content"]).startswith("Answer: ")
        rewards.append(env.step(guess)[1])
    assert sum(rewards) < 10


# Which answer counts: the form that the prompt names, and without it the last one.

BOX = {**ROW, "question": r"How many minutes? Put the number in \boxed{}."}
TAG = {**ROW, "question": "How many minutes? Write <answer>number</answer>."}
LINE = {**ROW, "question": 'How many minutes? End with a line that says "Answer: " and a number.'}
BOTH = {**ROW, "question": r"How many minutes? End with Answer: \boxed{number}."}

NAMED = [  # a row, and what stands for the answer "{a}" beside another one "{b}"
    (LINE, "\\boxed{{{b}}}\nAnswer: {a}"),
    (LINE, "Answer: {a}\n\\boxed{{{b}}}"),
    (LINE, "<answer>{b}</answer>\nAnswer: {a}"),
    (LINE, "Answer: {a}\n<answer>{b}</answer>"),
    (LINE, "Answer: {b}\n\\boxed{{{b}}}\n**Answer: {a}**"),
    (LINE, "\\boxed{{{b}}}\nAnswer: \\boxed{{{a}}}"),
    (LINE, "\\boxed{{{b}}}\nAnswer: <answer>{a}</answer>"),
    (LINE, "$\\boxed{{{b}}}$ is usual.\nAnswer:\n{a}"),
    (BOX, "\\boxed{{{a}}}\nAnswer: {b}"),
    (BOX, "Answer: {b}\n\\boxed{{{a}}}"),
    (BOX, "\\boxed{{{a}}} <answer>{b}</answer>"),
    (BOX, "\\boxed{{{b}}} no, \\boxed{{{a}}}"),
    (TAG, "<answer>{a}</answer>\n\\boxed{{{b}}}"),
    (TAG, "\\boxed{{{b}}} <answer>{a}</answer>\nAnswer: {b}"),
    (TAG, "<answer>\\boxed{{{a}}}</answer> and \\boxed{{{b}}}"),
    (ROW, "\\boxed{{{b}}}\nAnswer: {a}"),
    (ROW, "Answer: {b}\n\\boxed{{{a}}}"),
    (ROW, "Answer: {b}\n<answer>{a}</answer>"),
    (ROW, "<answer>{b}</answer>\n\\boxed{{{a}}}"),
    (ROW, "\\boxed{{{b}}}\n<answer>Answer: {a}</answer>"),
    (BOTH, "\\boxed{{{b}}}\nAnswer: \\boxed{{{a}}}"),
]


@pytest.mark.parametrize(("row", "template"), NAMED)
def test_the_form_that_the_prompt_names_decides(row: dict[str, Any], template: str) -> None:
    assert graded(template.format(a=85, b=125), row) == {"correct": 1, "followed_convention": 0}
    assert graded(template.format(a=125, b=85), row) == {"correct": 0, "followed_convention": 1}


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{85}",
        "<answer>85</answer>",
        "85",
        "So it is\n\\boxed{85}.",
        "\\boxed{7} no, \\boxed{85}",
    ],
)
def test_another_form_counts_where_the_one_of_the_prompt_is_missing(text: str) -> None:
    assert graded(text, LINE)["correct"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Answer: 85 or 125", "Answer: 85, 125", "Answer: not 85", "\\boxed{85}\nAnswer: none",
        "\\boxed{85}\nAnswer: 85 or 125", "Answer: 85\nAnswer: 125", "Answer: 85 \\boxed{125}",
        "<answer>85</answer>\nAnswer: 7", "85\nAnswer: 7", "\\boxed{85}\\boxed{125}",
        "Answer: 125 or \\boxed{85}",
    ],
)  # fmt: skip
def test_no_answer_is_paid_beside_the_stated_one(text: str) -> None:
    assert graded(text, LINE)["correct"] == 0


def test_the_last_line_decides_in_generated_tasks() -> None:
    env = RedefinedRules()
    for index in range(300):
        row = env.get_task(index).row
        right, usual = written(row["expected_answer"]), written(row["usual_answer"])
        for other in (f"\\boxed{{{usual}}}", f"<answer>{usual}</answer>", usual):
            assert graded(f"{other}\nAnswer: {right}", row)["correct"] == 1
        for other in (f"\\boxed{{{right}}}", f"<answer>{right}</answer>", right):
            assert graded(f"{other}\nAnswer: {usual}", row)["correct"] == 0


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ("So the answer is 85.", 1), ("80 and 5 more. So the answer is **85**.", 1),
        ("Therefore, it is 85.", 1), ("**The answer is 85.**", 1), ("It is 85", 1),
        ("It is not 85", 0), ("It is 85 or 125", 0), ("So the answer is not 85.", 0),
        ("So the answer is 85. Or 125.", 0), ("The answer is 85.\nAnswer: 125", 0),
        ("Answer: 125. So the answer is 85.", 0), ("So the answer is 85. So it is 125.", 0),
    ],
)  # fmt: skip
def test_sentence_that_states_the_answer_is_read(text: str, correct: int) -> None:
    assert graded(text, LINE)["correct"] == correct
