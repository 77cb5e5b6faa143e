"""The 25 types of instruction of IFEval (Zhou et al., 2023).

Words in arguments are plain texts, never regular expressions, and their case does not matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, NoReturn

import regex
from pydantic import StringConstraints

from textgym.verifiers.instructions.instruction import (
    Bound,
    Count,
    Phrase,
    Phrases,
    Relation,
    compare,
    instruction,
)
from textgym.verifiers.instructions.sentences import (
    EMPHASIS,
    LANGUAGES,
    QUOTATION_MARKS,
    Language,
    bullet_mark,
    count_word,
    detect_language,
    normalized,
    split_at_asterisks,
    split_sentences,
    split_words,
)

__all__ = ["Character", "letter_frequency", "number_paragraphs"]

Character = Annotated[str, StringConstraints(min_length=1, max_length=1)]
"""A single character."""


def _matches(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Find a phrase in a text, even within words, without overlaps."""
    return re.finditer(re.escape(normalized(phrase)), normalized(text), re.IGNORECASE)


@instruction("keywords:existence", "Use each of these words or phrases: {keywords}.")
def existence(text: str, *, keywords: Phrases) -> bool:
    """A keyword may be a part of a longer word."""
    return all(any(_matches(keyword, text)) for keyword in keywords)


@instruction(
    "keywords:frequency",
    'The word "{keyword}" should appear {relation} {frequency} times in your response.',
)
def frequency(text: str, *, keyword: Phrase, frequency: Bound, relation: Relation) -> bool:
    """The keyword may be a part of a longer word."""
    return compare(sum(1 for _ in _matches(keyword, text)), relation, frequency)


@instruction(
    "keywords:forbidden_words",
    "Do not use any of these words in your response: {forbidden_words}.",
)
def forbidden_words(text: str, *, forbidden_words: Phrases) -> bool:
    """Only whole words count, even within emphasis by underscores."""
    return not any(count_word(text, word) for word in forbidden_words)


@instruction(
    "keywords:letter_frequency",
    'The letter "{letter}" should appear {let_relation} {let_frequency} times in your response.',
)
def letter_frequency(
    text: str, *, letter: Character, let_frequency: Bound, let_relation: Relation
) -> bool:
    """Case does not matter. A character that is not a letter is counted, too."""
    return compare(text.lower().count(letter.lower()), let_relation, let_frequency)


def _wording(*, language: Language) -> str:
    return f"Write your whole response in {LANGUAGES[language]}; no other language is allowed."


@instruction("language:response_language", _wording)
def response_language(text: str, *, language: Language) -> bool:
    """The main language counts. A text without letters has none."""
    return detect_language(text) == language


_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*+")
_OTHER_STOPS = re.compile("[।॥۔؟。！？]")
_QUOTES = "'\"" + QUOTATION_MARKS
_WORD_ENDS = _QUOTES + EMPHASIS + ".,?!:;…–—"


@instruction("length_constraints:number_words", "Answer with {relation} {num_words} words.")
def number_words(text: str, *, num_words: Bound, relation: Relation) -> bool:
    """A word is a run of letters, digits and underscores: `don't` and `up-hill` are two words each.

    An underscore at the beginning is emphasis. Combining marks, such as the vowel signs of
    Devanagari, do not split a word.
    """
    return compare(len(_WORD.findall(text)), relation, num_words)


@instruction(
    "length_constraints:number_sentences",
    "Your response should have {relation} {num_sentences} sentences.",
)
def number_sentences(text: str, *, num_sentences: Bound, relation: Relation) -> bool:
    """Sentences of other scripts end at their own marks, such as `।` and `。`."""
    number = sum(
        sum(bool(_WORD.search(part)) for part in _OTHER_STOPS.split(sentence)) or 1
        for sentence in split_sentences(text)
    )
    return compare(number, relation, num_sentences)


@instruction(
    "length_constraints:number_paragraphs",
    "Write {num_paragraphs} paragraphs, and separate them by the Markdown divider: ***",
)
def number_paragraphs(text: str, *, num_paragraphs: Count) -> bool:
    """Dividers may also precede the first paragraph and follow the last one."""
    paragraphs = split_at_asterisks(text, 3)
    return len(paragraphs) == num_paragraphs and all(paragraphs)


@instruction(
    "length_constraints:nth_paragraph_first_word",
    "Write {num_paragraphs} paragraphs, and separate them, and nothing else, by a blank line. "
    'Paragraph {nth_paragraph} must start with the word "{first_word}".',
)
def nth_paragraph_first_word(
    text: str, *, num_paragraphs: Count, nth_paragraph: Count, first_word: Phrase
) -> bool:
    """Blank parts are not paragraphs.

    Case, quotation marks and emphasis around the word, and punctuation after it do not matter.
    """
    paragraphs = [paragraph for part in text.split("\n\n") if (paragraph := part.strip())]
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs:
        return False
    word = first_word.lower()
    start = paragraphs[nth_paragraph - 1].lower().lstrip(_QUOTES + EMPHASIS)
    after = start[len(word) : len(word) + 1]
    return start.startswith(word) and (after.isspace() or after in _WORD_ENDS)


_MARKERS = {"P.S.": re.compile(r"p\.\s?s\."), "P.P.S": re.compile(r"p\.\s?p\.\s?s")}


@instruction(
    "detectable_content:number_placeholders",
    "Include at least {num_placeholders} placeholders in square brackets, such as [address].",
)
def number_placeholders(text: str, *, num_placeholders: Count) -> bool:
    """Empty brackets and numbers in brackets, as in citations, are not placeholders."""
    contents = (inside.strip() for line in text.split("\n") for inside in _bracketed(line))
    return sum(bool(inside) and not inside.isdigit() for inside in contents) >= num_placeholders


def _bracketed(line: str) -> Iterator[str]:
    """Yield each text between an opening bracket and the next closing one."""
    end = 0
    while True:
        start = line.find("[", end) + 1
        end = line.find("]", start)
        if not start or end < 0:
            return
        yield line[start:end]


@instruction(
    "detectable_content:postscript",
    "Add a postscript at the end of your response that starts with {postscript_marker}",
)
def postscript(text: str, *, postscript_marker: Phrase) -> bool:
    """Case does not matter. In P.S. and P.P.S, a space may follow each period."""
    pattern = _MARKERS.get(postscript_marker)
    lower = text.lower()
    return bool(pattern.search(lower)) if pattern else postscript_marker.lower() in lower


_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_FENCED = re.compile(r"(`{3,})(?:json|Json|JSON)?([^`].*)\1", re.DOTALL)
_SINGLE = re.compile(r"\*([^\n*]*)\*")
_DOUBLE = re.compile(r"\*\*([^\n*]*)\*\*")


@instruction(
    "detectable_format:number_bullet_lists",
    "Use exactly {num_bullets} bullet points in Markdown, such as:\n* One point.\n* Another point.",
)
def number_bullet_lists(text: str, *, num_bullets: Bound) -> bool:
    """A bullet point starts with `*` or `-` and is not a rule, a signature or emphasis."""
    return sum(map(bool, map(bullet_mark, text.split("\n")))) == num_bullets


@instruction(
    "detectable_format:constrained_response",
    "Answer with exactly one of these sentences: " + " ".join(f'"{option}"' for option in _OPTIONS),
)
def constrained_response(text: str) -> bool:
    """Words may surround the sentence, but not another of the sentences."""
    return sum(option in text for option in _OPTIONS) == 1


@instruction(
    "detectable_format:number_highlighted_sections",
    "Highlight at least {num_highlights} parts of your response in Markdown, "
    "such as *a highlighted part*.",
)
def number_highlighted_sections(text: str, *, num_highlights: Bound) -> bool:
    """Emphasis by one or two asterisks counts, as in the reference implementation."""
    contents = _SINGLE.findall(text) + _DOUBLE.findall(text)
    return sum(bool(inside.strip()) for inside in contents) >= num_highlights


@instruction(
    "detectable_format:multiple_sections",
    "Divide your response into at least {num_sections} sections, each of which begins with "
    '"{section_spliter}" and its number, such as {section_spliter} 1.',
)
def multiple_sections(text: str, *, section_spliter: Phrase, num_sections: Count) -> bool:
    """The marker is case-sensitive, and at most one space precedes the number."""
    return len(re.findall(rf"{re.escape(section_spliter)}\s?\d+", text)) >= num_sections


@instruction(
    "detectable_format:json_format",
    "Your whole response should be JSON; a Markdown code fence around it is allowed.",
)
def json_format(text: str) -> bool:
    """A code fence must be closed, and name json or nothing. NaN and infinities are not JSON."""
    fenced = _FENCED.fullmatch(text.strip())
    try:
        json.loads(
            (fenced[2] if fenced else text).strip(),
            parse_constant=_refuse,
            parse_int=len,
            parse_float=len,
        )
    except (ValueError, RecursionError):  # RecursionError: about a thousand levels or more
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


@instruction(
    "detectable_format:title",
    "Give your response a title in double angular brackets, such as <<Song of the sea>>.",
)
def title(text: str) -> bool:
    """A title is on one line and is not blank."""
    return any(map(_has_title, text.split("\n")))


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return 0 <= start < end and bool(line[start:end].lstrip("<").rstrip(">").strip())


@instruction(
    "combination:two_responses",
    "Give two different responses. Separate them, and nothing else, by six asterisks: ******",
)
def two_responses(text: str) -> bool:
    """Separators may also precede the first response and follow the second one."""
    responses = split_at_asterisks(text, 6)
    return len(responses) == 2 and all(responses) and responses[0] != responses[1]


@instruction(
    "combination:repeat_prompt",
    "Begin by repeating this request word for word, with nothing before it, and then answer it: "
    "{prompt_to_repeat}",
)
def repeat_prompt(text: str, *, prompt_to_repeat: Phrase) -> bool:
    """Case and whitespace before the request do not matter."""
    return text.strip().lower().startswith(prompt_to_repeat.lower())


_LAST_PERIOD = re.compile(r"""\.(?=[\])}>"'»”’]*+(?:\s|$))""")


@instruction(
    "change_case:capital_word_frequency",
    "Words in all capital letters should appear {capital_relation} {capital_frequency} times in "
    "your response.",
)
def capital_word_frequency(
    text: str, *, capital_frequency: Bound, capital_relation: Relation
) -> bool:
    """Words are split as in the Penn Treebank: `A`, `U.S.` and `WELL-KNOWN` are one each."""
    candidates = " ".join(filter(_may_be_capital, text.split()))
    words = split_words(_LAST_PERIOD.sub(" .", candidates))
    return compare(sum(map(str.isupper, words)), capital_relation, capital_frequency)


def _may_be_capital(word: str) -> bool:
    """Return False for plain words such as `The` and `don't`, which need not be split."""
    rest = word[1:]
    return not (rest.islower() and (rest.isalpha() or word.islower()))


@instruction(
    "change_case:english_capital",
    "Write your whole response in English and in capital letters only.",
)
def english_capital(text: str) -> bool:
    """Digits and punctuation have no case."""
    return text.isupper() and detect_language(text) == "en"


@instruction(
    "change_case:english_lowercase",
    "Write your whole response in English and in lower-case letters, without any capital letter.",
)
def english_lowercase(text: str) -> bool:
    """Digits and punctuation have no case."""
    return text.islower() and detect_language(text) == "en"


@instruction(
    "startend:end_checker",
    "End your response with exactly this phrase, and write nothing after it: {end_phrase}",
)
def end_checker(text: str, *, end_phrase: Phrase) -> bool:
    """Case and quotation marks after the phrase do not matter."""
    ending = end_phrase.lower()
    lower = text.strip().lower()
    return lower.endswith(ending) or lower.rstrip('"' + QUOTATION_MARKS).endswith(ending)


@instruction("startend:quotation", "Put your whole response between double quotation marks.")
def quotation(text: str) -> bool:
    """Only straight marks count, and there must be two."""
    stripped = text.strip()
    return len(stripped) > 1 and stripped.startswith('"') and stripped.endswith('"')


@instruction("punctuation:no_comma", "Do not use any commas in your response.")
def no_comma(text: str) -> bool:
    """Commas of other scripts, such as `，` and `、`, do not count."""
    return "," not in text
