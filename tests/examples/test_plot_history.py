"""examples/plot_history.py: what it draws of histories, and what it says of missing figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

from textgym.errors import UsageError
from textgym.training import History

pytest.importorskip("matplotlib")
sys.path.append(str(EXAMPLES))

import plot_history


@pytest.fixture
def histories(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for place, path in enumerate(paths):
        with History(path) as history:
            for step in range(1, 4):
                history.log(step, {"reward": step / 4 + place, "loss": float("nan")})
            history.log(3, {"won": 0.5, "won_low": 0.25, "won_high": 0.75})
    return paths


def test_picture_has_a_panel_for_each_figure(histories: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "new" / "curves.png"
    asked = [*map(str, histories), "--show", "reward", "won", "--ceiling", "0.6"]
    assert not plot_history.main([*asked, "--out", str(place)])
    assert place.read_bytes().startswith(b"\x89PNG")


def test_missing_figure_is_named_with_those_that_there_are(histories: list[Path]) -> None:
    with pytest.raises(UsageError, match=r"no history has the figure 'entropy'; there are loss"):
        plot_history.main([str(histories[0]), "--show", "entropy"])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures of matplotlib that are drawn."""
    figures: list[Any] = []
    monkeypatch.setattr(plot_history.plt, "close", figures.append)
    return figures


def write(path: Path, *lines: Mapping[str, float]) -> Path:
    with History(path) as history:
        for step, figures in enumerate(lines, 1):
            history.log(step, figures)
    return path


def names_in(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_files_of_the_same_name_are_told_apart_by_their_folders(
    tmp_path: Path, drawn: list[Any]
) -> None:
    paths = [write(tmp_path / name / "history.jsonl", {"reward": 1}) for name in ("a", "b")]
    plot_history.draw(paths, ["reward"], tmp_path / "curves.png")
    assert names_in(drawn[0]) == ["a/history", "b/history"]


def test_files_that_differ_in_their_suffix_have_their_whole_paths(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "a.json"]
    assert plot_history.names_of(paths) == [str(path) for path in paths]


def test_names_that_begin_with_an_underscore_are_shown(tmp_path: Path, drawn: list[Any]) -> None:
    paths = [write(tmp_path / name, {"reward": 1}) for name in ("_a.jsonl", "b.jsonl")]
    plot_history.draw(paths, ["reward"], tmp_path / "curves.png")
    assert names_in(drawn[0]) == ["_a", "b"]


def test_each_of_many_histories_has_a_line_of_its_own_look(
    tmp_path: Path, drawn: list[Any]
) -> None:
    paths = [write(tmp_path / f"{number}.jsonl", {"reward": number}) for number in range(12)]
    plot_history.draw(paths, ["reward"], tmp_path / "curves.png")
    lines = drawn[0].axes[0].lines
    assert [list(line.get_ydata()) for line in lines] == [[number] for number in range(12)]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_legend_of_many_long_names_leaves_room_for_the_panel(
    tmp_path: Path, drawn: list[Any]
) -> None:
    paths = [write(tmp_path / f"{'long' * 10}{n}.jsonl", {"reward": n}) for n in range(25)]
    plot_history.draw(paths, ["reward"], tmp_path / "curves.png")
    panel = drawn[0].axes[0].get_window_extent()
    legend = drawn[0].legends[0].get_window_extent()
    assert panel.height > 300
    assert 0 <= legend.y0 < legend.y1 < panel.y0


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("validation/episodes/success", "validation/success_low", "validation/success_high"),
        ("held_out/success", "held_out/success_low", "held_out/success_high"),
    ],
)
def test_bounds_are_a_band(
    tmp_path: Path, drawn: list[Any], name: str, low: str, high: str
) -> None:
    lines = [
        {name: 0.5, low: 0.25, high: 0.75},
        {"reward": 1},
        {name: 0.5, low: 0.375, high: 0.875},
    ]
    path = write(tmp_path / "history.jsonl", *lines)
    plot_history.draw([path], [name], tmp_path / "curves.png")
    (band,) = drawn[0].axes[0].collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert corners == {(1, 0.25), (1, 0.75), (3, 0.375), (3, 0.875)}


def test_smooth_lines_are_means_of_the_last_values(tmp_path: Path, drawn: list[Any]) -> None:
    path = write(tmp_path / "history.jsonl", {"reward": 0}, {"reward": 1}, {"reward": 3})
    plot_history.draw([path], ["reward"], tmp_path / "curves.png", smooth=2)
    assert list(drawn[0].axes[0].lines[0].get_ydata()) == [0, 0.5, 2]


def test_lines_that_were_added_later_are_drawn_by_step(tmp_path: Path, drawn: list[Any]) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(3, {"reward": 1})
        history.log(0, {"reward": 0.5}, rewind=False)
    plot_history.draw([history.path], ["reward"], tmp_path / "curves.png")
    assert list(drawn[0].axes[0].lines[0].get_xdata()) == [0, 3]


def test_ceiling_hides_no_value(tmp_path: Path, drawn: list[Any]) -> None:
    path = write(tmp_path / "history.jsonl", {"reward": -1}, {"reward": 2})
    plot_history.draw([path], ["reward"], tmp_path / "curves.png", ceiling=0.5)
    low, high = drawn[0].axes[0].get_ylim()
    assert low < -1
    assert high > 2


def test_four_panels_are_in_two_rows(tmp_path: Path, drawn: list[Any]) -> None:
    names = ["a", "b", "c", "d"]
    path = write(tmp_path / "history.jsonl", dict.fromkeys(names, 1))
    plot_history.draw([path], names, tmp_path / "curves.png")
    assert drawn[0].axes[0].get_gridspec().get_geometry() == (2, 2)
