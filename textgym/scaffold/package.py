"""Writing a new package: an environment that works, its tests, and what an installer needs.

The files are copies of `templates`, in which only names differ.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from importlib import resources
from pathlib import Path

from textgym.errors import UnknownNameError, UsageError, did_you_mean

__all__ = ["KINDS", "create_package"]

KINDS = {
    "single-step": "one answer to one question",
    "tools": "tools that return what the answer needs",
    "stateful": "tools that change a state, which is graded",
    "dialogue": "a user who answers questions",
    "judge": "an answer in any words, compared by a judge",
}
"""The kinds of environments, and what an episode of each consists of."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_FILES = {
    "README.md": "README.md",
    "pyproject.toml": "pyproject.toml",
    "package_init.py": "{name}/__init__.py",
    "{kind}.py": "{name}/env.py",
    "{kind}_tests.py": "tests/test_env.py",
    "common_tests.py": "tests/test_soundness.py",
}
"""The path of each template in a new package."""


def create_package(name: str, kind: str, folder: str | Path = ".") -> str:
    """Write a package with an environment that works, and return the environment's id.

    Args:
        name: The name of the package, such as `word_sums`; its environment is then
            `word_sums/WordSums-v0`.
        kind: One of `KINDS`.
        folder: The folder in which the folder of the package is made.

    Raises:
        UnknownNameError: There is no such kind.
        UsageError: The name is not valid or is used already, or the folder cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create_package("word_sums", "single-step", folder)
        ...     sorted(path.name for path in (Path(folder) / "word_sums").rglob("*.py"))
        'word_sums/WordSums-v0'
        ['__init__.py', 'env.py', 'test_env.py', 'test_soundness.py']
    """
    if kind not in KINDS:
        raise UnknownNameError(f"there is no kind {kind!r}{did_you_mean(kind, KINDS)}")
    class_name = _class_name(name)
    templates = resources.files("textgym.scaffold.templates")
    names = {"name": name, "kind": kind.replace("-", "_")}
    texts = {
        path.format(**names): (templates / file.format(**names)).read_text(encoding="utf-8")
        for file, path in _FILES.items()
    }
    if re.search(rf"\b{class_name}\b", "".join(texts.values())):
        raise UsageError(f"{name!r} gives the class the name {class_name}, which is already used")
    target = Path(folder) / name
    if target.exists():
        raise UsageError(f"{str(target)!r} exists already: choose another name")
    if importlib.util.find_spec(name):
        raise UsageError(f"there is a module {name!r} already: choose another name")
    summary = re.findall(r'summary="(.*)"', texts[f"{name}/env.py"])[0]
    written = {"my_package": name, "MyEnv": class_name, "SUMMARY": summary}
    try:
        for path, text in texts.items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                re.sub("|".join(written), lambda match: written[match[0]], text), encoding="utf-8"
            )
    except OSError as error:
        raise UsageError(f"cannot write {str(target)!r}: {error.strerror}") from error
    return f"{name}/{class_name}-v0"


def _class_name(name: str) -> str:
    """Return the name of the class in a package, whose name is checked."""
    if not _NAME.fullmatch(name):
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
        near = "_".join(words).lower()
        hint = near if _NAME.fullmatch(near) else "word_sums"
        raise UsageError(
            f"{name!r} is not a package name of lower-case letters, digits and _, such as {hint!r}"
        )
    class_name = "".join(map(str.capitalize, name.split("_")))
    if keyword.iskeyword(name) or keyword.iskeyword(class_name):
        raise UsageError(f"{name!r} is a Python keyword: choose another name")
    return class_name
