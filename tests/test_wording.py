"""Prose in plain English: the listed phrases are not written again.

Prose is what people read: docstrings, comments, texts of errors, help, and pages. Examples and code
are left out, and so are the environments' pages, which are their docstrings.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import ROOT

PHRASES = {
    r"(?<![Tt]here )\b(?:is|are|was|were) none\b": "say what is missing: 'has no …'",
    r"(?<![Tt]here )\b(?:is|are) no (?!longer|more|less|fewer|later|earlier|better|worse)[a-z]+": (
        "'is not a …'"
    ),
    r"\b[Oo]f wh(?:ich|om)\b": "a second sentence",
    r"\b[Ww]hatever\b": "'any', 'anything', 'regardless of'",
    r"\bgo(?:es)? on\b": "'continues'",
    r"\bone's own\b": "'your own', 'user-supplied'",
    r"\b[Tt]h(?:at|ose) of\b": "repeat the noun",
    r"\b[Tt]ells? (?:whether|which|how|why|what|if|that)\b": "'states', 'returns', 'says'",
    r"\b(?:is|are|was|were) told\b": "'knows', 'is given'",
    r"\b(?:pays|paid)\b": "'earns', 'is rewarded'",
    r"\balone\b": "'only'",
    r"\bits place, as\b": "'its import path, such as'",
    r"\b(?:another than|(?:an)?other [a-z]+ than)\b": "'a different …', '… other than'",
    r"\b[Aa] training\b(?= (?:that|either|goes|continues|usually|may|is|has)\b|[.,;:])": (
        "'a training run'"
    ),
    r"\btrainings\b": "'training runs'",
    r", also (?:in|of|from|by|to|with|for|on|at|if|when|after|across|within|those|the|one)\b": (
        "'even', 'including'"
    ),
    r"\bthe begin\b": "'the start'",
    r"\bno end of tasks\b": "'unlimited tasks'",
    r"\bfor good\b": "'permanently'",
    r"\bnobody vouches\b": "'untrusted'",
    r"\bwritten apart\b": "'written independently'",
    r"\b(?:counted|handled|logged|are) apart\b": "'separately'",
    r"\banew\b": "'again'",
    r"\b(?:replied|moves|divided|ends) otherwise\b": "'differently'",
}
"""What to write instead of each phrase."""

LIMITS = {
    "README.md": 1,
    "textgym/core": 1,
    "textgym/envs": 10,
    "textgym/rollouts": 2,
    "textgym/tools.py": 1,
    "textgym/training": 1,
    "textgym/verifiers": 2,
}
"""The phrases that are still in a room: lower a figure with each that goes. Other rooms have 0."""

GENERATED = ("docs/environments/", "docs/audit.md", "docs/verdicts.md")
FOLDERS = ("textgym", "docs", "examples", "benchmarks", "scripts", "datasets_scripts")


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring, comment, error and help of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            yield getattr(node, "lineno", 1), re.sub(r"(?m)^ *(>>>|\.\.\.) .*$", "", text)
        shown = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(node, ast.keyword) and node.arg == "help":
            shown = node.value
        for part in ast.walk(shown) if shown else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def page_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each paragraph of a Markdown page."""
    text = re.sub(r"(?ms)^```.*?^```", lambda code: "\n" * code[0].count("\n"), source)
    for paragraph in re.finditer(r"(?s)\S.*?(?=\n\s*\n|\Z)", text):
        yield text.count("\n", 0, paragraph.start()) + 1, paragraph[0]


def phrases_in(texts: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the phrase in its sentence, and what to write instead."""
    for line, text in texts:
        joined = " ".join(text.split())
        for phrase, advice in PHRASES.items():
            for match in re.finditer(phrase, joined):
                start = max(0, match.start() - 40)
                yield line, joined[start : match.end() + 30], advice


def may_have_phrases(source: str) -> bool:
    """Return whether a text has a phrase anywhere, or would if strings were joined."""
    joined = " ".join(re.sub(r"""["']\s*[frFR]*["']""", "", source).split())
    return any(re.search(phrase, joined) for phrase in PHRASES)


def phrases_by_room() -> dict[str, list[str]]:
    files = [path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
    rooms = defaultdict(list)
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix not in (".py", ".md") or name.startswith(GENERATED):
            continue
        read = prose_of if path.suffix == ".py" else page_of
        room = "/".join(Path(name).parts[: 2 if name.startswith("textgym/") else 1])
        source = path.read_text(encoding="utf-8")
        if not may_have_phrases(source):  # reading the prose of a module takes far longer
            continue
        for line, shown, advice in phrases_in(read(source)):
            rooms[room].append(f"{name}:{line}: …{shown}… (write {advice})")
    return rooms


def test_phrases_do_not_become_more() -> None:
    for room, listed in phrases_by_room().items():
        assert len(listed) <= LIMITS.get(room, 0), "\n".join(listed)


MODULE = '''
"""Whatever holds."""

SAID = "It is none."  # of which all go on


def read(form):
    """Return a text.

    >>> "those of"
    'alone'
    """
    raise ValueError(f"{form!r} is no number")
'''


def test_docstrings_comments_and_errors_are_read() -> None:
    lines = [line for line, *_ in phrases_in(prose_of(MODULE))]
    assert sorted(lines) == [1, 4, 4, 7, 13]


@pytest.mark.parametrize(
    "source",
    [MODULE, 'f("a", help="It goes " f"on.")', '"""It goes\non."""', 'raise E("th"\n    "ose of")'],
)
def test_no_module_with_a_phrase_is_passed_over(source: str) -> None:
    assert may_have_phrases(source)
    assert [*phrases_in(prose_of(source))]


def test_paragraphs_of_pages_are_read_and_code_is_not() -> None:
    page = "# Title\n\nIt goes\non.\n\n```python\nwhatever\n```\n\n- it pays\n"
    assert [line for line, *_ in phrases_in(page_of(page))] == [3, 10]


@pytest.mark.parametrize(
    "text",
    [
        "if there is none",
        "there are no tools",
        "it is no longer open",
        "the reward is None",
        "a training run",
    ],
)
def test_plain_sentences_pass(text: str) -> None:
    assert list(phrases_in(iter([(1, text)]))) == []
