"""Cards: what is required, and what is refused."""

from __future__ import annotations

import json
import runpy
from typing import Any

import gymnasium as gym
import pytest
from repository import DOCS

import textgym
from textgym.core.card import stored_card
from textgym.errors import UsageError
from textgym.registry import environment_class


def test_id_and_summary_are_enough() -> None:
    card = textgym.Card("my/Shop-v0", "Buy something.")
    assert (card.structure, card.task_type, card.levels, card.reward_range) == (
        (), "", (1,), (0.0, 1.0),
    )  # fmt: skip


@pytest.mark.parametrize("id", ["Shop", "Shop-v0", "my/Shop", "my/Shop-v", "/Shop-v0", "", 5, None])
def test_id_without_namespace_and_version(id: Any) -> None:
    with pytest.raises(UsageError, match="namespace and a version, such as 'my/Shop-v0', not"):
        textgym.Card(id, "Buy something.")


@pytest.mark.parametrize(
    ("field", "value"),
    [("structure", "single-step"), ("domain", ["games"]), ("capabilities", None), ("levels", 3),
     ("reward_range", 1.0), ("verification", "state")],
)  # fmt: skip
def test_field_that_is_no_tuple(field: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"the card of my/Shop-v0: {field} must be a tuple such"):
        textgym.Card("my/Shop-v0", "Buy something.", **{field: value})


def test_no_levels() -> None:
    with pytest.raises(UsageError, match=r"the card of my/Shop-v0: levels must name a level, such"):
        textgym.Card("my/Shop-v0", "Buy something.", levels=())


@pytest.mark.parametrize("field", textgym.Card.__dataclass_fields__)
def test_every_field_can_be_filtered(field: str) -> None:
    assert textgym.Card("my/Shop-v0", "Buy something.").matches(field, "no such value") is False


def test_the_stored_cards_are_those_of_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    make_pages = runpy.run_path(str(DOCS / "make_pages.py"))
    made = json.loads(make_pages["cards"]())
    stored = json.loads(make_pages["CARDS"].read_text(encoding="utf-8"))
    for place in {*stored} - {*made}:  # a class that needs its package
        assert place.startswith("textgym.integrations.")
        del stored[place]
    assert stored == made, "run `make docs`"
    for place in made:
        card = environment_class(place).card
        assert stored_card(place) == textgym.card(card.id) == card


def test_a_class_that_takes_an_id_over_has_its_own_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gym, "registry", {**gym.registry})
    mine = "textgym.envs.session_state:SessionState"
    monkeypatch.setattr(gym.registry["textgym/MCQA-v0"], "entry_point", mine)
    assert textgym.card("textgym/MCQA-v0").id == "textgym/SessionState-v0"
