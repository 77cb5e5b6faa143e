"""Instructions on sentences and on the layout of a text: lists, lines, brackets, quotations."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from textgym.verifiers.instructions.instruction import Bound, Count, Phrase, Text, instruction
from textgym.verifiers.instructions.sentences import (
    CLOSING,
    EMPHASIS,
    MARKS,
    bullet_mark,
    count_word,
    lower_words,
    needs_constraints,
    split_sentences,
    without_emphasis,
    word_tokens,
    words_without_punctuation,
)

_CLOSING = {")": "(", "]": "[", "}": "{"}
_STRAIGHT = str.maketrans("“”„«»‘’‚‹›", '"' * 5 + "'" * 5)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_NO_PUNCTUATION = str.maketrans("", "", MARKS)
_BRACKET_DEPTH = 5
_QUOTATION_DEPTH = 3
_PARTS = ("My Answer:", "My Conclusion:", "Future Outlook:")


@instruction("format:parentheses", "Nest brackets of the kinds () [] {{}} at least five deep.")
def parentheses(text: str) -> bool:
    """Return whether five brackets are open at once and the innermost is closed by its kind."""
    open_brackets: list[str] = []
    deep = False
    for character in text:
        if character in "([{":
            open_brackets.append(character)
            deep = deep or len(open_brackets) >= _BRACKET_DEPTH
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
    """Return whether three levels of quotation marks are closed one after the other.

    Typographic marks are read as straight ones. An apostrophe within a word is not a mark.
    """
    text = _APOSTROPHE.sub("", text.translate(_STRAIGHT))
    open_quotes: list[str] = []
    deepest = 0
    for character in text:
        if open_quotes and character == open_quotes[-1]:
            open_quotes.pop()
            if deepest - len(open_quotes) >= _QUOTATION_DEPTH:
                return True
        elif character in "\"'":
            open_quotes.append(character)
            deepest = max(deepest, len(open_quotes))
    return False


@instruction("format:options", "Answer with one of these alone: {options}.")
def options(text: str, *, options: Phrase) -> bool:
    """Return whether the text is one of the options.

    Options are separated by slashes, by the word `or`, or by commas. Letters such as `a), b), c)`
    must be written exactly so. For other options, case and marks do not matter.
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
    """Return whether there are as many nonempty lines as words, without punctuation."""
    lines = text.translate(_NO_PUNCTUATION).strip().split("\n")
    return sum(line != "" for line in lines) == len(words_without_punctuation(text))


@instruction("format:emoji", "End every sentence with an emoji.")
def emoji(text: str) -> bool:
    """Return whether an emoji ends every sentence or follows it immediately."""
    is_emoji = _emoji_test()
    sentences = [part.translate(_NO_PUNCTUATION).strip() for part in split_sentences(text)]
    return all(
        # an emoji may end with an invisible variation selector
        any(map(is_emoji, sentence[-2:])) or (sentence and any(map(is_emoji, after[:1])))
        for sentence, after in pairwise([*sentences, ""])
    )


@cache
def _emoji_test() -> Callable[[str], bool]:
    try:
        from emoji import is_emoji
    except ImportError:
        raise needs_constraints("recognizing emojis") from None
    return lambda text: bool(is_emoji(text))


@instruction("format:line_indent", "Indent each line by more spaces than the line before it.")
def line_indent(text: str) -> bool:
    """Return whether the indentation grows from line to line, ignoring blank lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return all(before < after for before, after in pairwise(indents))


@instruction(
    "format:quote_unquote", "After every quotation, explain it in words that are not quoted."
)
def quote_unquote(text: str) -> bool:
    """Return whether no quotation immediately follows another or ends the text."""
    marks = "".join(text.translate(_STRAIGHT).replace("'\"'", "").split())
    end = marks.rstrip(string.digits + string.punctuation.replace('"', ""))
    return '""' not in marks and not end.endswith('"')


@instruction("format:list", "Answer with a list, and write {sep} where bullet points would stand.")
def list_(text: str, *, sep: Text) -> bool:
    """Return whether the separator occurs in at least two places."""
    return len(re.findall(f"(?:{re.escape(sep)})+", text)) >= 2


@instruction(
    "format:thesis", "Begin each section with its thesis, in italics by means of HTML's tags."
)
def thesis(text: str) -> bool:
    """Return whether there is a text in `<i>` or `<em>`, and more text after it."""
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
    """Return whether there are bullet points with `*`, and one with `-` follows each.

    Marks elsewhere, such as emphasis, and points without words do not count.
    """
    marks = [bullet_mark(line) for line in text.split("\n") if any(map(str.isalnum, line))]
    points = [mark for mark in marks if mark]
    return "*" in points and ("*", "*") not in pairwise([*points, "*"])


@instruction(
    "format:no_bullets_bullets",
    "Write at least two sentences that end with a full stop, then, to the end of your answer, at "
    "least two bullet points with *, each on a line.",
)
def no_bullets_bullets(text: str) -> bool:
    """Return whether two sentences come first and only bullet points follow.

    Blank lines do not matter. Each other line below the first bullet point must be one, too.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    end = next((i for i, line in enumerate(lines) if bullet_mark(line) == "*"), len(lines))
    bullets = [bullet_mark(line) for line in lines[end:]]
    sentences = (sentence for line in lines[:end] for sentence in split_sentences(line))
    stops = sum(sentence.rstrip(CLOSING + EMPHASIS).endswith(".") for sentence in sentences)
    return stops >= 2 and len(bullets) >= 2 and all(bullet == "*" for bullet in bullets)


@instruction("format:title_case", "Write your whole answer in title case, all words capitalised.")
def title_case(text: str) -> bool:
    """Return whether every word, even after an apostrophe, begins with a capital."""
    text = without_emphasis(text)
    plain = filter(str.isalpha, text.split())  # these need no splitting
    return not (
        any(map(_is_uncapitalised, plain)) or any(map(_is_uncapitalised, word_tokens(text)))
    )


def _is_uncapitalised(word: str) -> bool:
    """Return whether a word begins in lower case and does not mix cases as `iPhone` does."""
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
    """Return whether the three labels occur in their order."""
    for part in _PARTS:
        _, label, text = text.partition(part)
        if not label:
            return False
    return True


@instruction("format:no_whitespace", "Write your answer without any spaces or line breaks.")
def no_whitespace(text: str) -> bool:
    """Return whether no character of the text is whitespace."""
    return not any(map(str.isspace, text))


@instruction(
    "sentence:alliteration_increment",
    "Let each sentence have more neighbouring words with the same first letter than the sentence "
    "before it.",
)
def alliteration_increment(text: str) -> bool:
    """Return whether the number of words in alliterations grows with each sentence."""
    counts = map(_alliterating_words, split_sentences(text))
    return all(before < after for before, after in pairwise(counts))


def _alliterating_words(sentence: str) -> int:
    """Count the words that are next to a word with the same first letter."""
    words = (word.lstrip(MARKS) for word in sentence.lower().split())
    letters = [word[0] for word in words if word]
    same = [left == right for left, right in pairwise(letters)]
    return sum(left or right for left, right in pairwise([False, *same, False]))


@instruction(
    "sentence:increment", "Write each sentence with exactly {small_n} more words than the last."
)
def increment(text: str, *, small_n: Bound) -> bool:
    """Return whether each sentence has exactly `small_n` words more than the one before it."""
    counts = (len(words_without_punctuation(sentence)) for sentence in split_sentences(text))
    return all(after == before + small_n for before, after in pairwise(counts))


@instruction("sentence:keyword", 'Use the word "{word}" in sentence number {N}.')
def keyword(text: str, *, word: Phrase, N: Count) -> bool:
    """Return whether the `N`th sentence has the whole word, in any case."""
    sentences = split_sentences(text)
    return len(sentences) >= N and count_word(sentences[N - 1], word) > 0


def _end_marks(text: str) -> Counter[str]:
    """Count the sentences that have words by their last mark.

    Closing quotation marks, brackets and emphasis may follow the mark.
    """
    return Counter(
        sentence.rstrip(CLOSING + EMPHASIS)[-1:]
        for sentence in split_sentences(text)
        if any(map(str.isalnum, sentence))
    )


@instruction(
    "ratio:sentence_type", "Write exactly two declarative sentences for each question that you ask."
)
def sentence_type(text: str) -> bool:
    """Return whether twice as many sentences end with a full stop as with a question mark."""
    marks = _end_marks(text)
    return marks["."] == 2 * marks["?"] > 0


@instruction(
    "ratio:sentence_balance",
    "Write as many declarative sentences as questions and as exclamations.",
)
def sentence_balance(text: str) -> bool:
    """Return whether equally many sentences, at least one, end with `.`, `?` and `!`."""
    marks = _end_marks(text)
    return marks["."] == marks["?"] == marks["!"] > 0


@instruction(
    "ratio:sentence_words",
    "Write three sentences with the same number of characters, no two of which consist of the same "
    "words.",
)
def sentence_words(text: str) -> bool:
    """Return whether there are three sentences of the same length and with different words."""
    sentences = split_sentences(text)
    if len(sentences) != 3:
        return False
    lengths = {len(sentence.strip()) for sentence in sentences}
    words = {frozenset(lower_words(sentence)) for sentence in sentences}
    return len(words) == 3 and len(lengths) == 1
