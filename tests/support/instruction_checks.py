"""The instructions with arguments, and texts that make careless checks slow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textgym.verifiers.instructions import INSTRUCTIONS, ifbench, ifeval, open_instruct

ARGUMENTS: dict[str, dict[str, Any]] = {
    "change_case:capital_word_frequency": {"capital_frequency": 2, "capital_relation": "at least"},
    "combination:repeat_prompt": {"prompt_to_repeat": "Name a river."},
    "detectable_content:number_placeholders": {"num_placeholders": 2},
    "detectable_content:postscript": {"postscript_marker": "P.P.S"},
    "detectable_format:multiple_sections": {"section_spliter": "Part", "num_sections": 2},
    "detectable_format:number_bullet_lists": {"num_bullets": 2},
    "detectable_format:number_highlighted_sections": {"num_highlights": 2},
    "keywords:existence": {"keywords": ["aa", "aab"]},
    "keywords:forbidden_words": {"forbidden_words": ["aa", "aab"]},
    "keywords:frequency": {"keyword": "aab", "frequency": 2, "relation": "less than"},
    "keywords:letter_frequency": {"letter": "a", "let_frequency": 2, "let_relation": "less than"},
    "language:response_language": {"language": "de"},
    "length_constraints:nth_paragraph_first_word": {
        "num_paragraphs": 2, "nth_paragraph": 2, "first_word": "river",
    },
    "length_constraints:number_paragraphs": {"num_paragraphs": 2},
    "length_constraints:number_sentences": {"num_sentences": 2, "relation": "at least"},
    "length_constraints:number_words": {"num_words": 2, "relation": "at least"},
    "startend:end_checker": {"end_phrase": "Any questions?"},
    "count:word_count_range": {"min_words": 2, "max_words": 4},
    "count:unique_word_count": {"N": 3},
    "count:conjunctions": {"small_n": 2},
    "count:person_names": {"N": 2},
    "count:numbers": {"N": 2},
    "count:words_japanese": {"N": 2},
    "count:pronouns": {"N": 2},
    "count:keywords_multiple": {
        "keyword1": "one", "keyword2": "two", "keyword3": "three", "keyword4": "five",
        "keyword5": "seven",
    },
    "ratio:stop_words": {"percentage": 50},
    "ratio:overlap": {"percentage": 50, "reference_text": "red sky at night"},
    "words:repeats": {"small_n": 2},
    "words:keywords_specific_position": {"keyword": "sea", "n": 2, "m": 3},
    "words:words_position": {"keyword": "sea"},
    "sentence:increment": {"small_n": 1},
    "sentence:keyword": {"word": "sea", "N": 2},
    "format:options": {"options": "yes/no/maybe"},
    "format:list": {"sep": "..."},
    "repeat:repeat_change": {"prompt_to_repeat": "Write a poem on rain."},
    "repeat:repeat_span": {"prompt_to_repeat": "Write a poem on rain.", "n_start": 2, "n_end": 3},
    "copy:repeat_phrase": {"phrase": "Actions speak louder than words", "small_n": 2},
    "copy:copy": {"prompt_to_repeat": "Name a river."},
    "copy:copying_simple": {"prompt_to_repeat": "Name a river."},
    "copy:copying_multiple": {"prompt_to_repeat": "Name a river.", "N": 2},
    "new:copy_span_idx": {"prompt_to_repeat": "Name a river.", "n_start": 5, "n_end": 11},
    "keywords:word_once": {"keyword": "sea"},
    "keywords:word_count_different_numbers": {"keyword": "sea", "frequency": 2},
    "keywords:exclude_word_harder": {"keyword": "sea"},
    "keywords:keyword_specific_position": {"keyword": "sea", "n": 2, "m": 3},
    "first_word:first_word_sent": {"first_word": "sea"},
    "first_word:first_word_answer": {"first_word": "sea"},
    "last_word:last_word_sent": {"last_word": "sea"},
    "last_word:last_word_answer": {"last_word": "sea"},
    "count:lowercase_counting": {"N": 2},
    "count:counting_composition": {"n_sent": 2, "n_words": 3},
    "count:count_increment_word": {"keyword1": "sea", "keyword2": "salt"},
    "letters:letter_counting": {"N": 3, "relation": "less than"},
    "letters:letter_counting2": {"letter": "a", "let_frequency": 2, "let_relation": "at least"},
}  # fmt: skip
"""Valid arguments of the instructions that have any."""


def _ids_of(package: Any) -> list[str]:
    return [
        id
        for id, item in INSTRUCTIONS.items()
        if item.check.__module__.startswith(package.__name__)
    ]


IFEVAL_IDS, IFBENCH_IDS, OPEN_INSTRUCT_IDS = map(_ids_of, (ifeval, ifbench, open_instruct))

IFEVAL_PIECES = (
    "* ", "<<",
    "*", "[", "a ", "?!", '{"a":', "***", "******", "*\n", "- ", "-", "[a", "<<a>>", ">>",
    "Part", "Part 1", "p. ", "p.", "U.S. ", "a. B", '"? ', "...", "।", "。", "“", "\n\n",
    "\r", "```", "```json", "1", "a\u0301", "\ud800", "İ", "ß", "क्", "aab", "aa ",
    "https://a", "a@", "a@a ", "A", "DON'T. ", ".)", '."',
)  # fmt: skip
IFBENCH_PIECES = (
    "a ",
    " ", "a", "\n", ". ", "? ", "!", '"', "(", "One. ", "😀. ", "<i>", "* a\n", '",',
    "Question 1: ", "1800-01-01,", "My Answer:", "\ud800",
)  # fmt: skip
OPEN_INSTRUCT_PIECES = (
    "a ",
    " ", "[", "a", "-", ".-", "A.-B.-", "A. ", "[a]", "[a] ", "[]", "]", "!", "<<", "<<a b>> ",
    "<<a ", ">>", "***", "******", "* * *", "* ", "\n", "\n\n", "sea ", "sea", "sea. ", "salt ",
    "Actions ", "Actions words ", "Actions a words ", "words ", "Name a river.",
    "Name a river.******", "“", ":", "a:", "ab", "é", "_", "\ud800", "İ",
)  # fmt: skip


def arguments_of(id: str) -> dict[str, Any]:
    """Return the arguments above as they are read off a row."""
    return INSTRUCTIONS[id].read_arguments(ARGUMENTS.get(id, {}))


def followed(id: str, text: str, **arguments: Any) -> bool:
    """Read arguments as those of a row, by default the ones above, and check."""
    given = INSTRUCTIONS[id].read_arguments(arguments) if arguments else arguments_of(id)
    return INSTRUCTIONS[id].check(text, **given)


def checks(ids: Iterable[str]) -> dict[str, Callable[[str], bool]]:
    """Return the checks, each with its arguments, as functions of the text alone."""

    def check(id: str) -> Callable[[str], bool]:
        arguments = arguments_of(id)
        return lambda text: INSTRUCTIONS[id].check(text, **arguments)

    return {id: check(id) for id in ids}
