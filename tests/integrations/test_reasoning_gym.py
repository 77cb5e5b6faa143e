"""`reasoning-gym/NAME-v0` plays the generators of the real package."""

from __future__ import annotations

import contextlib
import json
import random
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from audit_runs import IN_PROCESS, STARTS_PROCESSES
from tables import in_one_test

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.checks.episodes import play, say
from textgym.errors import (
    EnvironmentFailure,
    ExtraMissingError,
    OracleError,
    RowError,
    SandboxFailure,
    UnknownNameError,
    UsageError,
)
from textgym.integrations.reasoning_gym import GENERATORS, generator_env
from textgym.integrations.reasoning_gym.generator_env import table

reasoning_gym = pytest.importorskip("reasoning_gym")

BY_CATEGORY: dict[str, list[str]] = defaultdict(list)
for _name, _row in table().items():
    if max(_row["milliseconds"]) < 10:
        BY_CATEGORY[_row["category"]].append(_name)
SAMPLE = [name for names in BY_CATEGORY.values() for name in names[:3]]
EVALUATING = (
    "binary_matrix", "countdown", "intermediate_integration", "n_queens",
    "polynomial_multiplication", "puzzle24", "simple_integration", "spiral_matrix",
    "string_insertion",
)  # fmt: skip
"""The generators whose scorers run the text of an answer as code."""


def make(name: str, **kwargs: Any) -> Any:
    return gymnasium.make(f"reasoning-gym/{name}-v0", **kwargs)


def answered(env: Any, text: str, index: int = 0) -> Any:
    """Return the reward and the info of an answer to a task."""
    env.reset(options={"index": index})
    _, reward, _, _, info = env.step(f"<answer>{text}</answer>")
    return reward, info


def test_all_generators_of_the_package_are_registered() -> None:
    known = {*reasoning_gym.factory.DATASETS} - {"composite"}
    assert {*GENERATORS} == known
    assert {*table()} == known
    listed = {id for id in textgym.ids() if id.startswith("reasoning-gym/")}
    assert listed == {f"reasoning-gym/{name}-v0" for name in known}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in SAMPLE)) for n in GENERATORS]
)
def test_every_level_has_tasks_whose_right_answer_earns_1(name: str) -> None:
    for level in textgym.card(f"reasoning-gym/{name}-v0").levels:
        env = make(name, split="validation", level=level)
        observation, info = env.reset(options={"index": 0})
        assert [message["role"] for message in observation] == ["system", "user"]
        assert info["tools"] == []
        if table()[name]["oracle"]:
            for index in range(20):  # a few right answers are wrong, or formulas left unsolved
                env.reset(options={"index": index})
                with contextlib.suppress(OracleError):
                    _, reward, terminated, _, info = env.step(env.unwrapped.solve())
                    assert (reward, terminated) in ((1.0, True), (0.0, True))
                    if info["is_success"]:
                        break
            assert info["is_success"]


def score_of(dataset: Any, text: str, entry: Any) -> float:
    """Return the package's score, 0 if it raises."""
    try:
        return float(dataset.score_answer(text.strip(), entry))
    except (ArithmeticError, TypeError, ValueError):
        return 0.0


@pytest.mark.parametrize("name", SAMPLE)
def test_original_scores_are_those_of_the_package(name: str) -> None:
    env = make(name, split="test", grading="original")
    for index in range(5):
        env.reset(options={"index": index})
        row = env.unwrapped.task.row
        place = generator_env.table()[name]["levels"]
        values = {"size": 1, "seed": row["seed"]}
        if place:
            curriculum = reasoning_gym.factory.create_curriculum(name)
            curriculum.set_global_level(place[row["level"] - 1])
            values = vars(curriculum.generate_configuration(values))
        random.seed(row["seed"])
        dataset = reasoning_gym.create_dataset(name, **values)
        entry = dataset[0]
        assert env.unwrapped.task.messages[-1]["content"] == entry["question"]
        for text in (entry["answer"] or "1", "0", "no", f"{entry['answer']} 7"):
            reward, info = answered(env, text, index)
            assert reward == pytest.approx(score_of(dataset, text, entry))
            assert info["reward_components"]["score"] == reward


@pytest.mark.parametrize("name", EVALUATING)
@pytest.mark.parametrize("grading", ["strict", "original"])
@in_one_test(
    "code",
    [
        '__import__("os").system("touch {path}")',
        "exec(\"open('{path}', 'w')\")",
        "open('{path}', 'w').close()",
        "[open('{path}', 'w')]",
        "(lambda: open('{path}', 'w'))()",
        "x if open('{path}', 'w') else 0",
        "[*map(open, ['{path}'], 'w')]",
        "Lambda(x, open('{path}', 'w'))(1)",
    ],
)
def test_code_in_an_answer_never_runs(name: str, grading: str, code: str, tmp_path: Path) -> None:
    env = make(name, split="test", grading=grading)
    path = tmp_path / "ran"
    reward, info = answered(env, code.format(path=path))
    assert not path.exists()
    assert reward == 0.0
    assert info["reward_components"]["unreadable"] == 1.0


@pytest.mark.parametrize("name", ["countdown", "simple_integration", "coin_flip"])
def test_an_answer_that_would_never_end_earns_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make(name, split="test", grading="original")
    env.reset(options={"index": 0})
    monkeypatch.setattr(generator_env, "_SECONDS", 0.5)
    text = "1e999999999" if name == "coin_flip" else "9**9**9**9"
    _, reward, terminated, _, info = env.step(f"<answer>{text}</answer>")
    assert (reward, terminated) == (0.0, True)
    assert info["reward_components"]["over_limit"] == 1.0


@pytest.mark.parametrize("name", ["prime_factorization", "coin_flip"])
def test_an_answer_on_which_the_scorer_raises_earns_nothing(name: str) -> None:
    reward, info = answered(make(name, split="test"), "1e999")
    assert reward == 0.0
    assert info["reward_components"]["raised"] == 1.0


@pytest.mark.parametrize(
    ("name", "text", "level"),
    [
        ("puzzle24", "6*4*1*1", 7),
        ("puzzle24", "3+7+8+6", 7),
        ("game_of_life_halting", "who knows", 2),
    ],
)
def test_answers_that_the_package_pays_for_nothing_earn_nothing(
    name: str, text: str, level: int
) -> None:
    original = make(name, split="test", level=level, grading="original")
    strict = make(name, split="test", level=level)
    assert [answered(original, text, index)[0] for index in range(4)] == [1.0] * 4
    assert [answered(strict, text, index)[0] for index in range(4)] == [0.0] * 4


@pytest.mark.parametrize(
    ("name", "right", "hedged"),
    [
        ("gsm_symbolic", "5", "5 or 6"),
        ("fraction_simplification", "3/4", "3/4 or 4/5"),
        ("sokoban", "LURD", "LURD or not"),
        ("time_intervals", "00:33", "00:33 or 00:34"),
        ("letter_jumble", "two words", "two words or others"),
    ],
)
def test_the_right_answer_among_others_is_not_right(name: str, right: str, hedged: str) -> None:
    from textgym.integrations.reasoning_gym.strict import strict_score

    entry = {"answer": right, "metadata": {}}
    assert strict_score(name, right, entry, 1.0) == 1.0
    assert strict_score(name, right, entry, 0.5) == 0.0
    assert strict_score(name, hedged, entry, 1.0) == 0.0


def test_a_small_probability_is_not_0() -> None:
    row = {
        "question": "?",
        "answer": "0.00003",
        "metadata": {"rational": {"numerator": 3, "denominator": 100_000}},
    }
    strict, original = make("coin_flip"), make("coin_flip", grading="original")
    for env, text, reward in (
        (strict, "0", 0.0),
        (strict, "0.00003", 1.0),
        (strict, "3/100000", 1.0),
        (original, "0", 1.0),
    ):
        env.reset(options={"task": row})
        assert env.step(f"<answer>{text}</answer>")[1] == reward


@pytest.mark.parametrize("text", ["nan", "NaN", "nan+nanj", "inf", "nanj"])
def test_not_a_number_is_no_answer(text: str) -> None:
    assert answered(make("complex_arithmetic", split="test"), text)[0] == 0.0


def test_an_integral_that_was_not_solved_earns_nothing() -> None:
    row = {
        "question": "Calculate the antiderivative: ∫ 2*x dx",
        "answer": "x**2 + C",
        "metadata": {"integrand": "2*x", "variable": "x"},
    }
    for text, reward in (("x**2 + 5", 1.0), ("x^2", 0.0), ("Integral(2*x, x)", 0.0)):
        for grading in ("strict", "original"):
            env = make("simple_integration", grading=grading)
            env.reset(options={"task": row})
            assert env.step(f"<answer>{text}</answer>")[1] == reward


@pytest.mark.parametrize(
    ("message", "reward"),
    [
        ("<answer>4</answer>", 1.0),
        ("<answer>5</answer> No: <answer> 4 </answer>", 1.0),
        ("<think><answer>4</answer></think>", 0.0),
        ("<think><answer>5</answer></think><answer>4</answer>", 1.0),
        ("4", 0.0),
        ("<answer>4", 0.0),
        ("4</answer>", 0.0),
        ("", 0.0),
        ("<answer></answer>", 0.0),
        ("<answer>" + "4" * 5_000_000 + "</answer>", 0.0),
        ("<answer>4 or 5</answer>", 0.0),
    ],
)
def test_the_last_answer_in_the_tags_counts(message: str, reward: float) -> None:
    env = make("chain_sum")
    env.reset(options={"task": {"question": "2 + 2 =", "answer": "4", "metadata": {}}})
    assert env.step(message)[1] == reward


@pytest.mark.parametrize("message", ["", "no tags", "<answer></answer>"])
def test_the_original_score_of_no_answer_is_the_packages(message: str) -> None:
    env = make("rubiks_cube", split="test", grading="original")
    env.reset(options={"index": 0})
    _, reward, _, _, info = env.step(message)
    dataset = reasoning_gym.create_dataset("rubiks_cube", size=1, seed=1)
    expected = dataset.score_answer("" if "answer" in message else None, dataset[0])
    assert reward == expected
    assert not info["is_success"]
    strict = make("rubiks_cube", split="test")
    strict.reset(options={"index": 0})
    assert strict.step(message)[1] == 0.0


@pytest.mark.parametrize(
    ("message", "reward"),
    [
        ("4", 1.0),
        ("So it is \\boxed{4}.", 1.0),
        ("\\boxed{4} <answer>5</answer>", 0.0),
        ("It is 4.", 0.0),
        ("", 0.0),
    ],
)
def test_a_prompt_without_tags_accepts_other_forms(message: str, reward: float) -> None:
    prompt = {"input": [{"role": "user", "content": "2 + 2 ="}]}
    row = {"responses_create_params": prompt, "question": "2 + 2 =", "answer": "4"}
    env = make("chain_sum")
    env.reset(options={"task": row})
    assert env.step(message)[1] == reward


@pytest.mark.parametrize(
    ("generator", "name"),
    [
        *(
            pytest.param("chain_sum", name, marks=pytest.mark.slow)
            for name in FAST_CHECKS
            if name in STARTS_PROCESSES
        ),
        *product(("chain_sum", "syllogism", "knights_knaves"), IN_PROCESS),
    ],
)
def test_generators_pass_the_checks(generator: str, name: str) -> None:
    with make_subject(f"reasoning-gym/{generator}-v0", 5, quick=True) as subject:
        result = run_check(subject, FAST_CHECKS[name])
    assert result.status in ("pass", "skip"), str(result)


def test_an_episode_is_saved_and_continued() -> None:
    env, other = make("zebra_puzzles"), make("zebra_puzzles")
    env.reset(seed=3)
    textgym.set_state(other, json.loads(json.dumps(textgym.get_state(env))))
    action = env.unwrapped.solve()
    assert other.unwrapped.solve() == action
    assert other.step(action) == env.step(action)


def test_splits_have_other_questions() -> None:
    def questions(split: str) -> set[Any]:
        env = make("bitwise_arithmetic", split=split)
        return {env.unwrapped.get_task(index).messages[-1]["content"] for index in range(60)}

    assert not questions("train") & questions("test")


def test_a_configuration_changes_the_tasks() -> None:
    env = make("chain_sum", config={"min_terms": 9, "max_terms": 9})
    observation, _ = env.reset(seed=1)
    question = observation[-1]["content"]
    assert question.count("+") + question.count("-") >= 8
    with pytest.raises(UsageError, match="chain_sum does not accept this ChainSumConfig"):
        make("chain_sum", config={"terms": 9})


def test_entries_of_the_package_and_nemo_gyms_rows_are_read(tmp_path: Path) -> None:
    entry = reasoning_gym.create_dataset("leg_counting", size=1, seed=3)[0]
    prompt = {"responses_create_params": {"input": [{"role": "user", "content": "Legs?"}]}}
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (entry, {**prompt, **entry})))
    env = make("leg_counting", dataset=str(path), system_prompt=None)
    assert [env.unwrapped.get_task(i).messages[0]["content"] for i in (0, 1)] == [
        entry["question"],
        "Legs?",
    ]
    assert [answered(env, entry["answer"], i)[0] for i in (0, 1)] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"question": "?", "answer": 4}, "must be a text"),
        ({"question": "?", "answer": "4", "metadata": []}, "must be an object"),
        ({"answer": "4"}, "'question' is missing"),
        (
            {"question": "?", "answer": "4", "metadata": {"source_dataset": "dice"}},
            "is from 'dice', not from chain_sum",
        ),
    ],
)
def test_rows_that_cannot_be_read_are_refused(row: dict[str, Any], problem: str) -> None:
    with pytest.raises(RowError, match=problem):
        make("chain_sum").reset(options={"task": row})


@pytest.mark.parametrize("level", [99, 0, "hard", 2.5])
def test_a_row_with_a_level_of_its_own_has_the_default_configuration(level: Any) -> None:
    entry = reasoning_gym.create_dataset("leg_counting", size=1, seed=3)[0]
    env = make("leg_counting", dataset=[{**entry, "level": level}])
    assert answered(env, entry["answer"])[0] == 1.0


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="grading must be"):
        make("chain_sum", grading="lenient")
    with pytest.raises(AttributeError, match="no attribute 'chain_some'"):
        textgym.integrations.reasoning_gym.chain_some  # noqa: B018


def test_a_seed_without_a_task_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, tried = generator_env._asked, []

    def fails_at_first(name: str, do: str, seconds: float, **arguments: Any) -> dict[str, Any]:
        tried.append(arguments["seed"])
        replies: list[dict[str, Any]] = [{}, {"raised": "RuntimeError: no"}]
        return replies[len(tried) - 1] if len(tried) < 3 else asked(name, do, seconds, **arguments)

    monkeypatch.setattr(generator_env, "_asked", fails_at_first)
    task = make("chain_sum").unwrapped._tasks.read({"id": "x", "seed": 5, "level": 1})
    assert tried == [5, 6, 7]
    assert task.row["seed"] == 7
    monkeypatch.setattr(generator_env, "_asked", lambda *args, **kwargs: {"raised": "broken"})
    with pytest.raises(EnvironmentFailure, match="chain_sum made no task: broken"):
        make("chain_sum").reset(options={"task": {"seed": 5, "level": 1}})


def test_without_the_package_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generator_env, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'textgym\[reasoning-gym\]'"):
        make("chain_sum")


@pytest.mark.parametrize(
    ("reply", "failure"),
    [({"sandbox": "no Landlock"}, SandboxFailure), ({"failed": "broken"}, EnvironmentFailure)],
)
def test_a_worker_that_fails_is_no_reward(
    monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any], failure: type[Exception]
) -> None:
    class Failing:
        def call(self, arguments: Any, seconds: float) -> dict[str, Any]:
            return reply

    env = make("chain_sum")
    env.reset(seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(generator_env, "_workers", Failing)
        with pytest.raises(failure):
            env.step("<answer>4</answer>")
    assert env.step(env.unwrapped.solve())[1] == 1.0


def test_a_worker_keeps_nothing_from_an_answer() -> None:
    env = make("simple_integration", split="test")
    for text in ("x = 5", "C = 0", "(x := 1)", "E", "pi"):
        answered(env, text)
    assert play(env.unwrapped, say("<answer>0</answer>"), index=0).total == 0.0
    env.reset(options={"index": 0})
    assert env.step(env.unwrapped.solve())[1] == 1.0


def test_rollouts_play_them_beside_other_environments() -> None:
    run = textgym.rollout(
        {"reasoning-gym/chain_sum-v0": 0.5, "textgym/MCQA-v0": 0.5}, "oracle", episodes=20
    )
    assert run.mean_reward == 1.0
