"""Texts that know the form of an answer but not the answer, and shortcuts from features."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from textgym.checks.shortcuts.models import Model
from textgym.envs.constraints import Constraints
from textgym.envs.constraints.additions import KEYWORDS, NAMES, PALINDROMES
from textgym.envs.constraints.generator import LEVELS, stuffed
from textgym.envs.constraints.jobs import FILLERS
from textgym.envs.constraints.notes import _CORRECTIONS, draw_brief

SOME = pytest.mark.parametrize("n", [2, pytest.param(5, marks=pytest.mark.slow)])
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def spans(prompt: str) -> Iterator[str]:
    """Yield the prompt, its paragraphs, lines and sentences, and runs of lines."""
    lines = prompt.split("\n")
    yield prompt
    yield from prompt.split("\n\n")
    yield from lines
    yield from re.split(r"(?<=[.])\s", prompt)
    for size in (2, 3, 5, 8):
        yield from ("\n".join(lines[start : start + size]) for start in range(len(lines)))


def occurrences(prompt: str, facts: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return where facts begin in a prompt, and where they end."""
    found = [match.span() for fact in facts for match in re.finditer(re.escape(fact), prompt)]
    return {start for start, _ in found}, {end for _, end in found}


def paid(env: Constraints, row: Mapping[str, Any], texts: set[str]) -> list[str]:
    """Return the texts that are paid anything."""
    found = []
    for text in texts:
        env.reset(options={"task": dict(row)})
        if env.step(text)[1]:
            found.append(text)
    return found


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_no_span_of_the_prompt_has_the_right_facts(level: int, n: int) -> None:
    env = Constraints(level=level)
    for index in range(2 * n):
        task: Any = env.get_task(index)
        found = {*spans(task.messages[0]["content"])}
        for text in found | {BRACKETS.sub("", span) for span in found}:
            assert task.facts.share_in(text) < 1.0, text
        starts, ends = occurrences(task.messages[0]["content"], task.facts.required)
        assert starts, task
        for start, end in itertools.product(starts, ends):
            text = task.messages[0]["content"][start:end]
            assert task.facts.share_in(text) < 1.0, text


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_of_sets_of_candidates_only_the_right_one_has_the_right_facts(level: int, n: int) -> None:
    env, rng = Constraints(level=level), random.Random(level)
    disguises = ("{}", "**{}**", "<b>{}</b>", "({})", "\u200b{}\u200b", "`{}`", "\u2066{}\u2069")
    for index in range(n):
        task: Any = env.get_task(index)
        facts = task.facts
        candidates = [*facts.required, *facts.forbidden]
        for _ in range(20):
            wrong = rng.choice([*facts.forbidden, None])
            kept = [fact for fact in candidates if fact != wrong and rng.random() < 0.5]
            many = [*{*facts.required, *kept}] if wrong is None else [*facts.required, wrong]
            few = rng.sample(facts.required, len(facts.required) - 1)
            for said in (many, few, kept, candidates):
                rng.shuffle(said)
                text = "\n".join(map(rng.choice(disguises).format, said))
                assert (facts.share_in(text) == 1.0) is ({*said} == {*facts.required}), text


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_the_first_or_last_value_of_the_right_thing_is_often_wrong(level: int, n: int) -> None:
    env = Constraints(level=level)
    lucky: Counter[str] = Counter()
    for index in range(10 * n):
        task: Any = env.get_task(index)
        prompt = task.messages[0]["content"]
        first, last = list(task.facts.required), list(task.facts.required)
        for place, new in enumerate(task.facts.required):
            for wording, old in itertools.product(_CORRECTIONS, task.facts.forbidden):
                if wording.format(new=new, old=old) in prompt:
                    chosen = first if wording.index("{old}") < wording.index("{new}") else last
                    chosen[place] = old
            if outdated := re.search(rf" is {re.escape(new)}, forget (.*)\.", prompt):
                first[place] = outdated[1]
        lucky["first"] += task.facts.share_in(" / ".join(first)) == 1.0
        # The last value is the right one in mails, in half of the tasks from level 4 on.
        lucky["last"] += level < 4 and task.facts.share_in(" / ".join(last)) == 1.0
    assert max(lucky.values()) < 10 * n * 0.4


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_copies_of_the_prompt_in_any_form_are_not_paid(level: int, n: int) -> None:
    env = Constraints(level=level, grading_mode="fraction")
    for index in range(max(n // 4, 4)):
        row = env.get_task(index).row
        prompt = row["prompt"]
        texts = {
            prompt,
            f'"{prompt}"',
            stuffed(prompt),
            "\n".join(prompt.split()),
            "".join(prompt.split()),
            json.dumps({"text": prompt}),
            prompt.upper(),
            BRACKETS.sub("", prompt),
            prompt.replace("\u0020", "\u00a0"),
            prompt.replace("-", "\u2011"),
            "\u200b".join(prompt),
            prompt[::-1],
        }
        assert paid(env, row, texts) == []


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_lists_of_facts_fillers_and_other_witnesses_are_not_paid(level: int, n: int) -> None:
    env = Constraints(level=level)
    another = Constraints(level=level, split="train")
    for index in range(n):
        row = env.get_task(index).row
        facts = [*row["required"], *row["forbidden"]]
        witness = row["witness"]
        wrong = another.get_task(index + n).row["witness"]
        texts = {
            "",
            " ".join(FILLERS),
            stuffed(" ".join(FILLERS)),
            ", ".join(facts),
            "\n".join(f"- {fact}" for fact in facts),
            ", ".join(row["required"][:-1]),
            wrong,
            f"{witness}\n\n{wrong}",
            f"{wrong}\n\n{witness}",
            f"<think>{witness}",
            f"<think>{witness}</think>",
        }
        assert paid(env, row, texts) == []


WORDS = " ".join(first + second for first in "abcdefghij" for second in "klmnopqrst")
EXTRAS = (
    "<<T>>", "[name] [city] [date] [sum]", "*one* *two* *three*", "P.S. P.P.S Goodbye",
    "(a [b {c (d [e])}])", "What?! So: now; then. Yes!", "- x", "\n***\n", "\n******\n",
    " ".join(KEYWORDS), " ".join(NAMES[:8]), " ".join(PALINDROMES), WORDS, "the of and to you",
    "and but or so for nor yet", "Section 1 Section 2 Section 3 Part 1 Part 2 Part 3",
    "... x ... y ~~ x ~~ y", "My Answer: x My Conclusion: y Future Outlook: z", "<i>x</i> y",
    "\"They say 'it is \"home\" now' here.\" So", "Remember: x",
)  # fmt: skip


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_right_facts_in_a_text_of_any_fixed_form_are_hardly_ever_paid(level: int, n: int) -> None:
    env, rng = Constraints(level=level), random.Random(level)
    rows = [env.get_task(index).row for index in range(3 * n)]
    some = [rng.sample(EXTRAS, size) for size in (3, 6, 10, 15) for _ in range(2)]
    best = 0
    for extras, join, wrap in itertools.product(([], *some), ("\n", " "), ("{}", '"{}"')):
        texts = [
            wrap.format(join.join([" and ".join(row["required"]), *extras]).replace(",", ""))
            for row in rows
        ]
        best = max(
            best, sum(bool(paid(env, row, {text})) for row, text in zip(rows, texts, strict=True))
        )
    assert best <= len(rows) * 0.2


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_right_facts_without_the_form_are_not_paid(level: int, n: int) -> None:
    env = Constraints(level=level)
    lucky = 0
    for index in range(10 * n):
        row = env.get_task(index).row
        plain = f"This is about {row['required'][0]}: " + " and ".join(row["required"][1:]) + "."
        texts = {plain, stuffed(plain), f"{plain} {' '.join(FILLERS[:9])}"}
        lucky += bool(paid(env, row, texts))
    assert lucky <= 10 * n * 0.05


@pytest.mark.slow
def test_features_of_the_notes_do_not_tell_the_thing() -> None:
    pytest.importorskip("sklearn")
    rows, right = {"train": [], "test": []}, {"train": [], "test": []}  # type: ignore[var-annotated]
    for split, count in (("train", 2000), ("test", 1000)):
        for seed in range(count):
            brief = draw_brief(random.Random(f"{split} {seed}"), 4)
            names = [name for name in brief.job.subjects if name in brief.notes]
            names.sort(key=brief.notes.index)
            features = [len(brief.notes), len(brief.request), brief.notes.count("\n")]
            for name in names:
                lines = [line for line in brief.notes.split("\n") if name in line]
                places = [brief.notes.find(name), brief.notes.rfind(name)]
                features += [len(name), len(lines), sum(map(len, lines)), *places]
            rows[split].append(features)
            right[split].append(names.index(brief.subject))
    for kind in ("logit", "trees"):
        guessed = Model(kind, rows["train"], right["train"]).classes(rows["test"])
        score = sum(a == b for a, b in zip(guessed, right["test"], strict=True)) / 1000
        assert score < 0.25 + 4 * (0.25 * 0.75 / 1000) ** 0.5
    shares = [right["train"].count(place) / 2000 for place in range(4)]
    assert max(shares) < 0.25 + 4 * (0.25 * 0.75 / 2000) ** 0.5
