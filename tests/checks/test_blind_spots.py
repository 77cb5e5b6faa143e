"""What only its own attacker finds is found; sound twins and sound look-alikes pass."""

from __future__ import annotations

from typing import Any

import pytest
from audit_runs import result_of
from blind_spots import EXCERPTS, SortedAsASet, WordsAsASet
from look_alikes import LOOK_ALIKES
from telling_envs import TELLING

from textgym import TextEnv

FLOOR, CANARY = "statistical.adversarial_floor", "semantic.canary_floor"
LEAKAGE = "semantic.no_solution_leakage"
BLIND_SPOTS = {**EXCERPTS, **TELLING}
SOUND = dict.fromkeys(c.__bases__[0] for c in BLIND_SPOTS if c.__bases__[0] not in BLIND_SPOTS)
AS_SETS = (SortedAsASet, WordsAsASet)


@pytest.mark.parametrize("check_id", [FLOOR, CANARY, LEAKAGE])
@pytest.mark.parametrize("cls", [*SOUND, *LOOK_ALIKES])
def test_what_is_sound_passes(cls: type[TextEnv[Any]], check_id: str) -> None:
    result = result_of(cls, check_id)
    assert result.status == "pass", result


@pytest.mark.parametrize("cls", BLIND_SPOTS)
def test_a_blind_spot_is_found_by_its_attacker(cls: type[TextEnv[Any]]) -> None:
    assert BLIND_SPOTS[cls] in result_of(cls, FLOOR).measured["above_chance"]


@pytest.mark.parametrize("cls", AS_SETS)
def test_parts_in_another_order_must_lose(cls: type[TextEnv[Any]]) -> None:
    result = result_of(cls, CANARY)
    assert {item["change"] for item in result.measured["episodes"]} == {
        "the parts in another order"
    }
