"""Policies that know the format of an environment's answers but ignore the question.

`BLIND` contains such policies for every registered environment. A policy is called with the
environment, a random generator and the conversation, and returns the next message. It uses at most
the parts that do not state the question, such as a list of options or the output of a tool.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from haystack_reader import asked, parts
from haystack_surface import LOOK_UPS, SURFACE, Surface

from textgym.core.text_env import TextEnv
from textgym.envs.constraints.generator import stuffed
from textgym.envs.constraints.jobs import FILLERS
from textgym.envs.generation import clock
from textgym.envs.redefined_rules.answers import written
from textgym.envs.redefined_rules.families.board_games import ending, targets
from textgym.envs.redefined_rules.families.calculation import evaluate
from textgym.envs.redefined_rules.families.instructions import changed_list, end_of_way, names_found
from textgym.envs.redefined_rules.families.sorting import sorted_numbers, sorted_words
from textgym.envs.redefined_rules.families.table_games import points, winners
from textgym.messages import Message, assistant_calls, text_of

Blind = Callable[[TextEnv[Any], random.Random, list[Message]], Message | str]


def say(text: str) -> Blind:
    """Always send the same text."""
    return lambda env, rng, conversation: text


def guess(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message:
    """Send the message of the environment's own random policy."""
    return env.guess(rng)


def several_guesses(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message:
    """Make as many calls as a message may have, each of the random policy."""
    first = env.guess(rng)
    more = [env.guess(rng)["tool_calls"][0] for _ in range(env.max_calls - 1)]
    calls = [*first["tool_calls"], *more]
    return {**first, "tool_calls": [{**call, "id": ""} for call in calls]}


def best_of_a_picture(env: TextEnv[Any], rng: random.Random, said: list[Message]) -> Any:
    """Answer with the middle of what may be asked for, without the picture."""
    if env.task.target is not None:
        x, y = (most // 2 for most in env.task.extent)
        return assistant_calls(("click", {"x": x, "y": y}))
    most = {"compare": "3", "count": "6", "chart": "50", "clock_face": "3:00"}
    return f"\\boxed{{{most.get(env.task.row['category'], '100')}}}"


def one_order(env: TextEnv[Any], order: dict[str, str]) -> str:
    """Return the sentence that an order would have if it were the one that is asked for."""
    return env.task.row["form"].format(**{**order, "name": env.task.row["asked"]})


def prompt_of(conversation: list[Message]) -> str:
    """Return the text of the prompt."""
    leading = []
    for message in conversation:
        if message["role"] in ("assistant", "tool"):
            break
        leading.append(text_of(message))
    return "\n".join(leading)


# Programs: the right names, and values that do not depend on the question.

_EQUAL = "import sys\nclass Equal(int):\n    def __eq__(self, other):\n        return True\n"


def program(returns: str, prints: str) -> Blind:
    """Write a program that returns a value from all functions and methods, or prints it."""

    def write(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
        prompt = prompt_of(conversation)
        names = re.findall(r"function `(\w+)\(|`(\w+)\(", prompt)
        functions = [f"def {one or other}(*args):\n    {returns}\n" for one, other in names]
        methods = "".join(f"    {line}\n" for text in functions for line in text.splitlines())
        made = re.search(r"class `(\w+)`", prompt)
        if made:
            return f"{_EQUAL}class {made[1]}:\n{methods}"
        return f"{_EQUAL}{functions[0]}" if "function `" in prompt else f"{_EQUAL}{prints}\n"

    return write


def another_program(env: TextEnv[Any]) -> str:
    """Return the right program of the next task of the same level."""
    other = type(env)(level=env.level, split="train")
    other.reset(options={"index": 0})
    return text_of(other.unwrapped.solve())


# Multiple choice: an option chosen by its position or its text.


def option(key: Callable[[str], Any]) -> Blind:
    """Choose the option whose text has the smallest key."""

    def choose(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
        options = re.findall(r"^([A-D]): (.*)$", prompt_of(conversation), re.MULTILINE)[-4:]
        return f"\\boxed{{{min(options, key=lambda pair: key(pair[1]))[0]}}}"

    return choose


def most_alike(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
    """Choose the option that has the most characters in common with the others, by position."""
    options = re.findall(r"^([A-D]): (.*)$", prompt_of(conversation), re.MULTILINE)[-4:]
    likeness = {
        letter: sum(a == b for _, other in options for a, b in zip(text, other, strict=False))
        for letter, text in options
    }
    return f"\\boxed{{{max(likeness, key=lambda letter: likeness[letter])}}}"


# Mathematics: a fixed number, or one from the problem.


def number_of_the_problem(choose: Callable[[list[int]], int]) -> Blind:
    """Box one of the numbers in the problem."""

    def copy(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
        numbers = [int(digits) for digits in re.findall(r"\d{1,9}", prompt_of(conversation))]
        return f"\\boxed{{{choose(numbers or [1])}}}"

    return copy


# Questions with short answers: a word of the question.


def last_name(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
    """Answer with the last capitalised word of the question that does not begin a sentence."""
    question = prompt_of(conversation).partition("\n\n")[0]
    names = re.findall(r"(?<![.?!:] )(?<!^)\b[A-Z][a-z]+\b", question)
    return names[-1] if names else "south"


# Guess the number: policies that ignore the feedback.


def game(env: TextEnv[Any]) -> tuple[int, int]:
    """Return the highest number and the number of turns."""
    return env.task.row["highest"], env.task.row["turns"]


def counting(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
    """Guess 1, 2, 3 and so on."""
    return str(env.turn + 1)


def spread(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
    """Guess evenly spaced numbers."""
    highest, turns = game(env)
    return str(1 + (2 * env.turn + 1) * highest // (2 * turns))


# A counter: one change, with or without reading it first.


def adding(count: int) -> Blind:
    """Add a number and end."""

    def add(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message | str:
        return "Done." if env.turn else assistant_calls(("increment_counter", {"count": count}))

    return add


def reading(change: Callable[[int], int]) -> Blind:
    """Read the counter, add a number that depends on its value, and end."""

    def add(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message | str:
        if env.turn == 0:
            return assistant_calls(("get_counter_value", {}))
        if env.turn > 1:
            return "Done."
        count = json.loads(text_of(conversation[-1]))["count"]
        return assistant_calls(("increment_counter", {"count": change(count)}))

    return add


# The weather: call the tool, then answer with a part of its output.


def weather(choose: Callable[[random.Random, dict[str, Any]], list[Any]]) -> Blind:
    """Call the tool for the city, and answer with some values of its output."""

    def answer(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message | str:
        if env.turn == 0:
            return assistant_calls(("get_weather", {"city": env.task.row["city"]}))
        told = json.loads(text_of(conversation[-1]))
        del told["city"]
        return f"Answer: {' '.join(map(str, choose(rng, told)))}"

    return answer


def word_and_number(rng: random.Random, told: dict[str, Any]) -> list[Any]:
    """Choose one of the words and one of the numbers."""
    words = [value for value in told.values() if isinstance(value, str)]
    return [rng.choice(words), rng.choice([v for v in told.values() if not isinstance(v, str)])]


# Synonyms: the values of one group of the list.


def groups(choose: Callable[[random.Random, list[list[str]]], list[str]]) -> Blind:
    """Submit the values of the synonyms of a term in the list."""

    def hand_in(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Any:
        if env.turn:
            return "Done."
        found: dict[str, list[str]] = {}
        pairs = re.findall(r"the term '(.+?)' has the synonym '(.+?)'", prompt_of(conversation))
        for term, synonym in pairs:
            found.setdefault(term, []).append(synonym)
        values = [sum(map(ord, word)) for word in choose(rng, list(found.values()))]
        return assistant_calls(("extract_synonym_values", {"synonym_values": values}))

    return hand_in


# A calendar: always the same events.


def events(lengths: tuple[int, ...], first: int = 10, every: int = 90) -> Blind:
    """Show events one after another, numbered from 0."""
    entries = [
        {
            "event_id": id,
            "event_name": "Event",
            "start_time": clock(60 * first + every * id),
            "duration": length,
        }
        for id, length in enumerate(lengths)
    ]
    return say(json.dumps(entries))


# A long document: a value, a key or a count that stands out.


def superficial(read: Surface) -> Blind:
    """Answer what a policy finds that reads the prompt superficially."""

    def answer(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
        document, question = parts(prompt_of(conversation))
        return f"Answer: {read(document, asked(question))}"

    return answer


# Texts that follow instructions: a text without facts, or a part of the prompt.


def part_of_the_prompt(choose: Callable[[str], str]) -> Blind:
    """Send a part of the prompt."""
    return lambda env, rng, conversation: choose(prompt_of(conversation))


def longest_paragraph(prompt: str) -> str:
    """Return the longest paragraph, which is often that of the notes."""
    return max(prompt.split("\n\n"), key=len)


# Redefined rules: the usual answer, changed, or the answer by a rule that is always the same.


def changed_answer(change: Callable[[Any], Any]) -> Blind:
    """Change the usual answer."""

    def answer(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
        usual = env.task.row["usual_answer"]
        return f"Answer: {written(change(usual))}"

    return answer


def of_list(change: Callable[[list[Any]], list[Any]]) -> Blind:
    """Change the usual answer if it is a list."""
    return changed_answer(lambda usual: change(usual) if isinstance(usual, list) else usual)


def of_number(change: Callable[[int], int]) -> Blind:
    """Change the usual answer if it is a number."""
    return changed_answer(lambda usual: change(usual) if isinstance(usual, int) else usual)


_OTHERS = {"yes": "no", "no": "yes", "X": "O", "O": "X"} | dict(zip("ABCDE", "BCDEA", strict=True))


def one_rule(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> str:
    """Answer by one redefinition for each family, which is often right, whatever the prompt says.

    For the other families, a frequent change of the usual answer.
    """
    row = env.task.row
    family, _, asked = json.loads(row["content"])
    rounds = "with even numbers (the second, the fourth and so on)"
    if family == "precedence":
        parts = asked.split()
        order = ("order", "left", (("+", "−", "×"),))
        answer: Any = evaluate([*map(int, parts[::2])], parts[1::2], [order])
    elif family == "gestures":
        answer = points(*asked, [("turned", rounds)])
    elif family == "noughts":
        answer = ending(asked, [("lines", "three of a file")])
    elif family == "pieces":
        piece, size, *squares = asked
        square, *pawns = (("abcdefg".index(s[0]), int(s[1]) - 1) for s in (squares[0], *squares[1]))
        answer = targets(piece, size, square, pawns, [("move", "", ("slide", "diagonal", 1))])
    elif family == "alphabets":
        answer = sorted_words(asked, [("end",)])
    elif family == "numbers":
        answer = sorted_numbers(asked, [("last digit", 0)])
    elif family == "tables":
        answer = names_found(*asked, [("count", 9)])
    elif family == "directions":
        answer = end_of_way(*asked, [("means", ("down", "right", "left", "up"), "", 1)])
    elif family == "tricks":
        answer = winners(*asked, [("low", "in the first, the third and the fifth trick")])
    elif family == "lists":
        answer = changed_list(*asked, [("place", "first", "fourth", "")])
    else:
        usual = row["usual_answer"]
        items = usual if isinstance(usual, list) else [usual]
        answer = [_OTHERS.get(item, item) for item in items]
    return f"Answer: {written(answer)}"


def asking(question: str) -> Blind:
    """Ask a question, and then say that it cannot be done."""
    return lambda env, rng, conversation: "It cannot be done." if env.turn else question


# A desk: the calls that change something, with ids, versions and prices that nobody has looked up.


def straight(env: TextEnv[Any], rng: random.Random, conversation: list[Message]) -> Message | str:
    """Make the call that the request seems to ask for, with what it says and the lowest ids."""
    if env.turn:
        return "It is done."
    text = prompt_of(conversation).rpartition("\n")[2]
    number = next((n for n, word in enumerate(_NUMBERS) if f" {word} " in text), 2)
    booking = next(iter(re.findall(r"\d{6}", text)), "200000")
    version = {"version": "0000"}
    if "ancel" in text:
        return assistant_calls(
            ("cancel_booking", {"booking_id": booking, **version, "refund": 50 * number})
        )
    customer = {"customer_id": str(rng.randrange(2000, 2999))}
    if "seats" in text:
        departure = {"departure_id": str(rng.randrange(20000, 28000)), "price": 60}
        return assistant_calls(("book_seats", {**customer, **departure, "seats": number}))
    item = {"item_id": str(rng.randrange(200, 592)), "quantity": number}
    return assistant_calls(("place_order", {**customer, **item}))


_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
)  # fmt: skip


BLIND: dict[str, dict[str, Blind]] = {
    "textgym/AskFirst-v0": {
        "nothing": say("It is done."),
        "it cannot be done": say("I am sorry, this cannot be done."),
        "asks, and gives up": asking("Who, when, what time, and how long?"),
        "asks for everything, and gives up": asking("Could you tell me all the details?"),
        "claims both": say("It is done. It cannot be done."),
        "the prompt": part_of_the_prompt(str),
        "the end of the prompt": part_of_the_prompt(lambda prompt: prompt[-400:]),
        "guess": guess,
    },
    "textgym/Calendar-v0": {
        "nothing": say("[]"),
        "two events": events((60, 60)),
        "two events, the second late": events((60, 60), every=240),
        "two events in the middle": events((45, 45), first=12, every=75),
        "two short events around noon": events((30, 30), first=13, every=-120),
        "three events": events((60, 60, 60)),
        "guess": guess,
    },
    "textgym/Constraints-v0": {
        "nothing": say(""),
        "one sentence": say("We look forward to seeing all of you."),
        "fillers": say(" ".join(FILLERS)),
        "a bit of everything": say(stuffed(" ".join(FILLERS))),
        "the prompt": part_of_the_prompt(str),
        "the longest paragraph": part_of_the_prompt(longest_paragraph),
        "its first lines": part_of_the_prompt(lambda prompt: prompt[: len(prompt) // 2]),
        "the prompt without blanks": part_of_the_prompt(lambda prompt: "".join(prompt.split())),
        "everything and the prompt": part_of_the_prompt(stuffed),
        "guess": guess,
    },
    "textgym/Contingency-v0": {
        "nothing": say("It is done."),
        "straight calls without reading": straight,
        "guess": guess,
    },
    "textgym/EquivalenceJudge-v0": {
        "last name of the question": last_name,
        **{word: say(word) for word in ("south", "north", "east", "Tuesday", "3", "4", "blue")},
        "guess": guess,
    },
    "textgym/FunctionCall-v0": {
        "no tool fits": say("no tool fits"),
        "guess": guess,
        "several guesses": several_guesses,
    },
    "textgym/GuessNumber-v0": {
        "guess": guess,
        "1, 2, 3": counting,
        "evenly apart": spread,
        "always 2": say("2"),
    },
    "textgym/Haystack-v0": {
        **{name: superficial(read) for name, read in SURFACE.items() if name not in LOOK_UPS},
        "guess": guess,
    },
    "textgym/MCQA-v0": {
        **{letter: say(f"\\boxed{{{letter}}}") for letter in "ABCD"},
        "shortest": option(len),
        "longest": option(lambda text: -len(text)),
        "first in the alphabet": option(str),
        "most like the others": most_alike,
        "guess": guess,
    },
    "textgym/Math-v0": {
        **{str(n): say(f"\\boxed{{{n}}}") for n in (0, 1, 2, 3, 4, 6, 8, 9, 12)},
        "first number": number_of_the_problem(lambda numbers: numbers[0]),
        "last number": number_of_the_problem(lambda numbers: numbers[-1]),
        "largest number": number_of_the_problem(max),
        "sum of the numbers": number_of_the_problem(sum),
        "guess": guess,
    },
    "textgym/MultiIntent-v0": {
        "nothing": say("It is done."),
        "it cannot be done": say("I am sorry, this cannot be done."),
        "asks": say("Which of these comes first?"),
        "the prompt": part_of_the_prompt(str),
        "guess": guess,
    },
    "textgym/MultiStep-v0": {
        "largest group": groups(lambda rng, found: max(found, key=len)),
        "smallest group": groups(lambda rng, found: min(found, key=len)),
        "first group": groups(lambda rng, found: found[0]),
        "last group": groups(lambda rng, found: found[-1]),
        "some group": groups(lambda rng, found: rng.choice(found)),
        "all synonyms": groups(lambda rng, found: [word for group in found for word in group]),
        "guess": guess,
    },
    "textgym/RedefinedRules-v0": {
        "usual answer": changed_answer(lambda usual: usual),
        "one rule for each family": one_rule,
        "reversed": of_list(lambda usual: usual[::-1]),
        "rotated": of_list(lambda usual: usual[1:] + usual[:1]),
        "without the first": of_list(lambda usual: usual[1:]),
        "the other words": of_list(lambda usual: [_OTHERS.get(item, item) for item in usual]),
        "one more": of_number(lambda usual: usual + 1),
        "twice as much": of_number(lambda usual: 2 * usual),
        "negative": of_number(lambda usual: -usual),
        "guess": guess,
    },
    "textgym/Pictures-v0": {
        "guess": guess,
        "the best guess of a kind": best_of_a_picture,
    },
    "textgym/RewardModel-v0": {
        "guess": guess,
        "the example": lambda env, rng, said: prompt_of(said).rpartition(": ")[2],
        "the prompt": lambda env, rng, said: prompt_of(said),
        "the first order": lambda env, rng, said: one_order(env, env.task.row["orders"][0]),
        "the last order": lambda env, rng, said: one_order(env, env.task.row["orders"][-1]),
    },
    "textgym/Search-v0": {
        "unknown": say("Answer: unknown\nSources: D-0001"),
        "guess": guess,
    },
    "textgym/Program-v0": {
        "the argument": program("return args[0]", "print(sys.stdin.read())"),
        "a number": program("return 1", "print(1)"),
        "an object that is equal to everything": program("return Equal()", "print(Equal())"),
        "the program of another task": lambda env, rng, conversation: another_program(env),
        "guess": guess,
    },
    "textgym/SessionState-v0": {
        **{f"add {n}": adding(n) for n in (1, 20, 21, 50, 99, 100, 101, 150)},
        "double": reading(lambda count: count),
        "double twice": reading(lambda count: 3 * count),
        "double three times": reading(lambda count: 7 * count),
        "to zero": reading(lambda count: -count),
        "double, and 50 more": reading(lambda count: count + 50),
        "guess": guess,
    },
    "textgym/SingleToolCall-v0": {
        "some word": weather(lambda rng, told: word_and_number(rng, told)[:1]),
        "some number": weather(lambda rng, told: word_and_number(rng, told)[1:]),
        "some word and some number": weather(word_and_number),
        "the first word and the temperature": weather(
            lambda rng, told: [*list(told.values())[:1], told["temperature"]]
        ),
        "everything": weather(lambda rng, told: list(told.values())),
        "without asking": say("Answer: sunny"),
        "guess": guess,
    },
    "textgym/StructuredOutput-v0": {
        **{text: say(text) for text in ("{}", "[]", "null", "record:", "a,b\n1,2")},
        "guess": guess,
        "the text": lambda env, rng, conversation: prompt_of(conversation),
        "the schema": lambda env, rng, conversation: json.dumps(env.task.schema),
    },
    "textgym/WorkplaceAssistant-v0": {
        "nothing": say("It is done."),
        "guess": guess,
    },
}


def play(env: TextEnv[Any], policy: Blind, index: int) -> float:
    """Play a task and return the sum of its rewards."""
    rng = random.Random(index)
    conversation, _ = env.reset(options={"index": index})
    total, ended = 0.0, False
    while not ended:
        action = policy(env, rng, conversation)
        conversation, reward, terminated, truncated, _ = env.step(action)
        total, ended = total + float(reward), terminated or truncated
    return total
