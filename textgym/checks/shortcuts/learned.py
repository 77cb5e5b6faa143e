"""Attackers that learned from the oracle's episodes on training tasks.

They are fitted when they are asked for; one that has nothing to learn from is not applicable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator

from textgym.checks.attackers.base import Attacker, NotApplicable
from textgym.checks.attackers.knowledge import Knowledge, Lesson
from textgym.checks.attackers.prompts import options, prompt_of, stem
from textgym.checks.episodes import Act, Sight
from textgym.checks.shortcuts.choices import Choice, OptionScorer
from textgym.checks.shortcuts.models import Classifier, Neighbours
from textgym.checks.shortcuts.spans import SpanRanker, spans

__all__ = ["learned"]

_FEWEST = 20  # training tasks to learn from
_MOST_EPISODES = 30  # different episodes to tell apart
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
        yield Attacker(name, summary, _fitted(fit, known), family)


def _fitted(fit: Callable[[Knowledge], Act], known: Knowledge) -> Act:
    try:
        return fit(known)
    except NotApplicable:
        return _never


def _never(sight: Sight) -> str:
    raise NotApplicable


def _choices(known: Knowledge) -> list[Choice]:
    """Return the multiple-choice questions that were solved, of the most frequent width."""
    found = []
    for lesson in known.solved:
        offered = _offered(lesson.prompt)
        letter = known.form.core(lesson.answer)
        if letter in offered:
            right = list(offered).index(letter)
            found.append(Choice(stem(lesson.prompt), list(offered.values()), right))
    widths = Counter(len(choice.options) for choice in found)
    common = widths.most_common(1)[0][0] if widths else 0
    return [choice for choice in found if len(choice.options) == common]


def _offered(prompt: str) -> dict[str, str]:
    try:
        return options(prompt)
    except NotApplicable:
        return {}


def _options(known: Knowledge, kind: str) -> Act:
    choices = _choices(known)
    if len(choices) < _FEWEST or len(choices) < len(known.solved) * _SHARE:
        raise NotApplicable
    scorer, width = OptionScorer(kind, choices), len(choices[0].options)

    def choose(sight: Sight) -> str:
        prompt = prompt_of(sight.messages)
        offered = options(prompt)
        if len(offered) != width:
            raise NotApplicable
        best = scorer.best([Choice(stem(prompt), list(offered.values()), 0)])[0]
        return known.form.fill(list(offered)[best])

    return choose


def _by_words(known: Knowledge) -> Act:
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


def _nearest(known: Knowledge) -> Act:
    if len(known.solved) < _FEWEST:
        raise NotApplicable
    neighbours = Neighbours([lesson.prompt for lesson in known.solved])
    return _replaying(known.solved, neighbours.nearest)


def _replaying(lessons: list[Lesson], choose: Callable[[str], int]) -> Act:
    return lambda sight: lessons[choose(prompt_of(sight.messages))].reply(sight.turn)


def _span(known: Knowledge) -> Act:
    pairs = [(lesson.prompt, known.form.core(lesson.answer)) for lesson in known.solved]
    copied = [
        pair for pair in pairs if pair[1].casefold() in {s.text.casefold() for s in spans(pair[0])}
    ]
    if len(copied) < max(_FEWEST, len(pairs) * _SHARE):
        raise NotApplicable
    ranker = SpanRanker([prompt for prompt, _ in copied], [answer for _, answer in copied])
    return lambda sight: known.form.fill(ranker.best(prompt_of(sight.messages)))
