"""`textgym/MCQA-v0`: rows and their errors, examples, grading modes and the generator."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import gymnasium
import pytest

from textgym.envs.mcqa import MCQA
from textgym.envs.mcqa.families import FAMILIES, LEVELS
from textgym.errors import OracleError, RowError, UnknownNameError, UsageError
from textgym.messages import user
from textgym.tasks.task import split_of
from textgym.verifiers.choices import GRADING_MODES

ROW = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
NEMO = {
    "options": [{"A": "neon"}, {"B": "zinc"}],
    "expected_answer": "B",
    "responses_create_params": {"input": [{"role": "user", "content": "Which is a metal?"}]},
}
BOX_RULE = "Put the letter of the right option in \\boxed{}."
LINE_RULE = 'End with a line that says "Answer: " and the letter of the right option.'


def begun(row: dict[str, Any], **kwargs: Any) -> tuple[MCQA, list[Any]]:
    """Begin an episode with a row; return the environment and the prompt."""
    env = MCQA(**kwargs)
    observation, _ = env.reset(options={"task": row})
    return env, observation


def reward_of(row: dict[str, Any], text: str, **kwargs: Any) -> float:
    """Answer a row."""
    return begun(row, **kwargs)[0].step(text)[1]


def nemo(given: Any, **more: Any) -> dict[str, Any]:
    """Make a NeMo Gym row with this input."""
    return {**NEMO, "responses_create_params": {"input": given}, **more}


# Rows.


def test_prompt_of_a_flat_row() -> None:
    assert begun(ROW)[1] == [user(f"Which is a metal?\n\nA: neon\nB: zinc\n\n{BOX_RULE}")]


@pytest.mark.parametrize(("text", "reward"), [("\\boxed{B}", 1.0), ("\\boxed{A}", 0.0), ("", 0.0)])
def test_reward(text: str, reward: float) -> None:
    assert reward_of(ROW, text) == reward


@pytest.mark.parametrize(
    ("text", "components", "answer"),
    [
        ("\\boxed{B}", {"correct": 1.0, "answered": 1.0}, "B"),
        ("\\boxed{A}", {"correct": 0.0, "answered": 1.0}, "A"),
        ("B", {"correct": 0.0, "answered": 0.0}, ""),
    ],
    ids=["right", "wrong", "none"],
)
def test_components(text: str, components: dict[str, float], answer: str) -> None:
    info = begun(ROW)[0].step(text)[4]
    assert (info["reward_components"], info["extracted_answer"]) == (components, answer)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"options": [{"A": "neon"}, {"B": "zinc"}]}, id="list of options"),
        pytest.param({"options": {"a": "neon", "b": "zinc"}}, id="small letters"),
        pytest.param({"options": {"A": "neon", "B": "zinc", "C": None}}, id="null option"),
        pytest.param({"answer": " b "}, id="answer in lower case"),
        pytest.param({"answer": None, "expected_answer": "B"}, id="expected_answer"),
        pytest.param({"answer": None, "metadata": {"expected_answer": "B"}}, id="in metadata"),
        pytest.param({"options": None, "metadata": {"options": {"A": "neon", "B": "zinc"}}},
                     id="options in metadata"),
        pytest.param({"grading_mode": ""}, id="empty mode"),
        pytest.param({"template_metadata": {}}, id="empty template_metadata"),
        pytest.param({"template_metadata": {"output_regex": []}}, id="no regex"),
    ],
)  # fmt: skip
def test_row_forms_that_mean_the_same(change: dict[str, Any]) -> None:
    env, prompt = begun({**ROW, **change})
    assert prompt == begun(ROW)[1]
    assert env.step("\\boxed{B}")[1] == 1.0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"question": None}, "question", id="null question"),
        pytest.param({"question": "  "}, "question", id="blank question"),
        pytest.param({"question": 5}, "question", id="question a number"),
        pytest.param({"options": None}, "options", id="null options"),
        pytest.param({"options": {}}, "options", id="no options"),
        pytest.param({"options": []}, "options", id="empty list"),
        pytest.param({"options": "A: neon"}, "options", id="options a text"),
        pytest.param({"options": ["neon", "zinc"]}, "options", id="list of texts"),
        pytest.param({"options": {"B": "zinc"}}, "options", id="one option"),
        pytest.param({"options": {"A": None, "B": "zinc"}}, "options", id="one and a null"),
        pytest.param({"options": {"A": "neon", "BB": "zinc"}}, "options.BB", id="two letters"),
        pytest.param({"options": {"A": "neon", "1": "zinc"}}, "options.1", id="digit"),
        pytest.param({"options": {"A": "neon", "É": "zinc"}}, "options.É", id="accent"),
        pytest.param({"options": {"A": "neon", "ß": "zinc"}}, "options.ß", id="sharp s"),
        pytest.param({"options": {"A": "neon", "": "zinc"}}, "options.", id="empty letter"),
        pytest.param({"options": {"A": "neon", "B": 5}}, "options.B", id="option a number"),
        pytest.param({"options": {"A": "neon", "a": "zinc"}}, "options.a", id="letter twice"),
        pytest.param({"options": [{"A": "x"}, {"A": "y"}]}, "options.A", id="twice in a list"),
        pytest.param({"answer": None}, "answer", id="null answer"),
        pytest.param({"answer": ""}, "answer", id="empty answer"),
        pytest.param({"answer": "C"}, "answer", id="no option"),
        pytest.param({"answer": "zinc"}, "answer", id="an option's text"),
        pytest.param({"answer": 1}, "answer", id="answer a number"),
        pytest.param({"answer": ["B"]}, "answer", id="answer a list"),
        pytest.param({"answer": None, "expected_answer": "C"}, "expected_answer", id="expected"),
        pytest.param({"grading_mode": "loose"}, "grading_mode", id="mode"),
        pytest.param({"grading_mode": ["lenient_boxed"]}, "grading_mode", id="mode a list"),
        pytest.param({"template_metadata": {"output_regex": 5}},
                     "template_metadata.output_regex", id="regex a number"),
        pytest.param({"template_metadata": {"output_regex": ["(.)", None]}},
                     "template_metadata.output_regex", id="regex a null"),
        pytest.param({"responses_create_params": {}}, "responses_create_params.input", id="nemo"),
    ],
)  # fmt: skip
def test_row_error_names_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        begun({**ROW, **change})
    assert caught.value.field == field


def test_26_options() -> None:
    letters = [chr(65 + i) for i in range(26)]
    row = {"question": "?", "options": {letter: f"x{letter}" for letter in letters}, "answer": "Z"}
    assert reward_of(row, "\\boxed{Z}") == 1.0


def test_row_is_not_changed() -> None:
    row = {**ROW, "options": dict(ROW["options"])}  # type: ignore[call-overload]
    begun(row, shots=1)[0].step("\\boxed{B}")
    assert row == ROW


def test_regex_without_options() -> None:
    row = {"question": "?", "answer": "C", "template_metadata": {"output_regex": "pick (.)"}}
    assert reward_of(row, "pick c") == 1.0
    assert reward_of(row, "\\boxed{C}") == 0.0


def test_regex_comes_before_the_mode() -> None:
    row = {**ROW, "template_metadata": {"output_regex": ["(", "pick (.)"]}}
    assert reward_of(row, "\\boxed{B} pick A") == 0.0
    assert reward_of(row, "\\boxed{B}") == 1.0


def test_oracle_that_no_regex_lets_speak() -> None:
    row = {"question": "?", "answer": "C", "template_metadata": {"output_regex": "pick (.)"}}
    with pytest.raises(OracleError, match="output_regex"):
        begun(row)[0].solve()


def test_nemo_prompt_stays_as_it_is() -> None:
    env, prompt = begun(NEMO)
    assert prompt == [user("Which is a metal?")]
    assert env.step("\\boxed{B}")[1] == 1.0


# Grading modes.

ANSWERS = {
    "strict_single_letter_boxed": "\\boxed{B}",
    "lenient_boxed": "\\boxed{zinc}",
    "lenient_answer_colon": "Answer: zinc",
    "lenient_answer_colon_md": "Answer: B, I say",
}
REFUSED = {
    "strict_single_letter_boxed": "\\boxed{zinc}",
    "lenient_boxed": "Answer: B",
    "lenient_answer_colon": "Answer: B, I say",
    "lenient_answer_colon_md": "\\boxed{B}",
}


@pytest.mark.parametrize("mode", GRADING_MODES)
@pytest.mark.parametrize("by_row", [True, False], ids=["row", "keyword"])
def test_mode_is_followed(mode: Any, by_row: bool) -> None:
    row = {**ROW, "grading_mode": mode} if by_row else ROW
    kwargs = {} if by_row else {"grading_mode": mode}
    assert reward_of(row, ANSWERS[mode], **kwargs) == 1.0
    assert reward_of(row, REFUSED[mode], **kwargs) == 0.0


@pytest.mark.parametrize("mode", GRADING_MODES)
def test_keyword_wins_over_the_row(mode: Any) -> None:
    other = GRADING_MODES[GRADING_MODES.index(mode) - 2]
    row = {**ROW, "grading_mode": other}
    assert reward_of(row, ANSWERS[mode], grading_mode=mode) == 1.0
    assert reward_of(row, ANSWERS[other], grading_mode=mode) == 0.0


@pytest.mark.parametrize(
    ("mode", "rule"),
    list(zip(GRADING_MODES, [BOX_RULE, BOX_RULE, LINE_RULE, LINE_RULE], strict=True)),
    ids=GRADING_MODES,
)
def test_prompt_asks_for_the_form_of_its_mode(mode: Any, rule: str) -> None:
    assert begun(ROW, grading_mode=mode)[1][0]["content"].endswith(f"\n\n{rule}")


@pytest.mark.parametrize("mode", GRADING_MODES)
def test_oracle_and_guess_speak_the_mode(mode: Any) -> None:
    env = MCQA(grading_mode=mode)
    letters = set()
    for index in range(30):
        env.reset(options={"index": index})
        guess = env.guess(random.Random(index))
        assert env.step(env.solve())[1] == 1.0
        env.reset(options={"index": index})
        letters.add(env.step(guess)[4]["extracted_answer"])
    assert letters == set("ABCD")


@pytest.mark.parametrize(
    ("kwargs", "error"),
    [
        pytest.param({"grading_mode": "loose"}, UnknownNameError, id="mode"),
        pytest.param({"grading_mode": ["lenient_boxed"]}, UnknownNameError, id="mode a list"),
        pytest.param({"grading_mode": ""}, UnknownNameError, id="empty mode"),
        pytest.param({"shots": -1}, UsageError, id="negative shots"),
        pytest.param({"shots": "2"}, UsageError, id="shots a text"),
        pytest.param({"shots": 1.5}, UsageError, id="half a shot"),
        pytest.param({"shots": None}, UsageError, id="null shots"),
        pytest.param({"level": 6}, UnknownNameError, id="level"),
    ],
)
def test_wrong_argument(kwargs: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(kwargs))):
        MCQA(**kwargs)


def test_misspelt_mode_is_answered_with_the_right_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lenient_boxed'"):
        MCQA(grading_mode="lenient_box")  # type: ignore[arg-type]


# Examples.


@pytest.mark.parametrize("shots", [0, 1, 4])
def test_shots_are_turns_before_the_question(shots: int) -> None:
    prompt = begun(ROW, shots=shots)[1]
    assert [item["role"] for item in prompt] == ["user", "assistant"] * shots + ["user"]
    assert prompt[-1] == begun(ROW)[1][0]


@pytest.mark.parametrize(
    ("mode", "start"),
    list(zip(GRADING_MODES, ["\\boxed{", "\\boxed{", "Answer: ", "Answer: "], strict=True)),
    ids=GRADING_MODES,
)
def test_shots_have_the_form_of_the_mode(mode: Any, start: str) -> None:
    for row, kwargs in ((ROW, {"grading_mode": mode}), ({**ROW, "grading_mode": mode}, {})):
        prompt = begun(row, shots=3, **kwargs)[1]
        assert all(item["content"].startswith(start) for item in prompt[1:-1:2])
        rules = {item["content"].rsplit("\n\n", 1)[1] for item in prompt[::2]}
        assert len(rules) == 1


def test_shots_are_right() -> None:
    prompt = begun(ROW, shots=20)[1]
    for asked, answered in zip(prompt[:-1:2], prompt[1::2], strict=True):
        question, listed, _ = asked["content"].rsplit("\n\n", 2)
        options = dict(line.split(": ", 1) for line in listed.split("\n"))
        letters = [
            letter
            for letter in options
            if reward_of({"question": question, "options": options, "answer": letter},
                         answered["content"])
        ]  # fmt: skip
        assert f"\\boxed{{{letters[0]}}}" == answered["content"]


def test_shots_are_the_same_for_every_task_and_process() -> None:
    env, other = MCQA(shots=3), MCQA(shots=3, split="test")
    prompts = [env.reset(seed=1)[0], env.reset(seed=2)[0], other.reset(seed=1)[0]]
    assert prompts[0][:-1] == prompts[1][:-1] == prompts[2][:-1]


def test_shots_are_of_the_level() -> None:
    assert begun(ROW, shots=3, level=1)[1] != begun(ROW, shots=3, level=5)[1]
    shots = begun(ROW, shots=3, level=0)[1][:-1:2]
    assert all(shot["content"].startswith("Which option is the word ") for shot in shots)


def test_shots_are_of_the_train_split() -> None:
    train, env = MCQA(split="train"), MCQA(split="test", shots=50)
    prompt = env.reset(options={"task": ROW})[0]
    rows = env._example_rows
    assert {split_of(train.canonical(row)) for row in rows} == {"train"}
    asked = [str(message["content"]).rsplit("\n\n", 2)[0] for message in prompt[:-1:2]]
    assert asked == [row["question"] for row in rows]


@pytest.mark.parametrize("shots", [1, 3])
def test_question_is_not_among_its_examples(shots: int) -> None:
    asked = begun(ROW, shots=shots)[1][0]["content"].rsplit("\n\n", 2)[0]
    prompt = begun({**ROW, "question": f" {asked.upper()}"}, shots=shots)[1]
    assert len(prompt) == 2 * shots + 1
    assert not any(asked in item["content"] for item in prompt[:-1])


def test_question_of_a_nemo_row_is_not_among_its_examples() -> None:
    example = begun(ROW, shots=2)[1][0]
    prompt = begun(nemo([example]), shots=2)[1]
    assert len(prompt) == 5
    assert prompt.count(example) == 1


def test_question_that_occurs_twice_among_the_examples() -> None:
    questions = Counter(
        item["content"].rsplit("\n\n", 2)[0] for item in begun(ROW, shots=300, level=1)[1][:-1:2]
    )
    twice, count = questions.most_common(1)[0]
    assert count > 1, "the case does not occur any more: take more shots"
    prompt = begun({**ROW, "question": twice}, shots=300, level=1)[1]
    assert len(prompt) == 601


SYSTEM, DEVELOPER = ({"role": role, "content": "Be brief."} for role in ("system", "developer"))
ASKED = user("Which is a metal?")


@pytest.mark.parametrize(
    ("given", "roles"),
    [
        pytest.param("Which?", ["user"], id="text"),
        pytest.param([SYSTEM, ASKED], ["system", "user"], id="system"),
        pytest.param([DEVELOPER, ASKED], ["developer", "user"], id="developer"),
        pytest.param([SYSTEM], ["system"], id="only system"),
    ],
)
def test_shots_leave_the_system_message_in_front(given: Any, roles: list[str]) -> None:
    prompt = begun(nemo(given), shots=2)[1]
    leading = [role for role in roles if role != "user"]
    asked = roles[len(leading) :]
    shown = [item["role"] for item in prompt]
    assert shown == [*leading, "user", "assistant", "user", "assistant", *asked]


# The generator.


def test_generated_rows_have_four_options_one_of_them_right() -> None:
    env = MCQA()
    for index in range(200):
        row = env.get_task(index).row
        assert list(row["options"]) == list("ABCD")
        assert row["answer"] in row["options"]
        assert len(set(row["options"].values())) == 4


def test_right_answers_place_is_uniform() -> None:
    env = MCQA()
    counts = Counter(env.get_task(index).answer for index in range(4_000))
    chi_square = sum((counts[letter] - 1_000) ** 2 / 1_000 for letter in "ABCD")
    assert chi_square < 16.27, counts  # p = 0.001 with three degrees of freedom


def test_every_family_occurs_at_every_level() -> None:
    env = MCQA()
    seen = {(env.get_task(i).row["category"], env.get_task(i).row["level"]) for i in range(3_000)}
    assert seen == {(family, level) for family in FAMILIES for level in LEVELS}


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("kwargs", [{}, {"level": 3}, {"shots": 2}], ids=str)
def test_prompt_does_not_depend_on_the_answer(split: str, kwargs: dict[str, Any]) -> None:
    env = MCQA(split=split, **kwargs)
    for index in range(50):
        row = dict(env.get_task(index).row)
        prompts = [
            env.reset(options={"task": {**row, "answer": letter}}) for letter in row["options"]
        ]
        assert all(prompt == prompts[0] for prompt in prompts)


def test_prompt_contains_question_and_options_only() -> None:
    env = MCQA()
    for index in range(50):
        observation, _ = env.reset(options={"index": index})
        row = env.task.row
        listed = "\n".join(f"{letter}: {text}" for letter, text in row["options"].items())
        assert observation == [user(f"{row['question']}\n\n{listed}\n\n{BOX_RULE}")]


def test_made_by_its_id() -> None:
    env = gymnasium.make("textgym/MCQA-v0", grading_mode="lenient_boxed", shots=1)
    assert isinstance(env.unwrapped, MCQA)
    assert env.unwrapped.arguments == {"grading_mode": "lenient_boxed", "shots": 1}
