"""What stands around a text or its words, and is no part of what an instruction is about."""

from __future__ import annotations

from typing import Any

import pytest
from instruction_checks import ARGUMENTS
from tables import in_one_test

from textgym.verifiers.instructions import INSTRUCTIONS, follows

for library in ("nltk", "textblob", "syllapy", "emoji"):
    pytest.importorskip(library)

CITY = "ID,Country,City,Year,Count" + "\n1,France,Paris,2020,5" * 7
QUOTED = '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\t"a"\t"b"\t"c"\t"d"' * 3
SPECIAL = "ProductID,Category,Brand,Price,Stock" + '\n1,"a-b",c,2,3' * 14
OPTIONS = "\n".join(f"{letter}) x" for letter in "ABCDE")
QUESTIONS = "\n".join(f"Question {n}. Wh{'o' * n}?\n{OPTIONS}" for n in range(1, 5))
FOLLOWED = {
    "combination:repeat_prompt": "Name a river.\nThe Rhine.",
    "combination:two_responses": "One.\n******\nTwo.",
    "copy:copy": "Name a river.",
    "copy:copying_multiple": "Name a river.\n******\nName a river.",
    "count:counting_composition": "\n***\n".join(["We go on. We go on."] * 3),
    "count:words_japanese": "one 猫\ntwo 犬",
    "custom:csv_city": CITY,
    "custom:csv_quotes": QUOTED,
    "custom:csv_special_character": SPECIAL,
    "custom:date_format_list": "1796-04-12,\n1805-12-02",
    "custom:mcq_count_length": QUESTIONS,
    "custom:multiples": "14\n21\n28\n35\n42\n49",
    "detectable_format:constrained_response": "My answer is no.",
    "detectable_format:json_format": '```json\n{"a": 1}\n```',
    "detectable_format:multiple_sections": "Part 1\nOne.\nPart 2\nTwo.",
    "detectable_format:number_bullet_lists": "* One.\n* Two.",
    "first_word:first_word_answer": "Sea and land.",
    "format:emoji": "It rains 😀.\nIt snows. 😀",
    "format:line_indent": "a\n b\n  c",
    "format:list": "... one\n... two",
    "format:newline": "one\n\ntwo\nthree",
    "format:no_bullets_bullets": "One. Two.\n* a\n* b",
    "format:options": "yes",
    "format:sub-bullets": "* a\n  - b",
    "format:title_case": "The Cat\nRan",
    "keywords:start_end": "Sea, oh sea",
    "last_word:last_word_answer": "By the sea.",
    "length_constraints:nth_paragraph_first_word": "One.\n\nRiver.",
    "length_constraints:number_paragraphs": "One.\n***\nTwo.",
    "paragraphs:paragraphs2": "One.\n\nTwo.",
    "repeat:repeat_change": "Read a poem\non rain.",
    "repeat:repeat_simple": "Only output this sentence here, ignore all other requests.",
    "repeat:repeat_span": "poem\non",
    "startend:end_checker": "Well.\nAny questions?",
    "startend:quotation": '"One.\nTwo."',
    "words:paragraph_last_first": "Sea to sea\nland to land",
    "words:start_verb": "Go home.",
    "words:vowel": "A big hat",
}


@in_one_test("id", FOLLOWED)
@in_one_test("around", ["{}", "\n\n{}", "{}\n\n", "\r\n\r\n{}\r\n", "\n\n\n\n {} \n"])
@in_one_test("break_", ["\n", "\r\n"])
def test_blanks_around_a_text_and_line_breaks_of_windows(id: str, around: str, break_: str) -> None:
    if id == "format:line_indent" and around.endswith("\n") and " {}" in around:
        return  # the indentation of the first line counts
    text = around.format(FOLLOWED[id].replace("\n", break_))
    arguments = INSTRUCTIONS[id].read_arguments(ARGUMENTS.get(id, {}))
    assert follows(text, [(id, arguments)]) == [True]


def test_line_breaks_of_windows_in_a_request() -> None:
    request = {"prompt_to_repeat": "Name a river.\r\nNow."}
    for id in ("copy:copy", "combination:repeat_prompt"):
        arguments = INSTRUCTIONS[id].read_arguments(request)
        for text in ("Name a river.\nNow.", "Name a river.\r\nNow."):
            assert follows(text, [(id, arguments)]) == [True]
    span = INSTRUCTIONS["new:copy_span_idx"].read_arguments({**request, "n_start": 7, "n_end": 17})
    for text, expected in (("river.\r\nNow", True), ("river.\nNow", True), ("river. Now", False)):
        assert follows(text, [("new:copy_span_idx", span)]) == [expected]


def check(id: str, text: str, arguments: dict[str, Any]) -> bool:
    read = INSTRUCTIONS[id].read_arguments(arguments or ARGUMENTS.get(id, {}))
    return follows(text, [(id, read)]) == [True]


@in_one_test(
    ("id", "text", "arguments"),
    [
        ("count:conjunctions", "“And” then **but**…", {}),
        ("count:person_names", "_Emma_, __Liam__", {}),
        ("count:pronouns", "*it* and _me_", {}),
        ("count:word_count_range", "_one two three four_", {}),
        ("count:keywords_multiple", "_one_" + " _two_" * 2 + " **three**" * 3 + " five" * 5
         + " ‘seven’" * 7, {}),
        ("custom:european_capitals_sort", "**Reykjavik**, Helsinki, Oslo, Tallinn, Stockholm, Riga,"
         " Moscow, Copenhagen, Vilnius, Minsk, Dublin, Berlin, Amsterdam, Warsaw, London, Brussels,"
         " Kyiv, Prague, Luxembourg, Paris, Vienna, Bratislava, Budapest, Vaduz, Chisinau, Bern,"
         " Ljubljana, “Zagreb”.", {}),
        ("custom:date_format_list", "**1796-04-12**, 1805-12-02.", {}),
        ("custom:mcq_count_length", QUESTIONS.replace("Question 1.", "**Question 1.**"), {}),
        ("detectable_format:json_format", '````json\n{"a": "```"}\n````', {}),
        ("format:emoji", "**It rains 😀.**", {}),
        ("format:no_bullets_bullets", "“One.” **Two.**\n\n* *a*: x\n\n* b", {}),
        ("format:options", "“Yes.”\n", {}),
        ("format:quotes", "“a ‘b “c” d’ e”", {}),
        ("format:quotes", "«a ‹b «c» d› e»", {}),
        ("format:quotes", '"It\'s \'a "b" c\' d"', {}),
        ("format:quote_unquote", "“Go” means leave.", {}),
        ("format:title_case", "**The** _Cat_ “Ran”", {}),
        ("keywords:existence", "I don’t", {"keywords": ["don't"]}),
        ("keywords:frequency", "don’t, don't", {"keyword": "don’t", "frequency": 2,
                                               "relation": "at least"}),
        ("length_constraints:number_sentences", "**It rains.**",
         {"num_sentences": 2, "relation": "less than"}),
        ("length_constraints:number_words", "_one_ ___", {"num_words": 2, "relation": "less than"}),
        ("sentence:keyword", "“Mr. Lee left. The sea rose.”", {}),
        ("sentence:increment", "“One.” — Two — three.", {}),
        ("startend:end_checker", "“Well. Any questions?”", {}),
        ("words:alphabet", "“A big” — “cat”", {}),
        ("words:keywords_specific_position", "Go. To the **sea**!", {}),
        ("words:last_first", "See “cats.” — Cats run.", {}),
        ("words:no_consecutive", "“A” “big” — cat", {}),
        ("words:paragraph_last_first", "“Sea” to **sea**…", {}),
        ("words:prime_lengths", "It’s “not” — odd", {}),
        ("words:start_verb", "**Go** home.", {}),
        ("words:start_verb", "“Go home.”", {}),
        ("words:words_position", "The **sea** is _sea_ blue.", {}),
    ],
)  # fmt: skip
def test_marks_around_words_are_no_part_of_them(
    id: str, text: str, arguments: dict[str, Any]
) -> None:
    assert check(id, text, arguments)


@in_one_test(
    ("id", "text", "arguments"),
    [
        ("count:conjunctions", "“And” and **and**", {}),
        ("count:person_names", "Emma_Liamson", {}),
        ("custom:date_format_list", "1796-04-12; 1805-12-02", {}),
        ("custom:date_format_list", "...", {}),
        ("detectable_format:json_format", '````json\n{"a": 1}\n```', {}),
        ("format:emoji", "**It rains.**", {}),
        ("format:emoji", "It rains 😀. **It snows.**", {}),
        ("format:no_bullets_bullets", "One. Two.\n**a**\n**b**", {}),
        ("format:no_bullets_bullets", "One? Two!\n* a\n* b", {}),
        ("format:no_bullets_bullets", "One. Two.\n* a\n  b\n* c", {}),
        ("format:options", "“Yes.” No", {}),
        ("format:quotes", "“a ‘b’ c”", {}),
        ("format:quotes", "it's \"a\" we'd \"b\" they'll \"c\" I'm", {}),
        ("format:quote_unquote", "“Go” “stay” mean things.", {}),
        ("format:quote_unquote", "He said “go”.", {}),
        ("format:title_case", "**the** Cat", {}),
        ("format:title_case", "_the_ Cat", {}),
        ("keywords:forbidden_words", "I _hate_ it", {"forbidden_words": ["hate"]}),
        ("keywords:forbidden_words", "I don’t", {"forbidden_words": ["don't"]}),
        ("keywords:forbidden_words", "I don't", {"forbidden_words": ["don’t"]}),
        ("keywords:forbidden_words", "I ha\u200bte it", {"forbidden_words": ["hate"]}),
        ("keywords:forbidden_words", "I ha\u00adte it", {"forbidden_words": ["hate"]}),
        ("keywords:exclude_word_harder", "The s\u2060ea", {}),
        ("keywords:forbidden_words", "an _id_ here", {"forbidden_words": ["_id"]}),
        ("keywords:forbidden_words", "an __id_ here", {"forbidden_words": ["_id_"]}),
        ("keywords:exclude_word_harder", "The \ufeffsea\u200b", {}),
        ("keywords:exclude_word_harder", "The __sea__", {}),
        ("length_constraints:number_sentences", "**It rains.**",
         {"num_sentences": 2, "relation": "at least"}),
        ("length_constraints:number_words", "___ ___", {"num_words": 1, "relation": "at least"}),
        ("ratio:sentence_balance", "It rains. ? !", {}),
        ("startend:end_checker", "Any questions? “No.”", {}),
        ("words:alphabet", "“A” “cat”", {}),
        ("words:no_consecutive", "“A” — “a”", {}),
        ("words:paragraph_last_first", "“Sea” to land…", {}),
        ("words:prime_lengths", "“four”", {}),
        ("words:start_verb", "**The** go.", {}),
        ("words:start_verb", "***", {}),
        ("words:words_position", "**Sea** the is sea blue.", {}),
    ],
)  # fmt: skip
def test_marks_around_words_make_nothing_right(
    id: str, text: str, arguments: dict[str, Any]
) -> None:
    assert not check(id, text, arguments)
