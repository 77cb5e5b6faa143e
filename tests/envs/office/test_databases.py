"""Tables that episodes share: what is found and which ids are new after changes."""

from __future__ import annotations

import pytest

from textgym.envs.office.databases import Layout, SharedDatabase, State, Table
from textgym.errors import StateError


class Shop(SharedDatabase):
    layouts = {"goods": Layout(("id", "sort"), "id"), "towns": Layout(("name",))}
    changeable = ("goods",)


SHOP = Shop(
    {
        "goods": [{"id": "7", "sort": "tea"}, {"id": "9", "sort": "milk"}],
        "towns": [{"name": "Arle"}],
    }
)


def opened() -> tuple[State, Table]:
    state = Shop.new_state()
    return state, SHOP.table("goods", state)


def test_a_new_id_is_one_more_than_the_highest() -> None:
    _, goods = opened()
    assert [goods.add({"sort": "tea"}, width=1) for _ in range(2)] == ["10", "11"]


def test_a_new_id_after_a_change_is_still_one_more() -> None:
    _, goods = opened()
    goods.update("7", "sort", "milk")
    assert goods.add({"sort": "tea"}, width=1) == "10"


@pytest.mark.parametrize("changed", ["deleted", "renamed"])
def test_an_id_that_is_gone_does_not_count(changed: str) -> None:
    _, goods = opened()
    if changed == "deleted":
        goods.delete("9")
    else:
        goods.update("9", "id", "8")
    assert goods.add({"sort": "tea"}, width=2) == ("08" if changed == "deleted" else "09")


def test_rows_having_a_value_follow_the_changes() -> None:
    _, goods = opened()
    assert [row["id"] for row in goods.having("sort", "tea")] == ["7"]
    goods.add({"sort": "tea"}, width=1)
    assert [row["id"] for row in goods.having("sort", "tea")] == ["7", "10"]
    goods.update("9", "sort", "tea")
    goods.delete("7")
    assert [row["id"] for row in goods.having("sort", "tea")] == ["9", "10"]


def test_a_table_that_cannot_be_changed_can_be_read() -> None:
    state, _ = opened()
    assert [row["name"] for row in SHOP.table("towns", state)] == ["Arle"]
    assert state.keys() == {"goods"}


def test_a_state_must_have_the_tables_that_can_be_changed() -> None:
    with pytest.raises(StateError, match="the tables must be goods"):
        SHOP.check({})


def test_states_differ_by_table() -> None:
    state, goods = opened()
    goods.update("7", "sort", "milk")
    assert SHOP.differing(state, Shop.new_state()) == ["goods"]
    goods.update("7", "sort", "tea")
    assert SHOP.differing(state, Shop.new_state()) == []
