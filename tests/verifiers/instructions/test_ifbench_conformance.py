"""The reference's verdicts on recorded and invented answers, and where they are not followed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from textgym.envs.constraints.constraints_rows import instructions_of
from textgym.verifiers.instructions import MODES, follows

for library in ("nltk", "textblob", "syllapy", "emoji"):
    pytest.importorskip(library)

# Where the reference's verdict is marked as doubtful and not right: case, what is right.
OTHERWISE = {
    "ifbench-163": True,  # a quotation mark after a full stop makes no other kind of sentence
    "ifbench-diff-ratio.sentence_balance-02": False,  # no sentence of any kind is no balance
    "ifbench-diff-count.conjunctions-03": False,  # "and" and "and," are one conjunction
    "ifbench-diff-words.consonants-03": True,  # a dash is no word
    "ifbench-diff-format.options-09": True,  # "or" within "corn" separates no options
    "ifbench-diff-words.last_first-03": True,  # a comma is no part of a word
    "ifbench-diff-words.last_first-04": True,  # nor is a quotation mark
    "ifbench-diff-format.list-03": False,  # six dots are no two marks of list items
    "ifbench-diff-format.thesis-07": False,  # an empty <em> has no text
    "ifbench-diff-custom.date_format_list-08": False,  # 1801 was no leap year
    "ifbench-diff-custom.date_format_list-09": False,  # there is no month 00
    "ifbench-diff-count.keywords_multiple-05": False,  # "party" is not the word "par"
    "ifbench-diff-repeat.repeat_change-06": False,  # the first word is the same
    "ifbench-diff-format.output_template-03": False,  # the parts are in another order
}
# Marked, and followed: trigrams could be of words as well as of characters.
MARKED_AND_FOLLOWED = {"ifbench-diff-ratio.overlap-06"}
# What is right although the reference's verdict is not marked: case, strict, loose; a verdict for
# each instruction.
NOT_FOLLOWED = {
    # "And" and "and" are one conjunction, as "and" and "and," are
    "ifbench-var-count.conjunctions-05-preface": ([False], [False]),
    # the reference's tagger takes these verbs for names: "Conceive", "Build", "Go"
    "ifbench-257": ([True], [True]),
    "ifbench-261": ([True], [True]),
    "ifbench-diff-words.start_verb-06": ([True], [True]),
    # apostrophes are no quotation marks
    "ifbench-120": ([False], [False]),
    # blanks and emphasis before a text are no part of it
    "ifbench-var-custom.mcq_count_length-02-bold": ([True], [True]),
    "ifbench-var-custom.mcq_count_length-05-space": ([True], [True]),
    "ifbench-var-custom.csv_city-05-space": ([True], [True]),
    # the asterisks of "**The Discovery Era**" are no bullet points
    "ifbench-133": ([True, False], [True, False]),
    "ifbench-135": ([True, False], [True, False]),
    # without their asterisks, bullet points without a point below them are no better
    "ifbench-unit-format.sub-bullets-01": ([False], [False]),
}


def test_every_case_gets_its_verdicts(shared: Path) -> None:
    path = shared / "conformance" / "ifbench.jsonl"
    cases = [json.loads(line) for line in path.read_text().split("\n") if line]
    wrong, marked, seen = [], set(), set()
    for case in cases:
        name, task = case["case"], case["task"]
        [action] = case["actions"]
        instructions = instructions_of(task, task["prompt"])
        expected = [case["strict"], case["loose"]]
        if case.get("suspect"):
            marked.add(name)
        if name in OTHERWISE:
            assert expected != [[OTHERWISE[name]]] * 2
            expected = [[OTHERWISE[name]]] * 2
        if name in NOT_FOLLOWED:
            assert expected != list(NOT_FOLLOWED[name])
            expected = list(NOT_FOLLOWED[name])
        verdicts = [follows(action["content"], instructions, mode) for mode in MODES]
        if verdicts != expected:
            wrong.append((name, verdicts, expected))
        seen.update(task["instruction_id_list"])
    assert wrong == []
    assert marked == OTHERWISE.keys() | MARKED_AND_FOLLOWED
    assert len(seen) == 58
    assert len(cases) >= 423
