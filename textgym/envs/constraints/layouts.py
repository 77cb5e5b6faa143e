"""Drawing instructions about the layout of a text. A text has one layout."""

from __future__ import annotations

import json
from collections.abc import Callable

from textgym.envs.constraints.witness import Arguments, WitnessDraft, groups_of, shapes
from textgym.envs.generation import choice, randint, sample

_STRICT = "layout line phrase"  # what layouts bar in which every line counts
MARKERS = ("Section", "Part", "Chapter", "Item", "Step", "Note")
SEPARATORS = ("!?!?", "...", "SEPARATOR", "~~", ">>>", "+++")
_FRAMES = (
    ("Today we have news for you.", "That is all for today."),
    ("Please read this.", "Tell others about it please."),
    ("Here you have the essentials.", "You will find no more of them here."),
    ("Now for the plain facts.", "You know what counts now."),
    ("Thanks for reading on.", "To everyone who helps we say thanks."),
    ("Again we ask for your attention.", "It will not be needed again."),
    ("Everyone should know this.", "So much for the attention of everyone."),
    ("Soon it will be clear to all.", "More will be heard of it soon."),
)
_OUTLOOKS = (
    "more details will follow in good time.",
    "we expect no further changes.",
    "things can only get better from here.",
    "a second edition is not out of the question.",
)


@shapes("length_constraints:number_paragraphs", "layout star", "layout")
def _number_paragraphs(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 2, 5)
    draft.layout = lambda sentences: "\n***\n".join(_in_groups(sentences, count))
    return {"num_paragraphs": count}


@shapes("length_constraints:nth_paragraph_first_word", "layout", _STRICT + " wrap")
def _nth_paragraph_first_word(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 3, 5)
    nth = randint(draft.rng, 2, count)
    words = ("Besides", "Finally", "Luckily", "Naturally", "Remember", "Therefore", "Altogether")
    word = choice(draft.rng, words)

    def write(sentences: list[str]) -> str:
        paragraphs = _in_groups(sentences, count)
        paragraphs[nth - 1] = f"{word}: {paragraphs[nth - 1]}"
        return "\n\n".join(paragraphs)

    draft.layout = write
    return {"num_paragraphs": count, "nth_paragraph": nth, "first_word": word.lower()}


@shapes("detectable_format:number_bullet_lists", "layout bullets", "layout")
def _number_bullet_lists(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 3, len(draft.sentences) - 2)
    mark = choice(draft.rng, "-*")

    def write(sentences: list[str]) -> str:
        listed = [f"{mark} {' '.join(group)}" for group in groups_of(sentences[1:-1], count)]
        return "\n".join([sentences[0], "", *listed, "", sentences[-1]])

    draft.layout = write
    return {"num_bullets": count}


@shapes("format:sub-bullets", "layout bullets", "layout star")
def _sub_bullets(draft: WitnessDraft) -> Arguments:
    def write(sentences: list[str]) -> str:
        lines = []
        for first, *rest in groups_of(sentences[1:], (len(sentences) - 1) // 2):
            lines += [f"* {first}", *(f"  - {sentence}" for sentence in rest)]
        return "\n".join([sentences[0], "", *lines])

    draft.layout = write
    return {}


@shapes("format:list", "layout", "layout wrap")
def _list(draft: WitnessDraft) -> Arguments:
    separator, count = choice(draft.rng, SEPARATORS), randint(draft.rng, 3, 5)

    def write(sentences: list[str]) -> str:
        groups = groups_of(sentences[1:], count)
        return "\n".join([sentences[0], *(f"{separator} {' '.join(group)}" for group in groups)])

    draft.layout = write
    return {"sep": separator}


@shapes("detectable_format:multiple_sections", "layout", "layout")
def _multiple_sections(draft: WitnessDraft) -> Arguments:
    marker, count = choice(draft.rng, MARKERS), randint(draft.rng, 2, 5)

    def write(sentences: list[str]) -> str:
        numbered = enumerate(_in_groups(sentences, count), 1)
        return "\n\n".join(f"{marker} {number}\n{paragraph}" for number, paragraph in numbered)

    draft.layout = write
    return {"section_spliter": marker, "num_sections": count}


@shapes("format:thesis", "layout", "layout")
def _thesis(draft: WitnessDraft) -> Arguments:
    count, tag = randint(draft.rng, 2, 3), choice(draft.rng, ("i", "em"))

    def write(sentences: list[str]) -> str:
        groups = groups_of(sentences, count)
        return "\n\n".join(f"<{tag}>{first}</{tag}> {' '.join(rest)}" for first, *rest in groups)

    draft.layout = write
    return {}


@shapes("format:output_template", "layout", "layout")
def _output_template(draft: WitnessDraft) -> Arguments:
    outlook = choice(draft.rng, _OUTLOOKS)

    def write(sentences: list[str]) -> str:
        answer, conclusion = " ".join(sentences[:-1]), sentences[-1]
        return f"My Answer: {answer}\nMy Conclusion: {conclusion}\nFuture Outlook: {outlook}"

    draft.layout = write
    return {}


@shapes("combination:two_responses", "layout", "layout counted")
def _two_responses(draft: WitnessDraft) -> Arguments:
    plain = list(draft.sentences)
    version = [plain[0], *sample(draft.rng, plain[1:-1], len(plain) - 2), choice(draft.rng, (
        "That is the other version.", "Take this one if you like it better.",
    ))]  # fmt: skip

    def write(sentences: list[str]) -> str:
        first, second = "\n\n".join(_in_groups(sentences, 2)), " ".join(version)
        return f"{first}\n\n******\n\n{second}"

    draft.layout = write
    return {}


@shapes("words:paragraph_last_first", "layout", _STRICT)
def _paragraph_last_first(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 2, 4)
    frames = sample(draft.rng, _FRAMES, count)

    def write(sentences: list[str]) -> str:
        pairs = zip(frames, _in_groups(sentences, count), strict=True)
        return "\n".join(f"{first} {paragraph} {last}" for (first, last), paragraph in pairs)

    draft.layout = write
    return {}


@shapes("format:line_indent", "layout", _STRICT + " wrap")
def _line_indent(draft: WitnessDraft) -> Arguments:
    width = randint(draft.rng, 1, 3)
    draft.layout = lambda sentences: "\n".join(
        " " * (width * place) + sentence for place, sentence in enumerate(sentences)
    )
    return {}


@shapes("detectable_format:json_format", "layout comma", _STRICT + " wrap quote")
def _json_format(draft: WitnessDraft) -> Arguments:
    fenced, kind = draft.rng.random() < 0.5, draft.brief.job.kind

    def write(sentences: list[str]) -> str:
        data = {"kind": kind, "title": draft.brief.subject, "text": sentences}
        text = json.dumps(data, indent=2)
        return f"```json\n{text}\n```" if fenced else text

    draft.layout = write
    return {}


@shapes("format:newline", "layout", _STRICT + " star brackets")
def _newline(draft: WitnessDraft) -> Arguments:
    return _rewritten(draft, "\n".join)


@shapes("format:no_whitespace", "layout squeezed", _STRICT + " star brackets")
def _no_whitespace(draft: WitnessDraft) -> Arguments:
    return _rewritten(draft, "".join)


def _rewritten(draft: WitnessDraft, join: Callable[[list[str]], str]) -> Arguments:
    """Join the words of the whole text in another way."""
    draft.changes.append(lambda text: join(text.split()))
    return {}


def _in_groups(sentences: list[str], count: int) -> list[str]:
    return [" ".join(group) for group in groups_of(sentences, count)]
