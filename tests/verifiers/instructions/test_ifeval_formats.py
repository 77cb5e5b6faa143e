"""IFEval's instructions on format, content, start and end: one named edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed

OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("* a\n* b", 2, id="asterisks"),
        pytest.param("- a\n- b", 2, id="dashes"),
        pytest.param("* a\n\t- b", 2, id="nested"),
        pytest.param("*a\n-b", 2, id="no space"),
        pytest.param("Intro:\n* a\n\n* b\nEnd.", 2, id="text around"),
        pytest.param("* a * b - c", 1, id="within a line"),
        pytest.param("1. a\n+ b\n• c\n– d", 0, id="other markers"),
        pytest.param("**Bold**\n* a", 1, id="a line in bold"),
        pytest.param("*Italic*\n* a", 1, id="a line in italics"),
        pytest.param("* *Italic* a", 1, id="italics in a bullet"),
        pytest.param("* a\n-- Ann", 1, id="a signature"),
        pytest.param("---\n* * *\n***\n- - -\n* a", 1, id="rules"),
        pytest.param("- \n* ", 2, id="bullets without text"),
    ],
)
def test_number_bullet_lists(text: str, number: int) -> None:
    name = "detectable_format:number_bullet_lists"
    assert followed(name, text, num_bullets=number)
    assert not followed(name, text, num_bullets=number + 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[pytest.param(option, True, id=option) for option in OPTIONS],
        pytest.param("Well. My answer is no. It rains.", True, id="text around"),
        pytest.param("**My answer is no.**", True, id="in bold"),
        pytest.param("My answer is **no**.", False, id="bold within"),
        pytest.param("my answer is no.", False, id="other case"),
        pytest.param("My answer is no", False, id="no period"),
        pytest.param("No.", False, id="the word alone"),
        pytest.param(" ".join(OPTIONS), False, id="all options"),
        pytest.param("My answer is no. My answer is no.", True, id="one option twice"),
    ],
)
def test_constrained_response(text: str, expected: bool) -> None:
    assert followed("detectable_format:constrained_response", text) is expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("none", 0, id="none"),
        pytest.param("*a* and *b c*", 2, id="single asterisks"),
        pytest.param("**a** and **b**", 2, id="double asterisks"),
        pytest.param("*a**b*", 2, id="side by side"),
        pytest.param("** ** **** * *", 0, id="blank"),
        pytest.param("*a\nb*", 0, id="over two lines"),
        pytest.param("_a_ __b__", 0, id="underscores"),
        pytest.param("2*3*4", 1, id="within a product"),
        pytest.param("* a *b*", 1, id="in a bullet"),
    ],
)
def test_number_highlighted_sections(text: str, number: int) -> None:
    name = "detectable_format:number_highlighted_sections"
    assert followed(name, text, num_highlights=number)
    assert not followed(name, text, num_highlights=number + 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Part 1\nA\nPart 2\nB", True, id="two sections"),
        pytest.param("Part 1\nA", False, id="one too few"),
        pytest.param("Part 1 Part 2 Part 3", True, id="more than asked"),
        pytest.param("PART 1 PART 2", False, id="other case"),
        pytest.param("Part1: A, Part2: B", True, id="no space"),
        pytest.param("Part  1, Part  2", False, id="two spaces"),
        pytest.param("Part one, part two", False, id="numbers in words"),
        pytest.param("**Part 1** **Part 2**", True, id="in bold"),
    ],
)
def test_multiple_sections(text: str, expected: bool) -> None:
    given = {"section_spliter": " Part ", "num_sections": 2}
    assert followed("detectable_format:multiple_sections", text, **given) is expected


def test_section_marker_is_no_regular_expression() -> None:
    given = {"section_spliter": "No.", "num_sections": 1}
    assert not followed("detectable_format:multiple_sections", "Now 1", **given)
    assert followed("detectable_format:multiple_sections", "No. 1", **given)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a": [1, 2.5, null]}', True, id="an object"),
        pytest.param(' \n"text"\n', True, id="a string alone"),
        pytest.param('```json\n{"a": 1}\n```', True, id="a fence that names json"),
        pytest.param("```\n[]\n```", True, id="a fence that names nothing"),
        pytest.param("```JSON []```", True, id="a fence on one line"),
        pytest.param("```js\n[]\n```", False, id="a fence that names something else"),
        pytest.param("```json\n[]", False, id="a fence that is not closed"),
        pytest.param("[]\n```", False, id="a fence that is not opened"),
        pytest.param("Here:\n[]", False, id="text before"),
        pytest.param("[] []", False, id="two values"),
        pytest.param("{'a': 1}", False, id="single quotation marks"),
        pytest.param("[1,]", False, id="a trailing comma"),
        pytest.param("NaN", False, id="not a number"),
        pytest.param("[-Infinity]", False, id="an infinity"),
        pytest.param("1" * 5000, True, id="a number of 5,000 digits"),
        pytest.param("1e400", True, id="a number beyond floats"),
        pytest.param('"\\ud800"', True, id="an escaped surrogate"),
        pytest.param("\ufeff[]", False, id="a byte order mark"),
        pytest.param("[" * 100_000, False, id="100,000 open brackets"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_json_format(text: str, expected: bool) -> None:
    assert followed("detectable_format:json_format", text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<<A song>>\nLa.", True, id="first line"),
        pytest.param("La.\n<<A song>> la", True, id="within the text"),
        pytest.param("<A song>", False, id="single brackets"),
        pytest.param("<<A\nsong>>", False, id="over two lines"),
        pytest.param("<<>>\n<< >>\n<<<>>>", False, id="blank"),
        pytest.param(">> A song <<", False, id="the wrong way round"),
        pytest.param("<<>> la <<A>>", True, id="after a blank one"),
        pytest.param("<<*A*>>", True, id="in italics"),
    ],
)
def test_title(text: str, expected: bool) -> None:
    assert followed("detectable_format:title", text) is expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("Dear [name] of [a place],", 2, id="two"),
        pytest.param("[] [ ] [\t]", 0, id="blank"),
        pytest.param("As said [1] and [23].", 0, id="citations"),
        pytest.param("[Name 1]", 1, id="a number in it"),
        pytest.param("[na\nme]", 0, id="over two lines"),
        pytest.param("(name) <name> {name}", 0, id="other brackets"),
        pytest.param("[[name]]", 1, id="nested"),
        pytest.param("] [name] [", 1, id="brackets without a partner"),
        pytest.param("[a](https://b.c)", 1, id="a link"),
    ],
)
def test_number_placeholders(text: str, number: int) -> None:
    name = "detectable_content:number_placeholders"
    assert not followed(name, text, num_placeholders=number + 1)
    assert number == 0 or followed(name, text, num_placeholders=number)


@pytest.mark.parametrize(
    ("marker", "text", "expected"),
    [
        pytest.param("P.S.", "Bye.\nP.S. Bring cake.", True, id="own line"),
        pytest.param("P.S.", "Bye. p. s. Cake.", True, id="small letters and spaces"),
        pytest.param("P.S.", "Bye.\nPS: Cake.", False, id="no periods"),
        pytest.param("P.S.", "Bye.\nP.S Cake.", False, id="one period"),
        pytest.param("P.S.", "Bye.\nP.  S. Cake.", False, id="two spaces"),
        pytest.param("P.P.S", "Bye.\nP.P.S. Cake.", True, id="second postscript"),
        pytest.param("P.P.S", "Bye.\nP. P. S Cake.", True, id="second postscript, spaces"),
        pytest.param("P.P.S", "Bye.\nP.S. Cake.", False, id="first postscript"),
        pytest.param("PS:", "Bye.\nps: Cake.", True, id="another marker"),
        pytest.param("N.B.", "NABS", False, id="a period is no wildcard"),
    ],
)
def test_postscript(marker: str, text: str, expected: bool) -> None:
    given = {"postscript_marker": marker}
    assert followed("detectable_content:postscript", text, **given) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("A\n******\nB", True, id="two"),
        pytest.param("A****** B", True, id="within a line"),
        pytest.param("******\nA\n******\nB\n******", True, id="separators around"),
        pytest.param("A\n******\n******\nB", False, id="a blank response"),
        pytest.param("A\n******\nB\n******\nC", False, id="three"),
        pytest.param("A\n******\n A ", False, id="twice the same"),
        pytest.param("A\n******\n", False, id="one"),
        pytest.param("A\n***\nB", False, id="three asterisks"),
        pytest.param("A\n*******\nB", False, id="seven asterisks"),
        pytest.param("******", False, id="a separator alone"),
    ],
)
def test_two_responses(text: str, expected: bool) -> None:
    assert followed("combination:two_responses", text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Name a river. The Nile.", True, id="repeated"),
        pytest.param(" name A RIVER. The Nile.", True, id="other case"),
        pytest.param("Name a river.", True, id="no answer"),
        pytest.param("Sure. Name a river. The Nile.", False, id="words before"),
        pytest.param("Name a river: the Nile.", False, id="another mark"),
        pytest.param("Name  a river.", False, id="another space"),
    ],
)
def test_repeat_prompt(text: str, expected: bool) -> None:
    given = {"prompt_to_repeat": "Name a river.\n"}
    assert followed("combination:repeat_prompt", text, **given) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Four. Any questions?", True, id="at the end"),
        pytest.param("Any questions?\n", True, id="alone"),
        pytest.param("Four. ANY QUESTIONS?", True, id="other case"),
        pytest.param('"Four. Any questions?"', True, id="quoted"),
        pytest.param("Any questions? Bye.", False, id="words after"),
        pytest.param("Any questions", False, id="no mark"),
        pytest.param("**Any questions?**", False, id="in bold"),
    ],
)
def test_end_checker(text: str, expected: bool) -> None:
    assert followed("startend:end_checker", text, end_phrase=" Any questions? ") is expected


def test_end_phrase_may_end_with_a_quotation_mark() -> None:
    assert followed("startend:end_checker", 'He said "no"', end_phrase='said "no"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"Yes."', True, id="quoted"),
        pytest.param(' "Yes.\n\nNo."\n', True, id="over lines, space around"),
        pytest.param('"Yes" or "no"', True, id="two quotations"),
        pytest.param('"Yes.', False, id="not closed"),
        pytest.param('Yes."', False, id="not opened"),
        pytest.param('"', False, id="one mark"),
        pytest.param("“Yes.”", False, id="curly marks"),
        pytest.param("'Yes.'", False, id="single marks"),
    ],
)
def test_quotation(text: str, expected: bool) -> None:
    assert followed("startend:quotation", text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("None; at all.", True, id="none"),
        pytest.param("One, two.", False, id="one"),
        pytest.param("1,000", False, id="in a number"),
        pytest.param("a，b、c،d", True, id="commas of other scripts"),
    ],
)
def test_no_comma(text: str, expected: bool) -> None:
    assert followed("punctuation:no_comma", text) is expected
