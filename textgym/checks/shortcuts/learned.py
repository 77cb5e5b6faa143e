"""Attackers that are fitted to the oracle's episodes on training tasks.

An attacker that has nothing to learn from is not applicable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from textgym.checks.attackers.knowledge import Attacker, Knowledge, Lesson
from textgym.checks.attackers.prompts import options, prompt_of, stem
from textgym.checks.episodes import NotApplicable, Scripted
from textgym.checks.shortcuts.choices import Choice, OptionScorer, surface
from textgym.checks.shortcuts.models import Classifier, Neighbours, SpanRanker, spans

__all__ = ["learned"]

_FEWEST = 20  # training tasks to learn from
_MOST_EPISODES = 30  # different episodes to distinguish
_SHARE = 0.05  # of the answers must be frequent, or stand in the prompt


def learned(known: Knowledge) -> Iterator[Attacker]:
    """Fit and yield the attackers.

    Raises:
        ExtraMissingError: The extra `audit` is not installed.
    """
    for name, summary, family, fit in (
        (
            "options by a linear model",
            "Chooses the option whose surface looks right to a linear model.",
            "shortcuts",
            lambda known: _options(known, "logit"),
        ),
        (
            "options by boosted trees",
            "Chooses the option whose surface looks right to boosted trees.",
            "shortcuts",
            lambda known: _options(known, "trees"),
        ),
        (
            "replies by words",
            "Replays the oracle's replies that a linear model of the prompt's words predicts.",
            "shortcuts",
            _by_words,
        ),
        (
            "span of the prompt",
            "Copies the words or numbers of the prompt whose place and kind look right.",
            "copies",
            _span,
        ),
        (
            "nearest training task",
            "Replays the oracle's replies in the training task with the most similar prompt.",
            "shortcuts",
            _nearest,
        ),
    ):
        try:
            policy = fit(known)
        except NotApplicable:
            policy = Scripted(_never)
        yield Attacker(name, summary, policy, family)


def _never(view: Scripted) -> str:
    raise NotApplicable


def _choices(known: Knowledge) -> list[Choice]:
    """Return the solved multiple-choice questions with the most frequent number of options."""
    choices = []
    for lesson in known.solved:
        with suppress(NotApplicable):
            offered = options(lesson.prompt)
            letter = known.form.core(lesson.answer)
            if letter in offered:
                right = list(offered).index(letter)
                choices.append(Choice(stem(lesson.prompt), list(offered.values()), right))
    widths = Counter(len(choice.options) for choice in choices)
    common = widths.most_common(1)[0][0] if widths else 0
    return [choice for choice in choices if len(choice.options) == common]


def _options(known: Knowledge, kind: str) -> Scripted:
    choices = _choices(known)
    if len(choices) < _FEWEST or len(choices) < len(known.solved) * _SHARE:
        raise NotApplicable
    scorer = OptionScorer(kind, surface(choices), [choice.right for choice in choices])
    width = len(choices[0].options)

    def answer(view: Scripted) -> str:
        prompt = prompt_of(view.messages)
        offered = options(prompt)
        if len(offered) != width:
            raise NotApplicable
        asked = Choice(stem(prompt), list(offered.values()), 0)
        best = scorer.best(surface([asked]))[0]
        return known.form.fill(list(offered)[best])

    return Scripted(answer)


def _by_words(known: Knowledge) -> Scripted:
    texts = [json.dumps(lesson.replies) for lesson in known.solved]
    counts = Counter(texts)
    frequent = [text for text, count in counts.most_common(_MOST_EPISODES) if count > 2]
    chosen = [i for i, text in enumerate(texts) if text in frequent]
    if len(frequent) < 2 or len(chosen) < max(_FEWEST, len(texts) * _SHARE):
        raise NotApplicable
    classifier = Classifier(
        [known.solved[i].prompt for i in chosen], [frequent.index(texts[i]) for i in chosen]
    )
    lessons = [known.solved[texts.index(text)] for text in frequent]
    return _replaying(lessons, classifier.best)


def _nearest(known: Knowledge) -> Scripted:
    if len(known.solved) < _FEWEST:
        raise NotApplicable
    neighbours = Neighbours([lesson.prompt for lesson in known.solved])
    return _replaying(known.solved, neighbours.nearest)


def _replaying(lessons: list[Lesson], choose: Callable[[str], int]) -> Scripted:
    return Scripted(lambda view: lessons[choose(prompt_of(view.messages))].reply(view.turn))


def _span(known: Knowledge) -> Scripted:
    pairs = [(lesson.prompt, known.form.core(lesson.answer)) for lesson in known.solved]
    copied = [
        pair for pair in pairs if pair[1].casefold() in {s.text.casefold() for s in spans(pair[0])}
    ]
    if len(copied) < max(_FEWEST, len(pairs) * _SHARE):
        raise NotApplicable
    ranker = SpanRanker([prompt for prompt, _ in copied], [answer for _, answer in copied])
    return Scripted(lambda view: known.form.fill(ranker.best(prompt_of(view.messages))))
