"""The published evaluations of docs/verdicts.md.

An `Evaluation` names its files, and how a record becomes an answer that `textgym.grade` grades, or
how else its records are graded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium

import textgym
from textgym.messages import assistant_calls
from textgym.verifiers.extract import before_stop

__all__ = ["EVALUATIONS", "Evaluation"]

Record = dict[str, Any]
_OPTIONS = re.compile(r"Please select from the following options: (\[.*?\])")


def answer_of(record: Record) -> Record:
    """Return the answer of a record with `question`, `gold` and `output`."""
    return {
        "question": record["question"],
        "answer": record["gold"],
        "output": record["output"],
    }


def answer_of_chain(record: Record) -> Record:
    """Return what follows "the answer is", before the model continues with a next question."""
    reply = before_stop(record["prediction"], ["\n\nQ:"])
    return {
        "question": record["question"],
        "answer": record["target"],
        "output": reply.rpartition("the answer is")[2],
    }


def answer_of_choice(record: Record) -> Record:
    """Return the answer of a multiple-choice record. MMLU-Pro has one with a single option."""
    options = [*record["options"], "none of these"][: max(2, len(record["options"]))]
    return {**answer_of(record | {"gold": record["answer"]}), "options": options}


def with_whole_gold(record: Record) -> Record:
    """Return a record whose gold is the option that it is left of, if it has lost letters.

    Qwen's evaluation takes words of units out of TabMWP's golds, and blanks: `Finl` was `Finland`.

    Example:
        >>> ask = "Which? Please select from the following options: ['Finland', 'Brazil']"
        >>> with_whole_gold({"question": ask, "gold": "Finl"})["gold"]
        'Finland'
    """
    found = _OPTIONS.search(record["question"])
    options = ast.literal_eval(found[1]) if found else []
    origins = [option for option in options if _is_left_of(record["gold"], option)]
    return record | {"gold": origins[0]} if len(origins) == 1 else record


def _is_left_of(gold: str, option: str) -> bool:
    letters = iter(option)
    return all(letter in letters for letter in gold)


def grade_answers(
    evaluation: Evaluation, records: dict[str, Record], folder: Path
) -> dict[str, bool]:
    """Grade the answers of records, one each."""
    found: dict[str, bool] = {}
    textgym.grade(
        [{**evaluation.answer(record), "id": key} for key, record in records.items()],
        evaluation.env,
        env_kwargs=evaluation.env_kwargs,
        on_answer=lambda answer: found.update({answer.id: answer.is_success}),
    )
    if None in found.values():
        raise SystemExit(f"{evaluation.title}: an answer cannot be graded")
    return found


def grade_runs(evaluation: Evaluation, records: dict[str, Record], folder: Path) -> dict[str, bool]:
    """Make WorkBench's recorded calls on its databases. A run that broke off is wrong."""
    database = str(folder / "workbench" / "databases")
    env = gymnasium.make(evaluation.env, database=database).unwrapped
    found = {}
    for key, record in records.items():
        env.reset(options={"task": record})
        calls = [(call["name"], call["arguments"]) for call in record["calls"]]
        *_, ended, cut, info = env.step(assistant_calls(*calls) if calls else "Done.")
        if not (ended or cut):
            *_, info = env.step("Done.")
        found[key] = info["is_success"] and not record["error"]
    return found


class Evaluation(NamedTuple):
    """A published evaluation. Records with a published verdict have it as `correct`.

    Attributes:
        title: Its name on the page.
        files: The pattern of its files, lines of JSON in gzip; each file is a part of it.
        source: Where it was published.
        env: The id of the environment that grades.
        env_kwargs: Its keyword arguments.
        answer: Returns a record's `question`, `answer`, `output` and further fields of the
            environment's rows.
        repair: Returns a record with its gold restored, or the record.
        part: The field of a record that names its part; "" if the file does.
        accuracy: The published accuracy in per cent, of each part, or the name of the field that
            holds it; empty if none was published.
        note: What else is to be said about it.
        grade: Returns which records are right by their keys; it gets the evaluation, the records
            and the folder of all sets.
    """

    title: str
    files: str
    source: str
    env: str
    env_kwargs: dict[str, Any] = {}
    answer: Callable[[Record], Record] = answer_of
    repair: Callable[[Record], Record] = lambda record: record
    part: str = ""
    accuracy: str | dict[str, float] = {}
    note: str = ""
    grade: Callable[[Evaluation, dict[str, Record], Path], dict[str, bool]] = grade_answers


_GITHUB = "<https://github.com/{}/tree/{}>"

EVALUATIONS = (
    Evaluation(
        "Qwen2.5-3B-Instruct on mathematics and word problems", "math_evals/*.jsonl.gz",
        _GITHUB.format(
            "open-thought/reasoning-gym-eval", "5f09fecc342a25d693895b7304a9dec43b47f436"
        ),
        "textgym/Math-v0", repair=with_whole_gold,
        accuracy={
            "aqua": 74.0, "gsm8k": 86.6, "minerva_math": 25.7, "olympiadbench": 25.8,
            "svamp": 93.1, "tabmwp": 90.2,
        },
        note="The verdicts are those of Qwen's evaluation.",
    ),
    Evaluation(
        "GSM8K, GPT-3 with and without a verifier", "gsm8k_solutions/*.jsonl.gz",
        _GITHUB.format("openai/grade-school-math", "3101c7d5072418e28b9008a6636bde82a006892c"),
        "textgym/Math-v0", note="The file is `example_model_solutions.jsonl`.",
    ),
    Evaluation(
        "GSM8K in ZeroEval", "zeroeval_gsm/*.jsonl.gz",
        _GITHUB.format("WildEval/ZeroEval", "8c1485edf12c6efb5f69135a562927c5ad484059"),
        "textgym/Math-v0",
        accuracy={"gpt-4o-mini-2024-07-18": 94.24, "Meta-Llama-3-8B-Instruct": 78.47},
    ),
    Evaluation(
        "BIG-Bench Hard, code-davinci-002 with chains of thought", "bbh/*.jsonl.gz",
        _GITHUB.format("suzgunmirac/BIG-Bench-Hard", "9ee07bd481feebf959a6b59d61ea57bdcf30964d"),
        "textgym/EquivalenceJudge-v0", answer=answer_of_chain,
        part="task", accuracy="table_accuracy",
    ),
    Evaluation(
        "MMLU-Pro", "mmlu_pro/*.jsonl.gz",
        _GITHUB.format("TIGER-AI-Lab/MMLU-Pro", "f418b116db00b065c2aea046518d8fcf74d39872"),
        "textgym/MCQA-v0",
        {"output_regex": r"(?-i:answer is \(?([A-J])\)?)", "output_regex_match": "first"},
        answer=answer_of_choice,
        note="Each eighth row. Where MMLU-Pro's expression has no match, its table draws an answer;"
        " here such an answer is wrong.",
    ),
    Evaluation(
        "WorkBench", "workbench/*.jsonl.gz",
        _GITHUB.format("olly-styles/WorkBench", "42f1b6dc18986f47701ca83de2d63dd4f95c59a0"),
        "textgym/WorkplaceAssistant-v0",
        accuracy={  # of 690 runs each
            "claude-2_all": 24.49, "claude-2_domains": 22.61, "gpt-3.5_domains": 13.48,
            "gpt-4_all": 42.61, "gpt-4_domains": 49.28, "llama2-70b_domains": 2.32,
            "mistral-8x7B_all": 15.65, "mistral-8x7B_domains": 19.13,
        },
        note="The calls of recorded runs are made again, with `all` tools or those of the task's"
        " `domains`. The published accuracies are what the benchmark's own `is_correct` gives for"
        " these runs. One run of mistral-8x7B is right here: its meeting on 2023-11-31 is made"
        " there, and refused here as a date that does not exist.",
        grade=grade_runs,
    ),
)  # fmt: skip
