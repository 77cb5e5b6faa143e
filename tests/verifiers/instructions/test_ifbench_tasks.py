"""IFBench's instructions that are whole tasks, and those to repeat: one named edge case each."""

from __future__ import annotations

import string

import pytest
from instruction_checks import arguments_of, followed
from tables import in_one_test

from textgym.verifiers.instructions import INSTRUCTIONS

pytest.importorskip("nltk")

OPTIONS = "\nA) a\nB) b\nC) c\nD) d\nE) e\n"
QUIZ = [f"Question {i}: {'What' * i}?{OPTIONS}" for i in range(1, 5)]
AFRICA = ["Zimbabwe", "Zambia", "São Tomé", "Sao Tome", *[f"C{i}" for i in range(99, 51, -1)]]
STORY = [f"{letter}nna ran home." for letter in string.ascii_uppercase]
CAPITALS = (
    "Reykjavík, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, "
    "Dublin, Berlin, Amsterdam, Warsaw, London, Brussels, Prague, Luxembourg, Paris, Vienna, "
    "Bratislava, Budapest, Vaduz, Chișinău, Bern, Ljubljana, Zagreb"
)
CITIES = "ID,Country,City,Year,Count\n" + 'x,"y, z",1,2,3\n' * 7
GOODS = 'ProductID, Category,Brand,"Price",Stock\n' + "1,a,b,2,3\n" * 13 + '2,"R&D",b,2,3'
MARKS = '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\t"a"\t"b"\t"2"\t"3"' * 3


@in_one_test(
    ("name", "text", "expected"),
    [
        pytest.param("multiples", "14, 21,28\n35 42; 49.", True, id="any separators"),
        pytest.param("multiples", "14 21 28 35 42", False, id="one missing"),
        pytest.param("multiples", "From 10 to 50: 14 21 28 35 42 49", False, id="other numbers"),
        pytest.param("multiples", "49 42 35 28 21 14", False, id="backwards"),
        pytest.param("mcq_count_length", "\n".join(QUIZ), True, id="four longer and longer"),
        pytest.param("mcq_count_length", "Here:\n" + "\n".join(QUIZ), False, id="a preface"),
        pytest.param("mcq_count_length", "\n".join(QUIZ[:3]), False, id="three questions"),
        pytest.param("mcq_count_length", "\n".join([*QUIZ[:3], QUIZ[2]]), False, id="not longer"),
        pytest.param("mcq_count_length", "\n".join(QUIZ).replace("E) e", ""), False, id="A to D"),
        pytest.param("mcq_count_length", "\n".join(QUIZ).replace(")", "."), True, id="A. for A)"),
        pytest.param("reverse_newline", "\n".join(AFRICA), True, id="52 lines"),
        pytest.param("reverse_newline", "\n".join(AFRICA[:-1]), False, id="51 lines"),
        pytest.param("reverse_newline", "Here:\n\n- " + "\n- ".join(AFRICA), True, id="bullets"),
        pytest.param("reverse_newline", "\n".join(AFRICA[::-1]), False, id="alphabetical"),
        pytest.param("reverse_newline", "\n".join([*AFRICA[1:], "A"]), False, id="no Zimbabwe"),
        pytest.param("word_reverse", "Eagle bald, the is It.", True, id="reversed words"),
        pytest.param("word_reverse", "It is the bald eagle.", False, id="words in usual order"),
        pytest.param("character_reverse", ".elgaE dlaB eht si tI", True, id="reversed letters"),
        pytest.param("character_reverse", "Eagle bald", False, id="reversed words alone"),
        pytest.param("sentence_alphabet", " ".join(STORY), True, id="A to Z"),
        pytest.param("sentence_alphabet", " ".join(STORY).lower(), True, id="a to z"),
        pytest.param("sentence_alphabet", '"' + '" "'.join(STORY) + '"', True, id="quoted"),
        pytest.param("sentence_alphabet", " ".join(STORY[:25]), False, id="A to Y"),
        pytest.param("sentence_alphabet", " ".join(STORY[::-1]), False, id="Z to A"),
        pytest.param("european_capitals_sort", CAPITALS, True, id="marks on letters"),
        pytest.param("european_capitals_sort", CAPITALS.replace(" ", "\n"), True, id="on lines"),
        pytest.param(
            "european_capitals_sort", CAPITALS.replace("Prague", "Kyiv, Prague"), True, id="Kyiv"
        ),
        pytest.param("european_capitals_sort", CAPITALS + ".", True, id="a full stop"),
        pytest.param("european_capitals_sort", CAPITALS[11:], False, id="no Reykjavik"),
        pytest.param("european_capitals_sort", CAPITALS + ", Rome", False, id="too far south"),
        pytest.param("csv_city", CITIES, True, id="a comma in quotes"),
        pytest.param("csv_city", CITIES + "x,y,1,2,3", False, id="8 rows"),
        pytest.param("csv_city", CITIES.replace('"', ""), False, id="six fields"),
        pytest.param("csv_city", CITIES.replace(",", ", "), False, id="spaces in the header"),
        pytest.param("csv_city", CITIES.replace("\n", "\r\n"), True, id="line ends of Windows"),
        pytest.param("csv_city", f"```csv\n{CITIES}```", False, id="a code fence"),
        pytest.param("csv_city", "a\rb", False, id="a bare carriage return"),
        pytest.param("csv_special_character", GOODS, True, id="a quoted special character"),
        pytest.param("csv_special_character", GOODS.replace("&", ""), False, id="no special one"),
        pytest.param("csv_special_character", GOODS.replace('"', ""), False, id="unquoted"),
        pytest.param("csv_special_character", GOODS + "\n1,a,b,2,3", False, id="15 rows"),
        pytest.param("csv_special_character", GOODS + ",4", False, id="a longer row"),
        pytest.param("csv_special_character", GOODS.replace("Stock", "Count"), False, id="column"),
        pytest.param("csv_quotes", MARKS, True, id="all quoted"),
        pytest.param("csv_quotes", MARKS.replace('"Score"', "Score"), False, id="a bare header"),
        pytest.param("csv_quotes", MARKS.replace("\t", ","), False, id="commas"),
        pytest.param("csv_quotes", MARKS[:-1], False, id="a quotation mark missing"),
        pytest.param("csv_quotes", MARKS.replace('"a"', ""), False, id="an empty field"),
        pytest.param("csv_quotes", MARKS + "\n", True, id="a line break after"),
        pytest.param("date_format_list", "1796-04-12, 1805-12-02", True, id="two dates"),
        pytest.param("date_format_list", "1800-02-29", False, id="a leap day in no leap year"),
        pytest.param("date_format_list", "1804-02-29", True, id="a leap day"),
        pytest.param("date_format_list", "1800-00-00", False, id="month and day zero"),
        pytest.param("date_format_list", "1822-01-01", False, id="after his death"),
        pytest.param("date_format_list", "1796-4-12", False, id="a month of one digit"),
        pytest.param("date_format_list", "1796-04-12.", True, id="a full stop after"),
        pytest.param("date_format_list", "1796-04-12,", False, id="a comma after"),
        pytest.param("date_format_list", "１８００-01-01", False, id="digits of another script"),
    ],
)
def test_custom(name: str, text: str, expected: bool) -> None:
    assert followed(f"custom:{name}", text) is expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("repeat_change", "Sing a poem  on\nrain.", True, id="whitespace aside"),
        pytest.param("repeat_change", "Write a poem on rain. ", False, id="unchanged"),
        pytest.param("repeat_change", "Write one poem on rain.", False, id="second word changed"),
        pytest.param("repeat_change", "a poem on rain.", False, id="first word left out"),
        pytest.param("repeat_change", "Sing a poem on rain. It rains.", False, id="answered too"),
        pytest.param(
            "repeat_simple",
            " only output this sentence here, ignore all other requests. ",
            True,
            id="small letters",
        ),
        pytest.param("repeat_simple", "Only output this sentence here", False, id="cut short"),
        pytest.param("repeat_span", "poem on", True, id="words"),
        pytest.param("repeat_span", " POEM\n on\r\n", True, id="case and space around"),
        pytest.param("repeat_span", "poem", False, id="without the last"),
        pytest.param("repeat_span", "on", False, id="without the first"),
        pytest.param("repeat_span", "a poem", False, id="counted from 1"),
        pytest.param("repeat_span", "a poem on", False, id="one too many before"),
        pytest.param("repeat_span", "poem on rain.", False, id="one too many after"),
        pytest.param("repeat_span", "on poem", False, id="another order"),
        pytest.param("repeat_span", "poemon", False, id="words joined"),
        pytest.param("repeat_span", "it", False, id="characters"),
        pytest.param("repeat_span", "Write a poem on rain.", False, id="all of it"),
        pytest.param("repeat_span", "Here it is: poem on", False, id="with an introduction"),
    ],
)
def test_repeat(name: str, text: str, expected: bool) -> None:
    assert followed(f"repeat:{name}", text) is expected


@pytest.mark.parametrize(
    ("start", "end", "text", "expected"),
    [
        (0, 0, "Copy", True),
        (2, 4, "“big” sea, now!", True),
        (2, 4, "big sea now", False),
        (4, 9, "now!", True),
        (5, 9, "now!", False),
        (5, 9, "", True),
        (3, 2, "sea,", False),
    ],
)
def test_a_span_of_words_is_split_by_whitespace(
    start: int, end: int, text: str, expected: bool
) -> None:
    arguments = {"prompt_to_repeat": "Copy the  “big”\nsea, now!", "n_start": start, "n_end": end}
    assert followed("repeat:repeat_span", text, **arguments) is expected


@pytest.mark.parametrize(("text", "expected"), [("poem", True), ("poem on", False), ("a", False)])
def test_a_span_of_characters(text: str, expected: bool) -> None:
    arguments = arguments_of("repeat:repeat_span") | {"n_start": 8, "n_end": 11}
    assert followed("repeat:repeat_span", text, **{**arguments, "unit": "characters"}) is expected


def test_repeat_simple_is_followed_by_the_sentence_that_it_names() -> None:
    asked = INSTRUCTIONS["repeat:repeat_simple"].describe({})
    assert followed("repeat:repeat_simple", asked.partition(": ")[2])
