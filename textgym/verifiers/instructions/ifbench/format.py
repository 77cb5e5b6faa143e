"""Instructions on the layout of a text: lists, lines, brackets, quotation marks, templates."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from textgym.verifiers.instructions.ifbench.reading import (
    MARKS,
    Text,
    without_emphasis,
    words_without_punctuation,
)
from textgym.verifiers.instructions.ifeval.arguments import Phrase
from textgym.verifiers.instructions.ifeval.bullets import bullet_of
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import (
    CLOSING,
    EMPHASIS,
    needs_constraints,
    sentences_of,
    word_tokens,
)

_CLOSING = {")": "(", "]": "[", "}": "{"}
_STRAIGHT = str.maketrans("“”„«»‘’‚‹›", '"' * 5 + "'" * 5)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_DEPTH = 5
"""How deep brackets must be nested."""
_QUOTE_DEPTH = 3
"""How deep quotations must be nested."""
_PARTS = ("My Answer:", "My Conclusion:", "Future Outlook:")


@instruction("format:parentheses", "Nest brackets of the kinds () [] {{}} at least five deep.")
def parentheses(text: str) -> bool:
    """Tell whether five brackets are open at once and the innermost is closed by its own kind."""
    open_brackets: list[str] = []
    deep = False
    for character in text:
        if character in "([{":
            open_brackets.append(character)
            deep = deep or len(open_brackets) >= _DEPTH
        elif character in _CLOSING:
            if open_brackets and open_brackets[-1] == _CLOSING[character]:
                if deep:
                    return True
                open_brackets.pop()
            else:
                open_brackets, deep = [], False
    return False


@instruction(
    "format:quotes",
    "Write a quotation within a quotation within a quotation, with double and single quotation "
    "marks in turn.",
)
def quotes(text: str) -> bool:
    """Tell whether three levels of quotation marks are closed one after the other.

    Typographic marks are read as straight ones, and an apostrophe within a word is none.
    """
    text = _APOSTROPHE.sub("", text.translate(_STRAIGHT))
    open_quotes: list[str] = []
    deepest = 0
    for character in text:
        if open_quotes and character == open_quotes[-1]:
            open_quotes.pop()
            if deepest - len(open_quotes) >= _QUOTE_DEPTH:
                return True
        elif character in "\"'":
            open_quotes.append(character)
            deepest = max(deepest, len(open_quotes))
    return False


@instruction("format:options", "Answer with one of these alone: {options}.")
def options(text: str, *, options: Phrase) -> bool:
    """Tell whether the text is one of the options.

    Options are separated by slashes, by the word `or`, or by commas. Letters such as `a), b), c)`
    are given exactly as they stand there; other options in any case, with or without marks.
    """
    choices = [option.strip() for option in _split_options(options)]
    if re.sub(r"\W", "", options)[:3].lower() == "abc":
        return text.strip() in choices
    marks = MARKS + string.whitespace
    return text.strip(marks).lower() in [choice.strip(marks).lower() for choice in choices]


def _split_options(options: str) -> list[str]:
    if "/" in options:
        return options.split("/")
    by_or = re.split(r"\bor\b", options)
    return by_or if len(by_or) > 1 else options.split(",")


@instruction("format:newline", "Write each word on a line of its own.")
def newline(text: str) -> bool:
    """Tell whether there are as many lines that are not empty as words, punctuation taken out."""
    lines = text.translate(_NO_PUNCTUATION).strip().split("\n")
    return sum(line != "" for line in lines) == len(words_without_punctuation(text))


_NO_PUNCTUATION = str.maketrans("", "", MARKS)


@instruction("format:emoji", "End every sentence with an emoji.")
def emoji(text: str) -> bool:
    """Tell whether every sentence ends with an emoji, or one stands right after its end."""
    is_emoji = _emoji_test()
    sentences = [item.translate(_NO_PUNCTUATION).strip() for item in sentences_of(text)]
    return all(
        # an emoji's last character may be an invisible one that chooses its look
        any(map(is_emoji, sentence[-2:])) or (sentence and any(map(is_emoji, after[:1])))
        for sentence, after in pairwise([*sentences, ""])
    )


@cache
def _emoji_test() -> Callable[[str], bool]:
    try:
        from emoji import is_emoji
    except ImportError:
        raise needs_constraints("telling emojis") from None
    return lambda text: bool(is_emoji(text))


@instruction("format:line_indent", "Indent each line by more spaces than the line before it.")
def line_indent(text: str) -> bool:
    """Tell whether the indentation grows from line to line, blank lines left out."""
    lines = [line for line in text.split("\n") if line.strip()]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return all(before < after for before, after in pairwise(indents))


@instruction(
    "format:quote_unquote", "After every quotation, explain it in words that are not quoted."
)
def quote_unquote(text: str) -> bool:
    """Tell whether no quotation follows another at once, and none ends the text."""
    marks = "".join(text.translate(_STRAIGHT).replace("'\"'", "").split())
    end = marks.rstrip(string.digits + string.punctuation.replace('"', ""))
    return '""' not in marks and not end.endswith('"')


@instruction("format:list", "Answer with a list, and write {sep} where bullet points would stand.")
def list_(text: str, *, sep: Text) -> bool:
    """Tell whether the mark stands in at least two places of the text."""
    return len(re.findall(f"(?:{re.escape(sep)})+", text)) >= 2


@instruction(
    "format:thesis", "Begin each section with its thesis, in italics by means of HTML's tags."
)
def thesis(text: str) -> bool:
    """Tell whether there is a text in `<i>` or `<em>`, and more text after it."""
    for tag in ("i", "em"):
        _, opened, after = text.partition(f"<{tag}>")
        italics, closed, rest = after.partition(f"</{tag}>")
        if opened and closed and italics.strip() and rest.strip():
            return True
    return False


@instruction(
    "format:sub-bullets",
    "Write * before each bullet point, and under each of them at least one point with -.",
)
def sub_bullets(text: str) -> bool:
    """Tell whether there are bullet points with `*`, and one with `-` comes next after each.

    Marks elsewhere, such as those of emphasis, do not count, nor do points without words.
    """
    marks = [bullet_of(line) for line in text.split("\n") if any(map(str.isalnum, line))]
    points = [mark for mark in marks if mark]
    return "*" in points and ("*", "*") not in pairwise([*points, "*"])


@instruction(
    "format:no_bullets_bullets",
    "Write at least two sentences that end with a full stop, then, to the end of your answer, at "
    "least two bullet points with *, each on a line.",
)
def no_bullets_bullets(text: str) -> bool:
    """Tell whether lines with two sentences come first and only bullet points after them.

    Blank lines do not matter, and all other lines below the first bullet point are one.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    end = next((i for i, line in enumerate(lines) if bullet_of(line) == "*"), len(lines))
    bullets = [bullet_of(line) for line in lines[end:]]
    sentences = (sentence for line in lines[:end] for sentence in sentences_of(line))
    stops = sum(sentence.rstrip(CLOSING + EMPHASIS).endswith(".") for sentence in sentences)
    return stops >= 2 and len(bullets) >= 2 and all(bullet == "*" for bullet in bullets)


@instruction("format:title_case", "Write your whole answer in title case, all words capitalised.")
def title_case(text: str) -> bool:
    """Tell whether every word begins with a capital, the second parts of contractions too."""
    text = without_emphasis(text)
    plain = filter(str.isalpha, text.split())  # whole words, which need no splitting
    return not (
        any(map(_is_uncapitalised, plain)) or any(map(_is_uncapitalised, word_tokens(text)))
    )


def _is_uncapitalised(word: str) -> bool:
    """Tell whether a word begins with a small letter and does not mix cases as `iPhone` does."""
    rest = word[1:]
    return (
        word[0].isalpha() and word[0].islower() and (not rest or rest.islower() or rest.isupper())
    )


@instruction(
    "format:output_template",
    "Answer in exactly this form: "
    + " ".join(f"{part} [{part.split()[-1].lower().rstrip(':')}]" for part in _PARTS),
)
def output_template(text: str) -> bool:
    """Tell whether the three labels stand in the text in their order."""
    for part in _PARTS:
        _, found, text = text.partition(part)
        if not found:
            return False
    return True


@instruction("format:no_whitespace", "Write your answer without any spaces or line breaks.")
def no_whitespace(text: str) -> bool:
    """Tell whether no character of the text is whitespace."""
    return not any(map(str.isspace, text))
