"""Regular expressions that come with data: what they find, and their time limit."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.envs.equivalence_judge import EquivalenceJudge
from textgym.envs.mcqa import MCQA
from textgym.verifiers import patterns
from textgym.verifiers.patterns import PatternSearch, compile_pattern

SHIPPED = r"Answer\s*:\s*(?!Answer)\s*([A-Za-z])\s*"
ENDLESS = {
    "the shipped one": (SHIPPED, "Answer:" + " " * 19_990),
    "one branch twice": ("(?:a|a)*$", "a" * 60 + "b"),
    "nested repeats": (r"(?:(?:\w+)\s*)+$", "word " * 3_000 + "!"),
    "a branch within another": (r"(?:\w|\w\w|[a-z]+)+$", "a" * 9_000 + "!"),
}


@pytest.mark.parametrize(
    ("text", "pattern", "flags", "found"),
    [
        ("a1 a2", r"a(\d)", 0, "2"),
        ("a1 a2", r"a\d", 0, "a2"),
        ("A1", r"a(\d)", 0, None),
        ("A1", r"a(\d)", re.IGNORECASE, "1"),
        ("a\nb", "^b", re.MULTILINE, "b"),
        ("a\nb", "a.b", re.DOTALL, "a\nb"),
        ("a b", r"( )(b)", 0, "b"),
        ("a b", r"a( )b", 0, "a b"),
        ("a", "(", 0, None),
        ("a" + " " * 30_000, "a", 0, None),
        (" " * 30_000 + "a", "a", 0, "a"),
        ("Answer: b", SHIPPED, re.IGNORECASE, "b"),
    ],
    ids=["group", "no group", "case", "flags", "lines", "any character", "blank group",
         "only blank groups", "broken", "out of reach", "within reach", "shipped"],
)  # fmt: skip
def test_last_match_is_found(text: str, pattern: str, flags: int, found: str | None) -> None:
    search = PatternSearch()
    assert search.last_match(text, pattern, flags) == found
    assert not search.timed_out


@pytest.mark.parametrize("name", ENDLESS)
def test_search_that_runs_out_of_time_finds_nothing(name: str) -> None:
    pattern, text = ENDLESS[name]
    search = PatternSearch(0.05)
    assert search.last_match(text, pattern, re.IGNORECASE) is None
    assert search.timed_out


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*a){25}", "(a|aa)+$", "(a*)*b"])
def test_expression_of_exponential_time_in_re_ends(pattern: str) -> None:
    search = PatternSearch(0.1)
    search.last_match("a" * 5_000 + "!", pattern)
    search.last_match("a" * 40, pattern)


def test_searches_share_one_limit() -> None:
    search = PatternSearch(0.05)
    search.last_match(*reversed(ENDLESS["one branch twice"]))
    assert search.last_match("b", "b") is None


def test_finished_searches_use_up_the_limit() -> None:
    search = PatternSearch(0.05)
    while not search.timed_out:  # each of them ends long before the limit
        search.last_match("ab " * 6_000, "(a)b")
    assert search.last_match("ab", "(a)b") is None


# The syntax is that of Python's `re`.


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b{e}", "b{e} xyz", "b{e}"),
        ("(?:ab){i<=1}", "ab{i<=1}", "ab{i<=1}"),
        ("a{}", "a{} a", "a{}"),
        ("a{,2}b", "aaab", "aab"),
        ("a{2}", "a aa", "aa"),
        ("[[:alpha:]]", "x a] x", "a]"),
        ("[[a]x", "[x", "[x"),
        ("[]a]+", "a]", "a]"),
        ("[^]a]+", "xa]", "x"),
        ("[{]", "{", "{"),
        ("[a&&b]", "&", "&"),
        (r"\N{LATIN SMALL LETTER A}b", "ab", "ab"),
        (r"\{e\}", "{e}", "{e}"),
        (r"\p{L}", "a", None),
        ("(?V1)a", "a", None),
        ("(?<=a+)b", "aab", None),
        ("(?:a{1000}){11}", "a" * 11_000, None),
        ("(?:a{100}){100}", "a" * 10_000, "a" * 10_000),
        (r"\{20000\}", "{20000}", "{20000}"),
        (r"\\{20000}", "\\" * 20_000, None),
        ("a{" + "9" * 5_000 + "}", "a", None),
        ("{" + "9" * 999, "{" + "9" * 999, "{" + "9" * 999),
        ("9" * 1_001, "9" * 1_001, None),
        ("(?:(?:(?:a{1000}){1000}){1000})", "a", None),
        ("a{99999999999}", "a", None),
        ("(" * 5_000, "a", None),
        ("(" * 400 + "a" + ")" * 400, "a", None),
    ],
)
def test_expression_means_what_it_means_in_re(pattern: str, text: str, found: str | None) -> None:
    assert PatternSearch().last_match(text, pattern) == found


PIECES = st.sampled_from([
    "a", "b", ".", r"\s", r"\w", r"\d", "[ab]", "[^a]", "[[a]", "[]a]", "[^]a]", "(a|b)", "(?:ab)",
    "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "^", "$", r"\b", "{", "}", "{e}", "{1}", "{,2}", "{1,}",
    "{}", "{,}", "*", "+", "?", "*?", "*+", "|", "(", ")", "(?i:a)", r"\1", r"\Z", r"\{", r"\[",
    "[a-c]", "[{]", "[a&&b]", "[a--b]", "(?>a+)", "(?(1)a|b)", r"\x41", "é", "ß",
])  # fmt: skip
SAID = ["a", "aab b", "A1 b{e}", "a\nb\n", "ba{1}", "éa[b]", "ß ss", "a-b", "aaa{}b", "{,}a", "a&b"]


@settings(deadline=None, derandomize=True, database=None)
@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.sampled_from([0, re.I, re.M]))
def test_any_expression_finds_what_re_finds(pattern: str, flags: int) -> None:
    try:
        with warnings.catch_warnings(action="ignore"):
            expected = re.compile(pattern, flags)
    except re.error:
        assert compile_pattern(pattern, flags) is None
        return
    compiled = compile_pattern(pattern, flags)
    assert compiled is not None
    for text in SAID:
        ours = [found.span() for found in compiled.finditer(text)]
        assert ours == [found.span() for found in expected.finditer(text)]


@settings(deadline=None, derandomize=True, database=None)
@given(st.text("(){}[]\\?*+|^$.,:<>=!PpNLRu01aeids-&~ "))
def test_any_text_compiles_as_in_re_or_is_broken(pattern: str) -> None:
    with contextlib.suppress(re.error, OverflowError, RecursionError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        re.compile(pattern)
        assert compile_pattern(pattern) is not None
        return
    assert compile_pattern(pattern) is None


# Environments.

MANY = [*(rf"(?:\w|\w\w|[a-z]+)+[!?]{{{i}}}$" for i in range(2, 52)), "pick (.)"]
ROW = {"question": "?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatternSearch.__init__, "__defaults__", (0.05,))


def played(env: Any, row: dict[str, Any], text: str) -> tuple[float, dict[str, float]]:
    env.reset(options={"task": row})
    _, reward, _, _, info = env.step(text)
    return reward, info["reward_components"]


@pytest.mark.usefixtures("quick")
def test_multiple_choice_reports_a_pattern_that_ran_out_of_time() -> None:
    row = {**ROW, "template_metadata": {"output_regex": MANY}}
    reward, components = played(MCQA(), row, "a" * 60 + "! pick B")
    assert (reward, components) == (0.0, {"correct": 0.0, "answered": 0.0, "pattern_timeout": 1.0})
    reward, components = played(MCQA(), row, "pick B")
    assert (reward, components["pattern_timeout"]) == (1.0, 0.0)


@pytest.mark.usefixtures("quick")
def test_grading_mode_still_chooses_if_a_pattern_ran_out_of_time() -> None:
    row = {**ROW, "template_metadata": {"output_regex": MANY}}
    reward, components = played(MCQA(), row, "a" * 60 + "! \\boxed{B}")
    assert (reward, components["pattern_timeout"]) == (1.0, 1.0)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("of_row", [True, False])
def test_equivalence_judge_reports_a_pattern_that_ran_out_of_time(of_row: bool) -> None:
    metadata = {"template_metadata": {"output_regex": MANY}} if of_row else {}
    row = {"question": "?", "expected_answer": "zinc", **metadata}
    env = EquivalenceJudge(response_extract_regex=None if of_row else MANY[0])
    reward, components = played(env, row, "a" * 60 + "!")
    assert (reward, components["pattern_timeout"]) == (0.0, 1.0)
    reward, components = played(env, row, "zinc")
    assert (reward, components["pattern_timeout"]) == (1.0, 0.0)


def test_without_patterns_there_is_no_timeout_component() -> None:
    assert "pattern_timeout" not in played(MCQA(), ROW, "\\boxed{B}")[1]
    row = {"question": "?", "expected_answer": "zinc"}
    assert "pattern_timeout" not in played(EquivalenceJudge(), row, "zinc")[1]


def test_step_ends_whatever_expressions_a_row_has() -> None:
    """Fifty expressions of exponential time would take years without the limit of a step."""
    row = {**ROW, "template_metadata": {"output_regex": MANY}}
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "from textgym.envs.mcqa import MCQA\n"
        f"row = {row!r}\n"
        "env = MCQA(); env.reset(options={'task': row})\n"
        "print(env.step('a' * 60 + '!')[4]['reward_components']['pattern_timeout'])\n"
    )
    root = Path(patterns.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.stdout == "1.0\n", done.stderr
