"""`textgym/SingleToolCall-v0`: answer a question about the weather with one tool call."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from typing_extensions import TypedDict

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.generation import choice, randint, sample
from textgym.envs.weather_answers import CONDITIONS, MAX_ANSWER_LENGTH, is_right
from textgym.errors import RowError, ToolError
from textgym.messages import Message, assistant, assistant_calls, text_of, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task, hash_int
from textgym.tools import tool
from textgym.verifiers.exact import normalize_answer
from textgym.verifiers.stated import named_form, stated_answer

__all__ = ["SingleToolCall"]

_CITIES = (
    "Aberdeen", "Accra", "Adelaide", "Algiers", "Amman", "Antwerp", "Athens", "Baltimore",
    "Bangkok", "Barcelona", "Beirut", "Belgrade", "Bergen", "Berlin", "Bilbao", "Bogota",
    "Bologna", "Bordeaux", "Boston", "Brisbane", "Bristol", "Brussels", "Budapest", "Cairo",
    "Calgary", "Canberra", "Caracas", "Cardiff", "Chicago", "Cologne", "Cordoba", "Cork", "Dakar",
    "Dallas", "Denver", "Detroit", "Dublin", "Durban", "Edinburgh", "Florence", "Geneva", "Genoa",
    "Ghent", "Glasgow", "Granada", "Graz", "Halifax", "Hamburg", "Hanoi", "Havana", "Helsinki",
    "Hiroshima", "Houston", "Istanbul", "Jakarta", "Kampala", "Kathmandu", "Kingston", "Kyoto",
    "Lagos", "Leipzig", "Lima", "Lisbon", "Liverpool", "Ljubljana", "London", "Luanda", "Lusaka",
    "Lyon", "Madrid", "Malmo", "Manila", "Marseille", "Melbourne", "Miami", "Milan", "Montevideo",
    "Montreal", "Mumbai", "Munich", "Nairobi", "Naples", "New York", "Osaka", "Oslo", "Ottawa",
    "Paris", "Perth", "Porto", "Prague", "Pretoria", "Quito", "Riga", "Rome", "Rotterdam",
    "Salzburg", "Santiago", "Seattle", "Seoul", "Seville", "Shanghai", "Sofia", "Split",
    "Stockholm", "Sydney", "Tallinn", "Toronto", "Toulouse", "Tunis", "Turin", "Utrecht",
    "Valencia", "Vancouver", "Venice", "Vienna", "Vilnius", "Warsaw", "Wellington", "Windhoek",
    "Zagreb", "Zurich",
)  # fmt: skip
_HOURS = ("morning", "noon", "afternoon", "evening", "night", "dawn")
_READINGS = {
    "temperature": ("the temperature in {}, in degrees Celsius,", -25, 45),
    "soil": ("the temperature of the soil in {}, in degrees Celsius,", -20, 40),
    "humidity": ("the humidity in {}, in per cent,", 5, 99),
    "clouds": ("the cover of clouds in {}, in per cent,", 0, 100),
    "wind": ("the speed of the wind in {}, in kilometres an hour,", 1, 120),
    "pollen": ("the pollen in {}, in grains per cubic metre,", 0, 180),
    "pressure": ("the air pressure in {}, in hectopascals,", 950, 1050),
    "visibility": ("the visibility in {}, in hundreds of metres,", 1, 200),
    "rain": ("the rain of the last day in {}, in millimetres,", 0, 90),
    "ozone": ("the ozone in {}, in micrograms per cubic metre,", 10, 240),
}
_FIRST_QUESTIONS = ("What is {}?", "Look up {}.", "Please find out {}.")  # of level 0
_RULE = 'End with a line that says "Answer: " and the answer alone.'
MAX_CITY_LENGTH = 100


class Progress(TypedDict):
    """The state of an episode.

    Attributes:
        told: Whether the tool was called for the city of the question.
        strayed: Whether it was called for another one.
    """

    told: bool
    strayed: bool


class SingleToolCall(PartialCreditEnv[Progress]):
    r"""Answer a question about a city's weather, using a tool.

    It measures the simplest use of a tool: to call it with the right argument, and to answer from
    its result. An answer without the call earns nothing, even if it is right.

    ## Description
    The model calls a tool to get the weather in the city, and answers the question with the result.
    The weather is fictional, so it is known only from the tool.

    ## Observation
    A user message with the question. NeMo Gym rows contain their own prompt. After a message with
    tool calls, one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without tool calls ends the
    episode and is the answer.

    ## Tools
    - `get_weather(city)` returns the weather of the row if `city` is the row's city. Case, the
      Unicode form of accents, and anything after a comma are ignored. For any other city it returns
      different weather, which is always the same for that city and differs from the row's in every
      value.

    ## Reward
    1 if the tool was called for the row's city and the answer is correct, else 0. A correct answer
    without that call is only a lucky guess. Components: `correct` (the answer is correct) and
    `told` (the tool was called for the city).

    The answer is the text after the last `Answer:`. Without one, it is what stands in the last
    `\boxed{}` or `<answer>`, or the whole text.
    - If `expected_answer` is a number, the last number in the answer must be equal to it, with no
      negation before it and no alternative, and the answer must not be a list of numbers.
      `minus 5` is -5.
    - If it is a string, the answer must contain it as whole words, in any case, with no negation
      before it (`not`, `anything but`), and must not contain any other weather word of the
      generator. A list of other words is wrong for each of them.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, `get_weather` |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the answer is correct and the tool was called for the city |
    | `extracted_answer` | the answer that was read |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.125 times the progress in the present state, rounded to 1/1024, so undoing
    progress costs what it earned. The last step adds the rest of 1 for a success. The verdict is
    the same. Progress is 1 if the tool was called for the row's city, and for no other one; else 0.

    The city is in the question, so a policy that calls the tool for it and answers anything gets
    0.125; with a word and a number of the result, 0.20 on average. Calling the tool for every word
    of the question gets nothing.

    ## Episode end
    The episode terminates at the first message without tool calls. At `max_turns` it is truncated,
    and the last message is the answer.

    ## Levels
    - 0: one of ten measurements, which is the tool's whole result; only drawn with `level=0`

    1. the weather at one of six times of day, which is one word of the tool's result
    2. one of ten measurements, such as the temperature
    3. a number to be computed from a measurement

    ## Rows
    | field | meaning |
    | --- | --- |
    | `city` | the city |
    | `expected_answer` | the correct answer, a string or a number |
    | `question` | the question; by default about the weather in the city |
    | `weather` | an object, the tool's result; by default `{"weather": expected_answer}` |
    | `asked` | in generated rows, the subject of the question: a value and a calculation |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `question` |

    Args:
        max_turns: The maximum number of assistant messages; 8 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/SingleToolCall-v0")
        >>> row = {"city": "Oslo", "expected_answer": "snowy"}
        >>> observation, info = env.reset(options={"task": row})
        >>> call = assistant_calls(("get_weather", {"city": "Oslo"}))
        >>> observation, reward, terminated, truncated, info = env.step(call)
        >>> observation[-1]["content"]
        '{"city": "Oslo", "weather": "snowy"}'
        >>> env.step("Answer: snowy")[1:4]
        (1.0, True, False)
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("Answer: snowy")[1]  # a guess
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/SingleToolCall-v0",
        summary="Answer a question about the weather with one tool call.",
        structure=("multi-step",),
        capabilities=("tool use",),
        domain=("general",),
        task_type="question answering",
        verification=("exact match",),
        levels=(1, 2, 3),
        first_rung=True,
        first_rung_chance=0.02,
        chance=0.089,
        data="generated, .jsonl, .parquet, .csv, hub",
        accepts=("markdown", "quotes", "sentences", "full stop", "any case"),
        distinct_tasks=179,
        notes="The tool returns six words and ten numbers. Levels 1 and 2 ask for one of them, and "
        "an answer can contain a word and a number. Their test tasks ask 216 and 179 different "
        "questions; where a question is repeated, the weather differs in nearly all cases.",
    )

    max_turns = 8
    credit = 0.125

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a city, its weather and a question about it."""
        city, weather = choice(rng, _CITIES), _draw_weather(rng)
        question, answer, asked = _draw_question(rng, level, city, weather)
        if level == 0:
            weather = {asked: weather[asked]}
        return {
            "city": city,
            "question": question,
            "weather": weather,
            "expected_answer": answer,
            "asked": asked,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the city, which does not reveal the part of its weather that is asked for."""
        return row["city"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one with NeMo Gym's prompt."""
        city, answer = row.get("city"), _answer_of(row)
        if not isinstance(city, str) or not normalize_answer(city):
            raise RowError("city", "is missing or empty")
        weather = row.get("weather")
        if weather is not None and not (isinstance(weather, Mapping) and weather):
            raise RowError("weather", "must be an object of names and values")
        if nemo_rows.has_prompt(row):
            prompt, tools = nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
        else:
            question = row.get("question", f"What is the weather like in {city}?")
            if not isinstance(question, str) or not question.strip():
                raise RowError("question", "must be a string that is not empty")
            prompt, tools = [user(f"{question} {_RULE}")], None
        return Task(row["id"], tuple(prompt), answer, tools, row)

    def begin(self, task: Task) -> Progress:
        """Return the state before the tool was called."""
        return {"told": False, "strayed": False}

    @tool
    def get_weather(self, city: str) -> dict[str, Any]:
        """Get the current weather in a city.

        Args:
            city: The city's name.
        """
        name = normalize_answer(city) if len(city) <= MAX_CITY_LENGTH else ""
        if not name:
            raise ToolError("city must be the name of a city")
        weather = self.task.row.get("weather") or {"weather": self.task.answer}
        expected = normalize_answer(self.task.row["city"])
        if expected in (name, normalize_answer(city.partition(",")[0])):
            self.state["told"] = True
        else:
            self.state["strayed"] = True
            weather = _another_weather(weather, f"{self.task.id} {name}")
        return {"city": city, **weather}

    def grade(self) -> Grade:
        """Compare the last message with the expected answer, and require the tool call."""
        form = named_form("\n".join(map(text_of, self.task.messages)))
        answer = stated_answer(self.answer_text, form)
        correct, told = is_right(answer, self.task.answer), self.state["told"]
        components = {"correct": float(correct), "told": float(told)}
        right = correct and told
        extracted = answer.strip()[:MAX_ANSWER_LENGTH]
        return self.less_paid(Grade(float(right), right, components, extracted_answer=extracted))

    def progress(self) -> float:
        """Return 1 if the tool was called for the row's city and no other one, else 0."""
        return float(self.state["told"] and not self.state["strayed"])

    def solve(self) -> Message:
        """Call the tool, then answer."""
        if not self.state["told"]:
            return assistant_calls(("get_weather", {"city": self.task.row["city"]}))
        return assistant(f"Answer: {self.task.answer}")

    def guess(self, rng: random.Random) -> Message:
        """Call the tool, then answer with random weather."""
        if self.turn == 0:
            return assistant_calls(("get_weather", {"city": self.task.row["city"]}))
        return assistant(f"Answer: {choice(rng, CONDITIONS)}")


def _answer_of(row: Mapping[str, Any]) -> str:
    answer = row.get("expected_answer")
    is_number = isinstance(answer, (int, float)) and not isinstance(answer, bool)
    text = str(answer) if isinstance(answer, str) or is_number else ""
    if not normalize_answer(text):
        raise RowError("expected_answer", f"must be a string or a number, not {answer!r}")
    return text


def _draw_weather(rng: random.Random) -> dict[str, Any]:
    """Return weather in which no two conditions and no two measurements are equal."""
    conditions = sample(rng, CONDITIONS, len(_HOURS))
    readings = {name: randint(rng, low, high) for name, (_, low, high) in _READINGS.items()}
    if len({*readings.values()}) < len(readings):
        return _draw_weather(rng)
    return {**dict(zip(_HOURS, conditions, strict=True)), **readings}


def _another_weather(weather: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return weather with the same names, in which every value is different."""
    rng = random.Random(hash_int(name))
    return {key: _another_value(rng, key, value) for key, value in weather.items()}


def _another_value(rng: random.Random, name: str, value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _, low, high = _READINGS.get(name, ("", 0, 100))
        return next(n for n in iter(lambda: randint(rng, low, high), None) if n != value)
    words = set(re.findall(r"\w+", normalize_answer(str(value))))
    return choice(rng, [condition for condition in CONDITIONS if condition not in words])


def _draw_question(
    rng: random.Random, level: int, city: str, weather: dict[str, Any]
) -> tuple[str, str, str]:
    """Return a question about a city's weather, its answer, and its subject."""
    if level == 1:
        hour = choice(rng, _HOURS)
        when = f"at {hour}" if hour in ("noon", "night", "dawn") else f"in the {hour}"
        words = ("What is the weather like in {} {}?", "How is the weather in {} {}?")
        return choice(rng, words).format(city, when), weather[hour], hour
    name = choice(rng, list(_READINGS))
    thing, value = _READINGS[name][0].format(city), weather[name]
    if level == 0:
        return choice(rng, _FIRST_QUESTIONS).format(thing.partition(",")[0]), str(value), name
    if level == 2:
        return f"What is {thing.rstrip(',')}?", str(value), name
    number = randint(rng, 2, 9)
    question, answer, calculation = choice(
        rng,
        [
            (f"What is {thing} multiplied by {number}?", value * number, f"times {number}"),
            (f"How much is {thing} and {10 * number} more?", value + 10 * number, f"plus {number}"),
            (
                f"How much must be added to {thing} to make it {2000 + number}?",
                2000 + number - value,
                f"to {number}",
            ),
        ],
    )
    return question, str(answer), f"{name} {calculation}"
