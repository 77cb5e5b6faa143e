"""`textgym/Pictures-v0`: a question about a picture, answered with a text or a click."""

from __future__ import annotations

import random
from typing import Any, Unpack

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import Families, choice, randint
from textgym.envs.pictures.diagrams import chart, clock_face, roads, table
from textgym.envs.pictures.drawing import import_pillow
from textgym.envs.pictures.pictures_rows import BOXED, PicturesTask, read_picture_row
from textgym.envs.pictures.shapes import FORMS, TINTS, click, colour, compare, count, form, only
from textgym.errors import UsageError
from textgym.messages import Message, assistant, assistant_calls
from textgym.tasks.task import Task
from textgym.tools import tool
from textgym.verifiers import match
from textgym.verifiers.stated import named_form, stated_answer

__all__ = ["Pictures"]

LEVELS = (1, 2, 3, 4, 5)
KINDS: Families[dict[str, Any]] = Families(chart, click, clock_face, compare, count, roads, table)
FIRST_KINDS: Families[dict[str, Any]] = Families(colour, form, only)  # of level 0


class Pictures(TextEnv[dict[str, Any]]):
    r"""A question about a picture, answered with a text or with a click.

    It measures whether a model sees: it reads diagrams, counts and compares shapes, and points.

    ## Description
    The pictures are drawn from generated scenes: bar charts, tables, clocks, maps of roads, and
    scattered shapes that are to be counted, compared or clicked on. A picture is a PNG of 336 by
    336 pixels, and the same in every process. NeMo Gym's `circle_count` and `circle_click` rows,
    and pictures of your own, are supported.

    ## Observation
    One user message with two parts: the question, and the picture as a `data:` URL, in OpenAI's
    form. The question states the form of the answer.

    ## Action
    One assistant message. If the task is to click, it calls the tool `click`; otherwise its text is
    the answer, in `\boxed{}`.

    ## Tools
    `click(x, y)`: only where the task is to click. The first click ends the episode.

    ## Reward
    1 if the answer is right, else 0.

    - A number, a label or a time is compared as in `textgym.verifiers.match`; several answers are
      wrong. Where the question names a tolerance, all answers within it are right.
    - A click is right if it is within the shape: in a circle, a square, or a triangle. With rows
      of `circle_click`, the first circle of the colour counts.

    Components, each 0 or 1:

    - `correct`: the answer is right
    - `clicked`: only where the task is to click: there was a click

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, the tool `click` or an empty list |
    | `stop_reason` | after the step, as all below: `answer` |
    | `is_success` | whether the reward is 1 |
    | `extracted_answer` | the answer, or the click as `(x, y)`; `""` if there is none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    The episode terminates at the first click, or at the first message without calls. At
    `max_turns`, 1 by default, a message whose call has wrong arguments is truncated.

    ## Policies
    `openai:` sends the picture; `hf:` and `vllm:` read it with vision-language models of Qwen's
    kind, and refuse it in one line with other models.

    ## Levels
    Level 0 has one shape, and asks for its colour, its form, or a click on it. It is only drawn
    with `level=0`.

    | level | bars | table | clock | map | counted | other shapes |
    | --- | --- | --- | --- | --- | --- | --- |
    | 1 | 4 | 3 × 2 | steps of 5 | 4 towns | 1 to 8 | none |
    | 2 | 5 | 4 × 3 | no numbers | 6 towns | 1 to 12 | 4 |
    | 3 | 6 | 5 × 4 | minutes | 9 towns | 2 to 15, of a colour and a form | 8 |
    | 4 | 8 | 6 × 5, also sums | no numbers | 9 towns, fewer roads | 3 to 20 | 14 |
    | 5 | 9 | 8 × 5, also sums | no minute marks | 12 towns, fewer roads | 4 to 26 | 20 |

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question; how to answer is added to it |
    | `picture` | a file (PNG, JPEG, GIF or WebP), a `data:` URL, or a web address |
    | `scene` | in place of `picture`: shapes that are drawn, see `textgym.envs.pictures.drawing` |
    | `answer` | the right answer, a text or a number |
    | `accepted` | optional, more texts that are right |
    | `target` | in place of `answer`: the shape to click on, as form, x, y and radius in pixels |
    | `responses_create_params`, `circles`, `target_color` | NeMo Gym's rows, as they are |

    Args:
        coordinates: The unit of clicks in textgym's own rows: `pixels`, or `thousandths` of the
            picture's width and height, for models that resize pictures.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        ExtraMissingError: The extra `pictures` is not installed.
        UsageError: An argument is not valid.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Pictures-v0")
        >>> row = {"question": "How many red circles are in the picture?", "answer": 2,
        ...        "scene": [["circle", 60, 60, 12, "red"], ["circle", 200, 90, 12, "red"],
        ...                  ["square", 90, 200, 12, "blue"]]}
        >>> observation, info = env.reset(options={"task": row})
        >>> [part["type"] for part in observation[-1]["content"]]
        ['text', 'image_url']
        >>> env.step("There are \\boxed{2}.")[1]
        1.0

        A click:

        >>> from textgym.messages import assistant_calls
        >>> row = {"question": "Click on the blue square.", "scene": row["scene"],
        ...        "target": ["square", 90, 200, 12]}
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step(assistant_calls(("click", {"x": 95, "y": 190})))[1]
        1.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Pictures-v0",
        summary="Questions about drawn pictures, answered with a text or a click.",
        structure=("single-step", "multi-modal"),
        capabilities=("information relevance", "calculation", "tool use"),
        domain=("pictures",),
        task_type="question answering",
        verification=("exact match", "point in shape"),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.2,
        chance=0.041,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym circle_count and circle_click rows",
        accepts=("full stop", "markdown"),
        several_answers=True,
        extra="pictures",
    )

    task: PicturesTask

    max_turns = 1

    def __init__(self, *, coordinates: str = "pixels", **kwargs: Unpack[TextEnvOptions]) -> None:
        if coordinates not in ("pixels", "thousandths"):
            raise UsageError(
                f"coordinates must be 'pixels' or 'thousandths', not {coordinates!r:.100}"
            )
        import_pillow()
        self._thousandths = coordinates == "thousandths"
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a scene and a question of a random kind."""
        kind, row = (KINDS if level else FIRST_KINDS).draw(rng, level)
        return {**row, "category": kind}

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the picture; of a clock, the time."""
        return row["answer"] if row["category"] == "clock_face" else row["scene"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's or NeMo Gym's rows, and draw its scene."""
        return read_picture_row(row, self._thousandths)

    def begin(self, task: Task) -> dict[str, Any]:
        """Return a state without a click."""
        return {"click": None}

    @tool
    def click(self, x: int, y: int) -> str:
        """Click at a point of the picture.

        Args:
            x: The distance from the left edge.
            y: The distance from the top edge.
        """
        self.state["click"] = [x, y]
        self.finish()
        return "clicked"

    def grade(self) -> Grade:
        """Compare the answer, or look where the click is."""
        if self.task.target is not None:
            return self._grade_click(self.state["click"])
        text = self.answer_text
        form = named_form(BOXED)
        right = any(match(answer, text, form) for answer in self.task.accepted)
        answer = stated_answer(text, form).strip()[:100]
        return Grade(float(right), right, {"correct": float(right)}, answer)

    def _grade_click(self, point: list[int] | None) -> Grade:
        if point is None:
            return Grade(0.0, False, {"correct": 0.0, "clicked": 0.0}, "")
        x, y = point
        (width, height), (most_x, most_y) = self.task.size, self.task.extent
        inside = 0 <= x < most_x and 0 <= y < most_y  # a model may say any number
        right = inside and _is_in(self.task.target, x * width / most_x, y * height / most_y)
        return Grade(float(right), right, {"correct": float(right), "clicked": 1.0}, f"({x}, {y})")

    def solve(self) -> Message:
        """Give the answer, or click on the middle of the shape."""
        if self.task.target is None:
            return assistant(f"\\boxed{{{self.task.answer}}}")
        _, x, y, _ = self.task.target
        (width, height), (most_x, most_y) = self.task.size, self.task.extent
        point = {"x": round(x * most_x / width), "y": round(y * most_y / height)}
        return assistant_calls(("click", point))

    def guess(self, rng: random.Random) -> Message:
        """Click anywhere, or give a colour, a form, a small number or a time."""
        if self.task.target is not None:
            x, y = (randint(rng, 0, most - 1) for most in self.task.extent)
            return assistant_calls(("click", {"x": x, "y": y}))
        kind = self.task.row.get("category")
        if kind == "clock_face":
            return assistant(f"\\boxed{{{randint(rng, 1, 12)}:{5 * randint(rng, 0, 11):02}}}")
        if kind in FIRST_KINDS:
            return assistant(f"\\boxed{{{choice(rng, TINTS if kind == 'colour' else FORMS)}}}")
        number = 5 * randint(rng, 1, 20) if kind == "chart" else randint(rng, 1, 8)
        if kind in ("table", "roads"):
            number = randint(rng, 10, 99)
        return assistant(f"\\boxed{{{number}}}")


def _is_in(shape: Any, x: float, y: float) -> bool:
    """Return whether a point is in a shape, its edge included."""
    form, centre_x, centre_y, radius = shape
    across, down = abs(x - centre_x), y - centre_y
    if form == "circle":
        return bool(across**2 + down**2 <= radius**2)
    if form == "square":
        return bool(max(across, abs(down)) <= radius)
    return bool(abs(down) <= radius and across <= (down + radius) / 2)
