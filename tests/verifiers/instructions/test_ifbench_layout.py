"""IFBench's instructions on layout, sentences and shares: one named edge case each."""

from __future__ import annotations

import pytest
from instruction_checks import followed
from tables import in_one_test

for library in ("nltk", "emoji"):
    pytest.importorskip(library)

TEMPLATE = "My Answer: Yes. My Conclusion: Good. Future Outlook: Fine."


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param("format:parentheses", "([{([a])}])", True, id="five deep"),
        pytest.param("format:parentheses", "([{(a)}])", False, id="four deep"),
        pytest.param("format:parentheses", "(((((", False, id="never closed"),
        pytest.param("format:parentheses", "([{([)}])", False, id="closed by another kind"),
        pytest.param("format:parentheses", "(a) (b) (c) (d) (e)", False, id="side by side"),
        pytest.param("format:parentheses", ")(((((a)))))", True, id="after a stray bracket"),
        pytest.param("format:quotes", '"a \'b "c" d\' e"', True, id="three levels"),
        pytest.param("format:quotes", "'a \"b 'c' d\" e'", True, id="three from a single mark"),
        pytest.param("format:quotes", "\"a 'b' c\"", False, id="two levels"),
        pytest.param("format:quotes", '"a" \'b\' "c"', False, id="quotes side by side"),
        pytest.param("format:quotes", '"a \'b "c', False, id="quotes never closed"),
        pytest.param("format:options", "yes", True, id="an option"),
        pytest.param("format:options", "**Yes.**", True, id="an option in other case and marks"),
        pytest.param("format:options", "yes, no", False, id="two options"),
        pytest.param("format:options", "yes\n", True, id="a line break after an option"),
        pytest.param("format:newline", "one\ntwo,\n\nthree!", True, id="a word a line"),
        pytest.param("format:newline", "one two\nthree", False, id="two words on a line"),
        pytest.param("format:newline", "one\n-\ntwo", True, id="a line of marks is empty"),
        pytest.param("format:newline", "one\n \ntwo", False, id="a line of a space"),
        pytest.param("format:emoji", "Hi 😀. Bye! 😀", True, id="before and after the end mark"),
        pytest.param("format:emoji", "Love ❤️.", True, id="an emoji of two characters"),
        pytest.param("format:emoji", "Hi 😀. Bye.", False, id="a sentence without emoji"),
        pytest.param("format:emoji", "Hi! 😀 there! 😀", True, id="at the next sentence's start"),
        pytest.param("format:emoji", "Hi :)", False, id="an emoticon"),
        pytest.param("format:emoji", "Hi! 😀 ?! No 😀", False, id="a sentence of marks alone"),
        pytest.param("format:line_indent", "a\n b\n   c", True, id="growing"),
        pytest.param("format:line_indent", "a\n b\n c", False, id="equal indents"),
        pytest.param("format:line_indent", "a\n\n\n b", True, id="blank lines between"),
        pytest.param("format:line_indent", "a\n\tb", False, id="a tab is no space"),
        pytest.param("format:line_indent", "a", True, id="one line"),
        pytest.param("format:quote_unquote", '"Go" means leave.', True, id="explained"),
        pytest.param("format:quote_unquote", '"Go" "stay" mean things.', False, id="two at once"),
        pytest.param("format:quote_unquote", 'He said "go".', False, id="quoted at the end"),
        pytest.param("format:quote_unquote", 'The sign \'"\' is "x", you see.', True, id="a sign"),
        pytest.param("format:quote_unquote", "Nothing quoted.", True, id="no quotation"),
        pytest.param("format:list", "... a\n... b", True, id="two items"),
        pytest.param("format:list", "... a", False, id="one item"),
        pytest.param("format:list", "......", False, id="a mark doubled"),
        pytest.param("format:thesis", "<i>Cats purr.</i> They do.", True, id="i"),
        pytest.param("format:thesis", "<em>Cats purr.</em> They do.", True, id="em"),
        pytest.param("format:thesis", "<i>Cats purr.</i>", False, id="nothing after i"),
        pytest.param("format:thesis", "<em>Cats purr.</em>", False, id="nothing after em"),
        pytest.param("format:thesis", "<em> </em> They purr.", False, id="empty em"),
        pytest.param("format:thesis", "<i>Cats purr.</em> Yes.", False, id="another tag closes"),
        pytest.param("format:thesis", "*Cats purr.* They do.", False, id="Markdown"),
        pytest.param("format:sub-bullets", "* a\n  - b\n* c\n  - d", True, id="all have points"),
        pytest.param("format:sub-bullets", "* a\n  - b\n* c", False, id="one has none"),
        pytest.param("format:no_bullets_bullets", "One. Two.\n* a\n* b", True, id="both parts"),
        pytest.param("format:no_bullets_bullets", "One.\nTwo.\n\n* a\n* b", True, id="empty line"),
        pytest.param("format:no_bullets_bullets", "One.\n* a\n* b", False, id="one sentence"),
        pytest.param("format:no_bullets_bullets", "One. Two.\n* a", False, id="one bullet"),
        pytest.param("format:no_bullets_bullets", "One. Two.\n* a\nx\n* b", False, id="between"),
        pytest.param("format:no_bullets_bullets", "One. Two.\n* a\n* b\n", True, id="line after"),
        pytest.param("format:no_bullets_bullets", "One.\n\nTwo.\n* a\n* b", True, id="two parts"),
        pytest.param("format:title_case", "The Cat, Ran Home!", True, id="all capitalised"),
        pytest.param("format:title_case", "The Cat of Rome", False, id="a small word"),
        pytest.param("format:title_case", "The McDonald USA iPhone", True, id="mixed case"),
        pytest.param("format:title_case", "A 3rd Été", True, id="digits and marks on letters"),
        pytest.param("format:title_case", "Plan b", False, id="a small letter"),
        pytest.param("format:title_case", "Don't Go", False, id="the end of a contraction"),
        pytest.param("format:output_template", TEMPLATE, True, id="labels in order"),
        pytest.param("format:output_template", TEMPLATE.lower(), False, id="labels in small"),
        pytest.param(
            "format:output_template", "Future Outlook: x " + TEMPLATE[:40], False, id="!="
        ),
        pytest.param("format:no_whitespace", "One,two.", True, id="no space"),
        pytest.param("format:no_whitespace", "One\u00a0two", False, id="a no-break space"),
        pytest.param("format:no_whitespace", "One\n", False, id="a line break"),
    ],
)
def test_format(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        pytest.param("I know or I don't know", "I DON'T KNOW!", True, id="separated by or"),
        pytest.param("red, corn, blue", "corn", True, id="or within a word"),
        pytest.param("a), b), c), d)", "b)", True, id="a letter as written"),
        pytest.param("a), b), c), d)", "b", False, id="a letter without its bracket"),
        pytest.param("(A), (B), (C)", "(a)", False, id="a letter in other case"),
    ],
)
def test_options_are_separated_in_three_ways(options: str, text: str, expected: bool) -> None:
    assert followed("format:options", text, options=options) is expected


@pytest.mark.parametrize(
    "text",
    [
        "* **Morning**: run\n  - 5 km",
        "* *Morning*: run\n  - 5 km",
        "* Morning: 2 * 3 laps\n  - 5 km",
        "**The day**\n\n* Morning\n  - 5 km\n\n* Noon\n  - rest",
        "*Morning\n -5 km",
        "* Morning\n- 5 km",
        "\n\n* Morning\n\n\t- 5 km\n",
        "* Morning - early\n  - 5 km",
        "* Morning\n  which is early\n  - 5 km\n  - rest",
        "* Morning\n  - **5** km\n\n---\n\n* Noon\n  - rest",
        "* Morning\r\n  - 5 km\r\n* Noon\r\n  - rest\r\n",
        "- All days:\n* Morning\n  - 5 km",
    ],
)
def test_points_have_points_below_them(text: str) -> None:
    assert followed("format:sub-bullets", text)


@pytest.mark.parametrize(
    "text",
    [
        "No bullets.",
        "No bullets - none.",
        "**Morning** - run",
        "*Morning* - run",
        "**Morning**\n- run",
        "* Morning - run",
        "* Morning-run\n* Noon - rest",
        "* Morning\n\n* Noon\n  - rest",
        "* Morning\n  - run\n* Noon\n\n---",
        "* Morning\n---",
        "- run\n* Morning",
        "- run\n- rest",
        "* Morning\n  -\n",
        "*\n-",
        "***\n- run",
        "* * *\n- run",
        "• Morning\n  - run",
        "2 * 3\n- 6",
    ],
)
def test_no_points_below_points(text: str) -> None:
    assert not followed("format:sub-bullets", text)


@in_one_test(
    ("id", "text", "expected"),
    [
        pytest.param("ratio:stop_words", "The cat", True, id="exactly the share"),
        pytest.param("ratio:stop_words", "The cat and", False, id="above the share"),
        pytest.param("ratio:stop_words", "Don't stop cats running", True, id="parts of don't"),
        pytest.param("ratio:stop_words", "...", False, id="no words"),
        pytest.param("ratio:sentence_type", "One. Two? Three.", True, id="two to one"),
        pytest.param("ratio:sentence_type", "One. Two? Three! Four.", True, id="shouts aside"),
        pytest.param("ratio:sentence_type", "One. Two?", False, id="one to one"),
        pytest.param("ratio:sentence_type", "One!", False, id="none to none"),
        pytest.param("ratio:sentence_balance", "One. Two? Three!", True, id="one of each"),
        pytest.param("ratio:sentence_balance", "One. Two?", False, id="a kind is missing"),
        pytest.param("ratio:sentence_balance", "no mark", False, id="none of any kind"),
        *(
            pytest.param("ratio:sentence_balance", f"One. Two? {last}", True, id=f"ends in {last}")
            for last in (
                '"Go!"',
                "“Go!”",
                "‘Go!’",
                "«Go!»",
                "(Go!)",
                "[Go!]",
                "**Go!**",
                "*Go!*",
                "_Go!_",
                "Go (now!)",
                "(“Go!”)",
                "**“Go!”**",
                "`Go!`",
            )
        ),
        *(
            pytest.param("ratio:sentence_balance", f"One. Two? {last}", False, id=f"not {last}")
            for last in (
                'One more: "Go! Stay!"',
                '"Go!" Three!',
                "Go",
                '"Go"',
                "(Go.)",
                '"Go?"',
                "Go!x",
                "Go:",
                "(go)",
                "!",
            )
        ),
        pytest.param("ratio:sentence_type", 'One "go." Two? (Three.)', True, id="two closed"),
        pytest.param("ratio:sentence_type", 'One "go" Two? (Three.)', False, id="one closed"),
        pytest.param(
            "ratio:sentence_words",
            "The cat ran. A dog slept. My cow sat.",
            False,
            id="other lengths",
        ),
        pytest.param(
            "ratio:sentence_words", "The cat ran. Our dog sat. We all sang.", True, id="one length"
        ),
        pytest.param("ratio:sentence_words", "The cat ran. The dog sat.", False, id="two only"),
        pytest.param("ratio:sentence_words", "One ran. Two ran. Three ran.", False, id="longer"),
        pytest.param("ratio:sentence_words", "A cat. A cat. A cat.", False, id="same sentence"),
        pytest.param("ratio:sentence_words", "A cat. A cat! A Cat?", False, id="other marks only"),
        pytest.param("ratio:overlap", "red sky at night", False, id="all of it"),
        pytest.param("ratio:overlap", "red skxyz!", True, id="half of it"),
        pytest.param("ratio:overlap", "no", False, id="too short for trigrams"),
        pytest.param("sentence:alliteration_increment", "Go. Big bad cat.", True, id="none, two"),
        pytest.param(
            "sentence:alliteration_increment", "Red cat. Big dog.", False, id="none, none"
        ),
        pytest.param(
            "sentence:alliteration_increment", "Big bad cat. Six sad seals.", True, id="two, three"
        ),
        pytest.param(
            "sentence:alliteration_increment",
            "Six sad seals. Ann and Bob bow.",
            True,
            id="two runs",
        ),
        pytest.param(
            "sentence:alliteration_increment", 'Go. "Big" BAD cat.', True, id="quotes, case"
        ),
        pytest.param("sentence:increment", "One. One two. One two three.", True, id="by one"),
        pytest.param("sentence:increment", "One. One two three.", False, id="by two"),
        pytest.param("sentence:increment", "One two. One.", False, id="falling"),
        pytest.param("sentence:increment", "One. One - two.", True, id="a dash is no word"),
        pytest.param("sentence:increment", "One.", True, id="a single sentence"),
        pytest.param("sentence:keyword", "Go. To the SEA!", True, id="any case"),
        pytest.param("sentence:keyword", "The sea. Go.", False, id="in another sentence"),
        pytest.param("sentence:keyword", "Go. A seal.", False, id="within a word"),
        pytest.param("sentence:keyword", "The sea.", False, id="too few sentences"),
    ],
)
def test_sentences_and_shares(id: str, text: str, expected: bool) -> None:
    assert followed(id, text) is expected


@pytest.mark.parametrize(("percentage", "expected"), [(47, False), (48, True), (52, True)])
def test_overlap_may_differ_by_two_points(percentage: int, expected: bool) -> None:
    reference = "abcd"
    text = "abcdef"  # abc and bcd of four trigrams
    done = followed("ratio:overlap", text, percentage=percentage, reference_text=reference)
    assert done is expected
