"""Garbage is collected rarely during runs, and as before after them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

import textgym
from textgym.rollouts.player import EpisodePlayer
from textgym.rollouts.workers import THRESHOLDS, rare_collections
from textgym.trajectories.schema import Trajectory

USUAL = (700, 10, 10)
ID = "textgym/MCQA-v0"


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_a_rollout_raises_the_thresholds_and_restores_them() -> None:
    during = []
    textgym.rollout(
        ID, "oracle", episodes=2, on_episode=lambda _: during.append(gc.get_threshold())
    )
    assert during == [THRESHOLDS, THRESHOLDS]
    assert gc.get_threshold() == USUAL


def test_a_rollout_that_raises_restores_them() -> None:
    def interrupt(trajectory: Trajectory) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        textgym.rollout(ID, "oracle", episodes=2, on_episode=interrupt)
    assert gc.get_threshold() == USUAL


def test_rescoring_and_a_player_restore_them() -> None:
    during = []
    run = textgym.rollout(ID, "oracle", episodes=1)
    textgym.rescore(run, on_episode=lambda _: during.append(gc.get_threshold()))
    assert during == [THRESHOLDS]
    assert gc.get_threshold() == USUAL
    with EpisodePlayer(ID) as player:
        player.play("oracle", [(ID, 0, 0)])
    assert gc.get_threshold() == USUAL


def test_the_last_of_blocks_in_several_threads_restores_them() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with rare_collections():
            inside.set()
            assert leave.wait(60)

    with rare_collections(), rare_collections():
        thread = threading.Thread(target=other)
        thread.start()
        assert inside.wait(60)
    assert gc.get_threshold() == THRESHOLDS
    leave.set()
    thread.join()
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 10, 10)], ids=["off", "higher"])
def test_thresholds_that_collect_less_often_are_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with rare_collections():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_thresholds_that_are_set_during_a_run_stay() -> None:
    with rare_collections():
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)
