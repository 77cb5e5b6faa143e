"""`textarena/NAME-v0` plays real games of TextArena."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import EnvironmentFailure, RowError, UnknownNameError, UsageError, UserFailure
from textgym.messages import assistant, text_of
from textgym.policies import Action, Policy

textarena = pytest.importorskip("textarena", reason="TextArena is not installed (make test-guests)")

from textarena.envs.registration import ENV_REGISTRY  # noqa: E402

from textgym.integrations.textarena import (  # noqa: E402
    GAMES,
    game,
    game_env,
    tables,
)
from textgym.integrations.textarena.game_env import table  # noqa: E402
from textgym.integrations.textarena.worker import Game  # noqa: E402

SAMPLE = ("TicTacToe", "Mastermind", "KuhnPoker", "Minesweeper", "Poker", "SecretMafia")
"""Games for one, two and more players, with hidden state and with dice or cards."""
ROW = {"id": "a", "seed": 5, "seat": 0}


def make(name: str, **kwargs: Any) -> Any:
    return gymnasium.make(f"textarena/{name}-v0", **kwargs).unwrapped


def test_each_game_of_the_package_is_in_the_table() -> None:
    names = {id.partition("-v0")[0] for id in ENV_REGISTRY if id.endswith("-raw")}
    left_out = game_env.left_out()
    assert {*GAMES} == {*table()}
    assert {*GAMES} | {*left_out} == names
    listed = {id for id in textgym.ids() if id.startswith("textarena/")}
    assert listed == {f"textarena/{name}-v0" for name in GAMES}


def play(env: Any, row: Any, seed: int = 0) -> list[Any]:
    """Play a game with random moves; return all that was seen, and the end."""
    messages, _ = env.reset(options={"task": row})
    ended, info, total = False, {}, 0.0
    while not ended:
        messages, reward, done, cut, info = env.step(env.guess(random.Random(seed + env.turn)))
        total += reward
        ended = done or cut
    return [messages, total, info]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in SAMPLE)) for n in GAMES]
)
def test_a_game_is_played_to_its_end_and_is_the_same_again(name: str) -> None:
    with_seat = {**ROW, "seat": table()[name]["players"][0] - 1}
    env = make(name, max_turns=40)
    before = random.getstate()
    first = play(env, with_seat)
    assert random.getstate() == before  # games draw from generators of their own
    assert -1.0 <= first[1] <= 1.0
    assert first[2]["stop_reason"] in ("answer", "max_turns")
    assert play(env, with_seat) == first
    other = make(name, max_turns=40)
    assert play(other, with_seat) == first
    env.close()
    other.close()


@pytest.mark.parametrize("name", SAMPLE)
def test_a_saved_game_goes_on_as_it_would_have(name: str) -> None:
    env, other = make(name, max_turns=40), make(name, max_turns=40)
    env.reset(options={"task": ROW})
    ended = False
    while not ended:
        move = env.guess(random.Random(env.turn))
        saved = json.loads(json.dumps(env.get_state()))
        result = env.step(move)
        other.set_state(saved)
        assert other.step(move) == result
        env.set_state(saved)
        assert env.step(move) == result
        ended = result[2] or result[3]


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.parametrize(
    "text",
    ["", "I do not know.", "[", "[]", "[x]", "[0 0 0 0]", "[-1]", "[999999999999]", "\0", "🙂",
     "[A B] " * 2000, "[" * 5000, "x" * 300_000, "<think>[4]</think>", "<think>[4]"],
)  # fmt: skip
def test_no_text_raises_or_wins(name: str, text: str) -> None:
    env = make(name, max_turns=6)
    env.reset(options={"task": ROW})
    ended, total = False, 0.0
    while not ended:
        _, reward, done, cut, info = env.step(text)
        total += reward
        ended = done or cut
    assert not info["is_success"]
    assert total <= 0.0
    env.close()


def test_a_move_that_takes_too_long_leaves_the_game_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = make("TicTacToe")
    env.reset(options={"task": ROW})
    messages, *_ = env.step("[4]")
    call = game.Game._call

    def slow(self: Any, do: str, *arguments: Any) -> Any:
        if do == "move" and arguments == ("slow",):
            self._worker.close()  # as a limit does
            return None
        return call(self, do, *arguments)

    monkeypatch.setattr(game.Game, "_call", slow)
    again, reward, done, *_ = env.step("slow")
    assert "takes more than 10 seconds" in again[-1]["content"]
    assert (reward, done) == (0.0, False)
    move = env.guess(random.Random(0))["content"]
    assert move in messages[-1]["content"]  # an open cell of the same board
    env.close()


def test_a_worker_that_dies_is_a_failure_and_the_step_can_be_repeated() -> None:
    env = make("TicTacToe")
    env.reset(options={"task": ROW})
    env.step("[4]")
    saved = env.get_state()
    env._table._game._worker.close()
    expected = make("TicTacToe")
    expected.set_state(saved)
    move = expected.guess(random.Random(0))
    assert env.step(move) == expected.step(move)


def test_rewards_that_are_texts_are_read() -> None:
    env = make("Countdown", grading="original")
    env.reset(options={"task": ROW})
    for _ in range(2):
        *_, reward, done, _, _ = env.step("no move")
    assert done
    assert reward == pytest.approx(0.568, abs=0.001)  # the progress without a move


def test_silence_earns_nothing() -> None:
    for name in ("Countdown", "RushHour", "PegJump", "Slitherlink"):
        rewards = {}
        for grading in ("strict", "original"):
            env = make(name, grading=grading)
            env.reset(options={"task": {"id": "a", "seed": 0}})
            env.step("")
            _, rewards[grading], done, _, info = env.step("")
            assert done
            assert info["reward_components"]["invalid"] == 1.0
        assert rewards["strict"] == 0.0 <= rewards["original"]
        assert rewards["original"] > 0.5 or name != "Countdown"


def test_the_win_by_another_players_invalid_move_is_not_paid() -> None:
    def nonsense(messages: Any) -> str:
        return "nonsense"

    for grading, paid in (("strict", 0.0), ("original", 1.0)):
        env = make("TicTacToe", opponent=nonsense, grading=grading)
        env.reset(options={"task": ROW})
        _, reward, done, _, info = env.step("[4]")
        assert (reward, done, info["is_success"]) == (paid, True, paid > 0)
        assert info["reward_components"]["forfeit"] == 1.0
        assert info["reward_components"]["textarena"] == 1.0


def test_rewards_above_1_are_on_a_scale() -> None:
    for grading, share in (("strict", 20.0), ("original", 1.0)):
        env = make("Set", grading=grading)
        env.reset(options={"task": ROW})
        ended, total = False, 0.0
        while not ended:
            _, reward, done, cut, info = env.step(a_set_of(env))
            total, ended = total + reward, done or cut
        assert info["reward_components"]["textarena"] > 1.0
        assert total == pytest.approx(info["reward_components"]["textarena"] / share)


def a_set_of(env: Any) -> str:
    """Return three cards of the board that are a set, or the first three."""
    board = env.unwrapped._conversation.messages[-1]["content"].rpartition("=== BOARD ===")[2]
    cards = re.findall(r"(\d+): (\w+) (\w+) (\w+) (\w+)", board)
    for three in itertools.combinations(cards, 3):
        if all(len({card[k] for card in three}) != 2 for k in range(1, 5)):
            return f"[{', '.join(card[0] for card in three)}]"
    return "[1, 2, 3]"


def test_texts_that_a_game_cannot_read_forfeit_it() -> None:
    env = make("TicTacToe")
    env.reset(options={"task": ROW})
    long = "x" * 100_001
    assert [env.step(long)[1:3] for _ in range(2)] == [(0.0, False)] * 2
    _, reward, done, _, info = env.step(long)
    assert (reward, done, info["reward_components"]["invalid"]) == (-1.0, True, 1.0)


def test_a_random_opponent_takes_no_move_from_what_the_player_says() -> None:
    env = make("SimpleNegotiation")
    for seed in range(5):
        env.reset(options={"task": {**ROW, "seed": seed}})
        env.step("[Offer: 1 Wheat -> 1 Ore] " + "[Nobody wrote this.] " * 300)
        assert not any("Nobody" in text for seat, text in env.state["moves"] if seat == 1)


@pytest.mark.parametrize(("mover", "reward"), [(0, 1.0), (1, 0.0)])
def test_only_the_last_invalid_move_takes_a_win(mover: int, reward: float) -> None:
    before = random.getstate()
    package = Game("Poker-v0", 3, 1)
    random.setstate(before)
    package._env.state.set_winners([0], "Winner: Player 0")
    package._env.state.game_info[1]["invalid_move"] = True  # it was eliminated
    package._mover = mover
    ended = package.position()
    assert ended["faulty"] == [1]
    env = make("Poker", players=3)
    env.reset(options={"task": ROW})
    del ended["seat"]
    env.state["outcome"] = ended
    assert env.grade().reward == reward
    assert env.grade().components["forfeit"] == 1.0 - reward


def test_an_opponent_sees_its_own_conversation() -> None:
    seen = []

    def opponent(messages: Any) -> str:
        seen.append(json.loads(json.dumps(messages)))
        free = [cell for cell in "012356789" if f"'[{cell}]'" in text_of(messages[-1])]
        return f"<think>[4]</think>[{free[0]}]"

    env = make("TicTacToe", opponent=opponent)
    messages, _ = env.reset(options={"task": {**ROW, "seat": 1}})
    assert [m["role"] for m in messages] == ["system", "user"]
    assert "Player 1" in messages[0]["content"]
    env.step("[4]")
    assert [m["role"] for m in seen[0]] == ["system", "user"]
    assert "You are Player 0" in seen[0][0]["content"]
    assert [m["role"] for m in seen[1]] == ["system", "user", "assistant", "user"]
    assert seen[1][2]["content"] == "[0]"  # without reasoning


def test_an_opponent_that_fails_is_a_failure_and_the_step_can_be_repeated() -> None:
    asked = []

    def opponent(messages: Any) -> str:
        asked.append(messages)
        if len(asked) == 1:
            raise ConnectionError("the model is down")
        return "[0]"

    env = make("TicTacToe", opponent=opponent)
    env.reset(options={"task": ROW})
    with pytest.raises(UserFailure, match=r"the opponent .* the model is down"):
        env.step("[4]")
    assert env.turn == 0
    messages, *_ = env.step("[4]")
    assert "[Player 1] [0]" in messages[-1]["content"]


def test_an_opponent_that_never_ends_its_turn_forfeits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_MOST_MOVES", 3)
    env = make("SantoriniBaseFixed", opponent=lambda messages: "no move")
    env.reset(options={"task": {**ROW, "seat": 1}})
    _, reward, done, _, info = env.step("no move")
    assert (reward, done) == (0.0, True)
    assert info["reward_components"]["forfeit"] == 1.0


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"players": 3}, UsageError, "TicTacToe has 2 players, not 3"),
        ({"seat": 2}, UsageError, "seat must be from 0 to 1, not 2"),
        ({"variant": "hard"}, UnknownNameError, "TicTacToe has no variant 'hard'"),
        ({"grading": "kind"}, UnknownNameError, "grading must be 'strict' or 'original'"),
        ({"opponent": 7}, UsageError, "neither a policy nor a function"),
    ],
)
def test_wrong_arguments_are_named(kwargs: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        make("TicTacToe", **kwargs)


@pytest.mark.parametrize("row", [{"id": "a"}, {"id": "a", "seed": "x"}, {**ROW, "seat": 9}])
def test_a_wrong_row_is_named(row: Any) -> None:
    with pytest.raises(RowError, match=r"seed|seat"):
        make("TicTacToe").reset(options={"task": row})


def test_a_variant_is_another_game() -> None:
    easy = make("GuessTheNumber").reset(options={"task": ROW})[0]
    hard = make("GuessTheNumber", variant="hardcore").reset(options={"task": ROW})[0]
    assert "between 1 and 20" in easy[0]["content"]
    assert "between 1 and 50" in hard[0]["content"]


@pytest.mark.parametrize("name", ["TicTacToe", "SecretMafia", "KuhnPoker"])
def test_a_match_has_a_trajectory_for_each_seat(name: str) -> None:
    env = gymnasium.make(f"textarena/{name}-v0")
    seats = table()[name]["players"][0]
    played = asyncio.run(textgym.play_match(env, ["random"] * seats, index=2))
    assert [item["failure"] for item in played] == [None] * seats
    assert [item["env_kwargs"]["seat"] for item in played] == [*range(seats)]
    again = asyncio.run(textgym.play_match(env, ["random"] * seats, index=2))
    assert [item["messages"] for item in again] == [item["messages"] for item in played]
    if seats == 2:
        assert played[0]["reward"] == -played[1]["reward"]
    env.close()


class Fails(Policy):
    name = "fails"

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        raise RuntimeError("no model")


class Resigns(Policy):
    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        return Action(assistant("I resign."))


def test_a_seat_that_fails_ends_the_match_as_a_failure_for_all() -> None:
    env = gymnasium.make("textarena/TicTacToe-v0")
    first, second = asyncio.run(textgym.play_match(env, ["random", Fails()]))
    assert (first["reward"], second["reward"]) == (None, None)
    assert second["failure"]["boundary"] == "policy"
    assert "player 1 left the game" in first["failure"]["message"]


def test_policies_of_all_kinds_play_a_match() -> None:
    env = gymnasium.make("textarena/TicTacToe-v0")
    first, second = asyncio.run(textgym.play_match(env, [Resigns(), "random"]))
    assert (first["reward"], second["reward"]) == (-1.0, 0.0)  # a forfeit is not paid
    with pytest.raises(UsageError, match="the game has 2 seats, not 3"):
        asyncio.run(textgym.play_match(env, ["random"] * 3))


def test_a_rollout_and_a_vector_play_games() -> None:
    run = textgym.rollout("textarena/KuhnPoker-v0", "random", episodes=10, concurrency=4)
    assert [item["failure"] for item in run.trajectories()] == [None] * 10
    vector = textgym.make_vec({"textarena/Mastermind-v0": 1, "textarena/TicTacToe-v0": 1}, 2)
    vector.reset(seed=1)
    vector.step(["[1 2 3 4]", "[4]"])
    vector.close()


def test_a_game_of_the_package_has_the_same_rewards() -> None:
    for seed in range(20):
        env = make("Mastermind", grading="original")
        env.reset(options={"task": {"id": "a", "seed": seed}})
        moves, total, ended = [], 0.0, False
        while not ended:
            moves.append(env.guess(random.Random(seed + env.turn))["content"])
            _, reward, done, cut, _ = env.step(moves[-1])
            total, ended = total + reward, done or cut
        own = textarena.make("Mastermind-v0-raw")
        own.reset(num_players=1, seed=seed)
        for move in moves:
            own.get_observation()
            own.step(move)
        assert own.close()[0][0] == pytest.approx(total)


def test_six_games_ten_episodes() -> None:
    for name in SAMPLE:
        run = textgym.rollout(
            f"textarena/{name}-v0", "random", episodes=10, concurrency=2,
            env_kwargs={"max_turns": 30},
        )  # fmt: skip
        assert [item["failure"] for item in run.trajectories()] == [None] * 10


def test_a_game_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make("TicTacToe")
    monkeypatch.setattr(env._table._game, "_id", "NoSuchGame-v0")
    with pytest.raises(EnvironmentFailure, match="TextArena's NoSuchGame-v0 failed"):
        env.reset(options={"task": ROW})
