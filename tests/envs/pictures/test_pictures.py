"""Pictures-v0: its drawing, its answers and clicks, its rows, and its generated tasks."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("PIL")

from chat_server import ChatServer, Request, answer
from PIL import Image

import textgym
from textgym.envs.pictures import Pictures
from textgym.envs.pictures.drawing import COLOURS, SIZE, data_url, draw
from textgym.envs.pictures.pictures_env import KINDS, LEVELS
from textgym.envs.pictures.pictures_rows import BOXED
from textgym.envs.pictures.shapes import FORMS, TINTS
from textgym.errors import RowError, UsageError
from textgym.messages import assistant_calls

SCENE = [
    ["circle", 60, 60, 12, "red"],
    ["triangle", 200, 90, 12, "red"],
    ["text", 9, 9, "a", "blue"],
]
COUNT = {"question": "How many red shapes are there?", "answer": 2, "scene": SCENE}
CLICK = {
    "question": "Click on the red triangle.",
    "target": ["triangle", 200, 90, 12],
    "scene": SCENE,
}


def played(row: Any, action: Any, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    env = gymnasium.make("textgym/Pictures-v0", **kwargs)
    env.reset(options={"task": row})
    _, reward, terminated, _, info = env.step(action)
    assert terminated
    return float(reward), info


def clicked(x: Any, y: Any) -> Any:
    return assistant_calls(("click", {"x": x, "y": y}))


def image_of(url: str) -> Any:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


@pytest.mark.parametrize(
    ("kind", "digest"),
    [
        ("chart", "d63affcc79c42c76"),
        ("click", "5553d7002486fb05"),
        ("clock_face", "1dd770b051edbe5e"),
        ("compare", "4b5e7cb25099ebe4"),
        ("count", "535c25070e10518f"),
        ("roads", "c0e2b91a9afe1e79"),
        ("table", "5d8fc61e6b3452b7"),
    ],
)
def test_pixels_are_what_they_were(kind: str, digest: str) -> None:
    found = hashlib.sha256()
    for level in LEVELS:
        image = draw(KINDS[kind](random.Random(f"{kind} {level}"), level)["scene"])
        assert (image.mode, image.size) == ("RGB", (SIZE, SIZE))
        found.update(image.tobytes())
    assert found.hexdigest()[:16] == digest


def test_a_picture_is_a_png_with_the_pixels_of_its_scene() -> None:
    url = data_url(SCENE)
    assert url.startswith("data:image/png;base64,")
    assert image_of(url).tobytes() == draw(SCENE).tobytes()


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("\\boxed{2}", 1), ("There are \\boxed{2} of them.", 1), ("\\boxed{2.0}", 1), ("2", 1),
        ("\\boxed{\\text{2}}", 1), ("\\boxed{3}", 0), ("\\boxed{2} or \\boxed{3}", 0),
        ("\\boxed{2, 3}", 0), ("<think>\\boxed{2}", 0), ("", 0), ("It is not \\boxed{2}.", 0),
    ],
)  # fmt: skip
def test_a_text_is_compared(text: str, reward: float) -> None:
    found, info = played(COUNT, text)
    assert (found, info["is_success"]) == (reward, bool(reward))
    assert info["reward_components"] == {"correct": reward}


def test_answers_within_the_tolerance_are_right() -> None:
    row = {**COUNT, "answer": "1:00", "accepted": ["12:59", "1:01"]}
    right = ("1:00", "12:59", "1:01")
    wrong = ("1:02", "12:58", "1:00 or 1:01", "13:00", "1")
    assert [played(row, f"\\boxed{{{text}}}")[0] for text in right] == [1.0] * 3
    assert [played(row, f"\\boxed{{{text}}}")[0] for text in wrong] == [0.0] * 5


@pytest.mark.parametrize(
    ("point", "reward"),
    [
        ((200, 90), 1), ((200, 78), 1), ((188, 102), 1), ((212, 102), 1), ((188, 90), 0),
        ((200, 77), 0), ((200, 103), 0), ((60, 60), 0), ((-1, 90), 0), ((10**400, 90), 0),
    ],
)  # fmt: skip
def test_a_click_is_right_within_the_shape(point: tuple[int, int], reward: float) -> None:
    found, info = played(CLICK, clicked(*point))
    assert (found, info["stop_reason"]) == (reward, "answer")
    assert info["reward_components"] == {"correct": reward, "clicked": 1.0}


def test_clicks_can_be_in_thousandths() -> None:
    point = round(200 * 1000 / SIZE), round(90 * 1000 / SIZE)
    assert played(CLICK, clicked(*point), coordinates="thousandths")[0] == 1.0
    assert played(CLICK, clicked(200, 90), coordinates="thousandths")[0] == 0.0
    env = Pictures(coordinates="thousandths")
    observation, _ = env.reset(options={"task": CLICK})
    assert "1000 units wide and 1000 high" in observation[-1]["content"][0]["text"]


def test_clicks_on_a_picture_of_another_size(tmp_path: Path) -> None:
    file = tmp_path / "wide.png"
    draw(SCENE).resize((672, 168)).save(file)
    row = {"question": "Click.", "picture": str(file), "target": ["circle", 600, 100, 20]}
    assert played(row, clicked(600, 100))[0] == 1.0
    assert played(row, clicked(671, 100))[0] == 0.0
    point = round(600 * 1000 / 672), round(100 * 1000 / 168)
    assert played(row, clicked(*point), coordinates="thousandths")[0] == 1.0
    env = Pictures(coordinates="thousandths")
    env.reset(options={"task": row})
    assert env.step(env.solve())[1] == 1.0


def test_only_the_first_click_counts() -> None:
    both = assistant_calls(("click", {"x": 60, "y": 60}), ("click", {"x": 200, "y": 90}))
    assert played(CLICK, both)[0] == 0.0


@pytest.mark.parametrize("text", ["(200, 90)", "\\boxed{(200, 90)}", ""])
def test_a_text_is_no_click(text: str) -> None:
    found, info = played(CLICK, text)
    assert (found, info["reward_components"]) == (0.0, {"correct": 0.0, "clicked": 0.0})


def test_the_tool_is_offered_only_for_clicks() -> None:
    env = gymnasium.make("textgym/Pictures-v0")
    for row, names in ((COUNT, []), (CLICK, ["click"])):
        _, info = env.reset(options={"task": row})
        assert [tool["function"]["name"] for tool in info["tools"]] == names


@given(
    form=st.sampled_from(["circle", "square", "triangle"]),
    x=st.integers(0, SIZE - 1),
    y=st.integers(0, SIZE - 1),
)
def test_points_of_a_shape_are_those_that_it_covers(form: str, x: int, y: int) -> None:
    shape = [form, 150, 170, 40, "red"]
    row = {"question": "Click.", "scene": [shape], "target": shape}
    covered = draw([shape]).getpixel((x, y)) == COLOURS["red"]
    env = Pictures()
    env.reset(options={"task": row})
    right = env.step(clicked(x, y))[1] == 1.0
    if right != covered:  # only on the edge
        around = [(x + a, y + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        inside = [p for p in around if min(p) >= 0 and max(p) < SIZE]
        assert len({draw([shape]).getpixel(p) for p in inside}) == 2


def nemo_row(circles: list[dict[str, Any]], colour: str, tools: bool) -> dict[str, Any]:
    url = data_url([["circle", it["x"], it["y"], it["radius"], it["color"]] for it in circles])
    content = [
        {"type": "input_image", "image_url": url, "detail": "auto"},
        {"type": "input_text", "text": f"Find the {colour} circle."},
    ]
    params: dict[str, Any] = {"input": [{"role": "user", "content": content}]}
    if tools:
        numbers = {"x": {"type": "integer"}, "y": {"type": "integer"}}
        schema = {"type": "object", "properties": numbers, "required": ["x", "y"]}
        params["tools"] = [{"type": "function", "name": "click", "parameters": schema}]
    return {"responses_create_params": params, "circles": circles, "target_color": colour}


CIRCLES = [
    {"x": 100, "y": 80, "radius": 30, "color": "red"},
    {"x": 250, "y": 90, "radius": 30, "color": "blue"},
    {"x": 60, "y": 250, "radius": 30, "color": "red"},
    {"x": 460, "y": 360, "radius": 30, "color": "green"},
]


@pytest.mark.parametrize(
    ("point", "reward"), [((100, 80), 1), ((129, 80), 1), ((131, 80), 0), ((60, 250), 0)]
)
def test_nemo_gyms_circle_click_rows(point: tuple[int, int], reward: float) -> None:
    row = nemo_row(CIRCLES, "red", tools=True)
    for coordinates in ("pixels", "thousandths"):
        assert played(row, clicked(*point), coordinates=coordinates)[0] == reward


def test_nemo_gyms_pictures_have_any_size() -> None:
    assert played(nemo_row(CIRCLES, "green", tools=True), clicked(480, 370))[0] == 1.0


def test_nemo_gyms_circle_count_rows() -> None:
    row = nemo_row(CIRCLES, "red", tools=False)
    assert [played(row, f"\\boxed{{{n}}}")[0] for n in (1, 2, 3)] == [0.0, 1.0, 0.0]


def test_a_picture_is_a_file_or_a_url(tmp_path: Path) -> None:
    file = tmp_path / "cat.png"
    draw(SCENE).save(file)
    for picture in (str(file), data_url(SCENE), "https://example.org/cat.png"):
        env = Pictures()
        row = {"question": "What is it?", "answer": "cat", "picture": picture}
        observation, _ = env.reset(options={"task": row})
        url = observation[-1]["content"][1]["image_url"]["url"]
        if picture.startswith("https"):
            assert url == picture
        else:
            assert image_of(url).convert("RGB").tobytes() == draw(SCENE).tobytes()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"question": ""}, "question"),
        ({"question": 3}, "question"),
        ({"answer": None}, "answer"),
        ({"answer": True}, "answer"),
        ({"answer": " "}, "answer"),
        ({"accepted": "2"}, "accepted"),
        ({"scene": []}, "scene"),
        ({"scene": None}, "scene"),
        ({"scene": [["star", 1, 1, 1, "red"]]}, "scene.0"),
        ({"scene": [["circle", 1, 1, 1]]}, "scene.0"),
        ({"scene": [["circle", 1, 1, 1, "pink"]]}, "scene.0"),
        ({"scene": [["circle", 1, 1.5, 1, "red"]]}, "scene.0"),
        ({"scene": [["circle", 1, 10**9, 1, "red"]]}, "scene.0"),
        ({"scene": [["text", 1, 1, "é", "red"]]}, "scene.0"),
        ({"scene": [3]}, "scene.0"),
        ({"picture": "data:image/png;base64,?"}, "picture"),
        ({"picture": "data:image/png;base64,AAAA"}, "picture"),
        ({"picture": "https://example.org/a.png", "target": ["circle", 9, 9, 9]}, "picture"),
        ({"picture": "no/such/file.png"}, "picture"),
        ({"picture": "file.txt"}, "picture"),
        ({"target": ["star", 1, 1, 1]}, "target"),
        ({"target": 3}, "target"),
    ],
)
def test_a_row_that_is_not_valid_names_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as raised:
        Pictures().reset(options={"task": {**COUNT, **change}})
    assert raised.value.field == field


def test_another_unit_of_clicks_is_refused() -> None:
    with pytest.raises(UsageError, match="coordinates must be 'pixels' or 'thousandths'"):
        Pictures(coordinates="percent")


def test_a_server_is_sent_the_picture() -> None:
    pytest.importorskip("aiohttp")
    seen = []

    def reply(request: Request) -> bytes:
        text, picture = request.body["messages"][-1]["content"]
        seen.append(image_of(picture["image_url"]["url"]).convert("RGB").tobytes())
        return answer("\\boxed{2}" if BOXED in text["text"] else "I see nothing.")

    with ChatServer(reply) as server:
        run = textgym.rollout(
            "textgym/Pictures-v0", f"openai:model@{server.url}", tasks=[COUNT, CLICK]
        )
    assert [it["reward"] for it in run.trajectories()] == [1.0, 0.0]
    assert seen == [draw(SCENE).tobytes()] * 2


def test_a_transcript_names_the_picture() -> None:
    env = gymnasium.make("textgym/Pictures-v0", render_mode="ansi")
    env.reset(options={"task": COUNT})
    assert "(image: image/png)" in str(env.render())


# Generated tasks


@cache
def rows(level: int, number: int = 150) -> list[dict[str, Any]]:
    env = Pictures(level=level)
    return [dict(env.get_task(index).row) for index in range(number)]


@pytest.mark.parametrize("level", LEVELS)
def test_another_reading_of_the_scene_gives_the_same_answer(level: int) -> None:
    """Drawing takes most of the time, so the kinds of questions are read in one test."""
    what_is_counted_is_there(level)
    the_shape_to_click_on_is_the_only_one_and_no_two_touch(level)
    the_cell_or_the_sum_of_a_table_is_the_answer(level)
    the_answer_of_a_chart_is_in_its_bars(level)
    the_shortest_way_is_found_by_trying_all_ways(level)
    a_length_may_have_its_unit(level)
    times_are_right_in_both_spellings_and_within_the_tolerance(level)


def what_is_counted_is_there(level: int) -> None:
    for row in rows(level):
        shapes = [shape for shape in row["scene"] if shape[0] in ("circle", "square", "triangle")]
        if row["category"] not in ("count", "compare"):
            continue
        words = row["question"].split()
        named = [
            sum(
                shape[4] == colour and (form == "shapes" or shape[0] == form.rstrip("s"))
                for shape in shapes
            )
            for colour, form in itertools.pairwise(words)
            if colour in COLOURS
        ]
        expected = named[0] if row["category"] == "count" else named[0] - named[1]
        assert row["answer"] == str(expected), row["question"]


def the_shape_to_click_on_is_the_only_one_and_no_two_touch(level: int) -> None:
    for row in rows(level):
        if row["category"] == "click":
            form, _, _, _, colour = row["target"]
            assert [it for it in row["scene"] if (it[0], it[4]) == (form, colour)] == [
                row["target"]
            ]
        if row["category"] in ("click", "count", "compare"):
            for one in row["scene"]:
                for other in row["scene"]:
                    apart = max(abs(one[1] - other[1]), abs(one[2] - other[2]))
                    assert one is other or apart > one[3] + other[3]


def texts(row: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [
        (x, y, text) for kind, *rest in row["scene"] if kind == "text" for x, y, text, _ in [rest]
    ]


def the_cell_or_the_sum_of_a_table_is_the_answer(level: int) -> None:
    for row in rows(level):
        if row["category"] != "table":
            continue
        words = row["question"].rstrip("?").split()
        (column,) = (x for x, _, text in texts(row) if text == words[-1])
        if "sum" in words:
            numbers = [int(text) for x, _, text in texts(row) if x == column and text.isdecimal()]
            assert row["answer"] == str(sum(numbers))
        else:
            (line,) = (y for _, y, text in texts(row) if text == words[words.index("row") + 1])
            assert (column, line, row["answer"]) in texts(row)


def the_answer_of_a_chart_is_in_its_bars(level: int) -> None:
    for row in rows(level):
        if row["category"] != "chart":
            continue
        bars = [shape[1:] for shape in row["scene"] if shape[0] == "box"]
        names = [text for _, y, text in texts(row) if y > 300]
        heights = {
            name: bottom - top for name, (_, top, _, bottom, _) in zip(names, bars, strict=True)
        }
        if row["question"].startswith("Which"):
            rank = ["highest?", "second", "third"].index(row["question"].split()[4])
            assert sorted(heights, key=lambda name: -heights[name])[rank] == row["answer"]
        else:
            name = row["question"].split()[7].rstrip("?")
            assert abs(heights[name] / 276 * 100 - int(row["answer"])) < 1


def the_shortest_way_is_found_by_trying_all_ways(level: int) -> None:
    for row in rows(level):
        if row["category"] != "roads":
            continue
        places = {text: (x, y) for x, y, text in texts(row) if not text.isdecimal()}
        middles = {(x, y): int(text) for x, y, text in texts(row) if text.isdecimal()}
        lengths: dict[str, dict[str, int]] = {name: {} for name in places}
        for kind, *rest in row["scene"]:
            if kind == "line":
                x0, y0, x1, y1 = rest[:4]
                start, end = (
                    next(name for name, place in places.items() if place == point)
                    for point in ((x0, y0), (x1, y1))
                )
                length = middles[(x0 + x1) // 2, (y0 + y1) // 2]
                lengths[start][end] = lengths[end][start] = length

        def shortest(here: str, there: str, seen: frozenset[str], roads: Any = lengths) -> float:
            if here == there:
                return 0
            ways = [
                length + shortest(town, there, seen | {town})
                for town, length in roads[here].items()
                if town not in seen
            ]
            return min(ways, default=float("inf"))

        start, end = row["question"].rstrip("?").split("from ")[1].split(" to ")
        assert shortest(start, end, frozenset({start})) == int(row["answer"])


def a_length_may_have_its_unit(level: int) -> None:
    row = next(row for row in rows(level) if row["category"] == "roads")
    for unit, reward in [("", 1), (" km", 1), ("\\text{ km}", 1), (" m", 0), ("0 km", 0)]:
        assert played(row, f"\\boxed{{{row['answer']}{unit}}}")[0] == reward


def times_are_right_in_both_spellings_and_within_the_tolerance(level: int) -> None:
    env = Pictures(level=level)
    clocks = [row for row in rows(level) if row["category"] == "clock_face"]
    for row in clocks[:10]:
        hour, minute = map(int, row["answer"].split(":"))
        for late in (-2, -1, 0, 1, 2):
            then = (hour * 60 + minute + late) % 720
            for width in ("", "02"):
                env.reset(options={"task": row})
                text = f"\\boxed{{{then // 60 or 12:{width}}:{then % 60:02}}}"
                assert env.step(text)[1] == (abs(late) <= (level > 2)), (row["answer"], text)


def test_generated_questions_do_not_state_their_answer() -> None:
    for level in LEVELS:
        for row in rows(level, 60):
            assert row.get("answer") not in row["question"].split()
            assert BOXED not in row["question"]


def test_rows_can_be_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "pictures.jsonl"
    file.write_text(f"{json.dumps(COUNT)}\n{json.dumps(CLICK)}\n")
    env = Pictures(dataset=str(file))
    assert env.num_tasks == 2
    for index in range(2):
        env.reset(options={"index": index})
        assert env.step(env.solve())[1] == 1.0


def test_level_0_has_one_shape_which_is_named_or_clicked_on() -> None:
    env, kinds = Pictures(level=0), set()
    for row in rows(0, 40):
        [(form, x, y, radius, colour)] = row["scene"]
        assert radius <= min(x, y)
        assert max(x, y) + radius < SIZE
        question = row["question"]
        kinds.add(row["category"])
        if row["category"] == "only":
            assert question == f"Click on the {form}."
            right: list[Any] = [clicked(x, y), clicked(x, y + radius)]
            wrong: list[Any] = [clicked(x - radius - 1, y), f"\\boxed{{({x}, {y})}}", form]
        else:
            answer = colour if row["category"] == "colour" else form
            every = {"colour": TINTS, "form": FORMS}[row["category"]]
            assert all(option in question for option in every)
            others = [option for option in every if option != answer]
            right = [f"\\boxed{{{answer}}}", f"It is \\boxed{{a {answer}}}."]
            wrong = [*(f"\\boxed{{{option}}}" for option in others), question]
            wrong += [f"\\boxed{{{', '.join(every)}}}", f"\\boxed{{{answer} or {others[0]}}}"]
        for action, reward in [*((it, 1.0) for it in right), *((it, 0.0) for it in [*wrong, ""])]:
            env.reset(options={"task": row})
            assert env.step(action)[1] == reward, (question, action)
    assert kinds == {"colour", "form", "only"}


def test_guesses_at_level_0_are_answers_to_the_question() -> None:
    env, rng, won = Pictures(level=0), random.Random(1), 0.0
    for index in range(300):
        env.reset(options={"index": index})
        won += float(env.step(env.guess(rng))[1])
    assert 0.1 < won / 300 < 0.3
