"""Finds the code that decides what an audit measures, so that only changed audits are played.

The figures of an audit follow from the environment's module, the audits' own code, and all modules
that these import. A digest of that code is stored with the figures. Comments, layout and docstrings
do not count; the docstring of a tool does, because models and attackers read it. Data files that
the code reads with `packaged_data` count. Modules that no audit runs, of model servers, data sets,
curricula and shards, do not count, either.
"""

from __future__ import annotations

import ast
import hashlib
import re
from functools import cache

import gymnasium
from make_architecture import imports_of, modules

AUDITS = "textgym.checks.runner"
UNUSED = tuple(
    f"textgym.{name}"
    for name in (
        "curricula", "task_pool",
        "policies.chat", "policies.default_model", "policies.hf", "policies.inspect",
        "policies.models", "policies.openai", "policies.vllm",
        "rollouts.comparisons", "rollouts.leases", "rollouts.merging", "rollouts.ray_backend",
        "rollouts.ray_run", "rollouts.work",
        "tasks.columnar_rows", "tasks.csv_rows", "tasks.file_rows", "tasks.named",
        "tasks.published", "tasks.table_rows", "trajectories.shards",
    )
)  # fmt: skip
"""The beginnings of modules that audits import and do not run: they play scripted policies and
generated tasks."""


def sources_digest(id: str) -> str:
    """Return a digest of the code that decides what an audit of an environment finds."""
    entry_point = gymnasium.spec(id).entry_point
    assert isinstance(entry_point, str), f"{id} is registered without a name of its class"
    digest = hashlib.sha256()
    for name in sorted(reached({entry_point.partition(":")[0], AUDITS})):
        path = modules()[name]
        code = code_of(path.read_text(encoding="utf-8"))
        digest.update(f"{name}\n{code}\n".encode())
        for table in tables_in(code):
            digest.update(path.with_name(table).read_bytes())
    return digest.hexdigest()[:16]


def tables_in(code: str) -> list[str]:
    """Return the names of the data files that code reads; they are beside its module."""
    return re.findall(r"\bpackaged_data\('[\w.]+', '([\w.]+)'\)", code)


def reached(names: set[str]) -> set[str]:
    """Return modules of the package with all that they import, directly or not."""
    found: set[str] = set()
    while names:
        found |= names
        names = {item for name in names for item in imports_of(name, True)} & modules().keys()
        names = {name for name in names - found if not name.startswith(UNUSED)}
    return found


@cache
def code_of(source: str) -> str:
    """Return a source without its comments, layout and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        documented = isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        )
        if documented and ast.get_docstring(node) is not None and not _is_tool(node):
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


def _is_tool(node: ast.AST) -> bool:
    return any("tool" in ast.unparse(item) for item in getattr(node, "decorator_list", ()))
