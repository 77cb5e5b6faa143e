"""What `my_package/MyEnv-v0` rewards, and what it does not."""

from __future__ import annotations

import pytest
import textgym

from my_package import MyEnv

ROW = {
    "rooms": [101, 202, 303],
    "things": {"lamp": 101, "desk": 101, "sofa": 202},
    "moves": [{"from": 101, "to": 303}],
}


def reward_of(*moves: tuple[str, int]) -> float:
    env = MyEnv()
    env.reset(options={"task": ROW})
    calls = [("move", {"thing": thing, "room": room}) for thing, room in moves]
    if calls:
        env.step(textgym.assistant_calls(*calls))
    return float(env.step("Everything is done.")[1])


def test_a_row_in_which_nothing_is_to_be_done_is_refused() -> None:
    with pytest.raises(textgym.RowError, match="'moves' must move something"):
        MyEnv().reset(options={"task": {**ROW, "things": {"sofa": 202}}})


def test_look_returns_what_is_in_a_room() -> None:
    env = MyEnv()
    env.reset(options={"task": ROW})
    observation, *_ = env.step(textgym.assistant_calls(("look", {"room": 101})))
    assert observation[-1]["content"] == '["desk", "lamp"]'


def test_a_single_move_is_never_right() -> None:
    env = MyEnv(level=1)
    for index in range(100):
        task = env.get_task(index)
        assert len(task.answer.items() - task.row["things"].items()) > 1


def test_the_right_moves_win() -> None:
    assert reward_of(("desk", 303), ("lamp", 303)) == 1


@pytest.mark.parametrize(
    "moves",
    [
        (),
        (("lamp", 303),),
        (("lamp", 303), ("desk", 202)),
        (("lamp", 303), ("desk", 303), ("sofa", 303)),
    ],
)
def test_other_moves_lose(moves: tuple[tuple[str, int], ...]) -> None:
    assert reward_of(*moves) == 0
