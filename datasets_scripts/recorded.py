"""Make the recorded answers that docs/verdicts.md grades, from their public sources.

python datasets_scripts/recorded.py --out recorded
python datasets_scripts/recorded.py --out recorded --sets bbh mmlu_pro

A set is a folder of gzipped JSON lines, one file for each model or data set; WorkBench's has its
databases, too. The sources are repositories on GitHub, each at a fixed commit, so that the same
files come out. Use the answers to check verifiers only, never for training: BIG-Bench Hard asks for
that with a canary.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import io
import itertools
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from common import report, run

from textgym.data.conversions.calls import read_call, workbench
from textgym.errors import DatasetError, RowError, UsageError

__all__ = ["COMMITS", "SETS", "download", "main", "make"]

Record = dict[str, Any]
Read = Callable[[str, str], bytes]
Files = Iterator[tuple[str, Iterable[Record] | bytes]]

COMMITS = {
    "TIGER-AI-Lab/MMLU-Pro": "f418b116db00b065c2aea046518d8fcf74d39872",
    "WildEval/ZeroEval": "8c1485edf12c6efb5f69135a562927c5ad484059",
    "open-thought/reasoning-gym-eval": "5f09fecc342a25d693895b7304a9dec43b47f436",
    "olly-styles/WorkBench": "42f1b6dc18986f47701ca83de2d63dd4f95c59a0",
    "openai/grade-school-math": "3101c7d5072418e28b9008a6636bde82a006892c",
    "suzgunmirac/BIG-Bench-Hard": "9ee07bd481feebf959a6b59d61ea57bdcf30964d",
}
"""The sources, and the commit of each at which they were read."""

_QWEN = "reasoninggym-paper-experiments/math-evals/Qwen/Qwen2.5-3B-Instruct/math_eval"
_MATHEMATICS = {
    "aqua": "qwen25-math-cot-mcq",
    "gsm8k": "qwen25-math-cot",
    "minerva_math": "qwen25-math-cot",
    "olympiadbench": "qwen25-math-cot",
    "svamp": "qwen25-math-cot",
    "tabmwp": "qwen25-math-cot",
}
_GPT_3 = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
_ZERO_EVAL = ("Meta-Llama-3-8B-Instruct", "gpt-4o-mini-2024-07-18")
_MMLU_PRO = ("Meta-Llama-3-70B", "Qwen1.5-72B-Chat")
_MMLU_PRO_STEP = 8  # each eighth row
_MMLU_PRO_ANSWER = re.compile(r"answer is \(?([A-J])\)?")
_WORKBENCH_DOMAINS = (
    "analytics", "calendar", "customer_relationship_manager", "email", "multi_domain",
    "project_management",
)  # fmt: skip
_WORKBENCH = {  # when each model was run on each of the domains: day of March 2024, time
    "claude-2_all": "23_23-37-01 24_01-00-33 25_16-38-22 24_01-57-07 24_05-37-15 24_02-39-42",
    "claude-2_domains": "23_17-31-35 20_14-44-45 20_23-07-37 20_15-36-46 23_16-15-05 20_21-21-58",
    "gpt-3.5_domains": "23_13-56-43 20_13-03-15 20_22-31-06 20_13-16-18 23_13-32-46 20_20-52-32",
    "gpt-4_all": "23_21-56-59 21_14-57-26 19_11-18-10 21_15-21-12 23_21-17-32 21_15-40-36",
    "gpt-4_domains": "23_13-00-36 19_22-36-21 18_12-50-37 20_12-48-43 23_12-12-02 19_23-06-51",
    "llama2-70b_domains": "23_18-36-29 20_16-24-35 20_23-36-39 20_17-01-34 23_18-00-54 20_22-01-40",
    "mistral-8x7B_all": "24_05-59-31 24_06-19-20 25_16-48-26 24_06-47-26 24_07-55-30 24_07-01-18",
    "mistral-8x7B_domains": (
        "23_20-08-02 20_17-29-35 20_23-47-42 20_18-12-43 23_19-42-41 20_22-26-13"
    ),
}
_WORKBENCH_DATABASES = (
    "processed/analytics_data.csv", "processed/calendar_events.csv",
    "processed/customer_relationship_manager_data.csv", "processed/emails.csv",
    "processed/project_tasks.csv", "raw/email_addresses.csv",
)  # fmt: skip
_BBH = "code-davinci-002-outputs/code-davinci-002-cot"
_BBH_TASKS = (
    "boolean_expressions", "causal_judgement", "date_understanding", "disambiguation_qa",
    "dyck_languages", "formal_fallacies", "geometric_shapes", "hyperbaton",
    "logical_deduction_five_objects", "logical_deduction_seven_objects",
    "logical_deduction_three_objects", "movie_recommendation", "multistep_arithmetic_two",
    "navigate", "object_counting", "penguins_in_a_table", "reasoning_about_colored_objects",
    "ruin_names", "salient_translation_error_detection", "snarks", "sports_understanding",
    "temporal_sequences", "tracking_shuffled_objects_five_objects",
    "tracking_shuffled_objects_seven_objects", "tracking_shuffled_objects_three_objects",
    "web_of_lies", "word_sorting",
)  # fmt: skip


def download(repository: str, path: str) -> bytes:
    """Return the content of a file of a source.

    Args:
        repository: The repository, one of `COMMITS`.
        path: The path of the file in it.

    Raises:
        DatasetError: It cannot be read, for example because there is no network.
    """
    commit = COMMITS[repository]
    url = f"https://raw.githubusercontent.com/{repository}/{commit}/{quote(path)}"
    try:
        with urlopen(url, timeout=60) as answer:
            return bytes(answer.read())
    except (URLError, OSError) as error:
        raise DatasetError(f"{url} cannot be read: {getattr(error, 'reason', error)}") from error


def _lines(content: bytes) -> list[Record]:
    return [json.loads(line) for line in content.decode().split("\n") if line]


def _math_evals(read: Read) -> Files:
    for name, prompt in _MATHEMATICS.items():
        path = f"{_QWEN}/{name}/test_{prompt}_-1_seed0_t0.0_s0_e-1"
        found = _lines(read("open-thought/reasoning-gym-eval", f"{path}.jsonl"))
        figures = json.loads(
            read("open-thought/reasoning-gym-eval", f"{path}_{prompt}_metrics.json")
        )
        if len(found) != figures["num_samples"]:
            raise DatasetError(f"{path}.jsonl has {len(found)} lines, not {figures['num_samples']}")
        yield (
            f"{name}.jsonl.gz",
            (
                {
                    "question": record["question"],
                    "gold": record["gt"],
                    "output": record["code"][0],
                    "pred": record["pred"][0],
                    "correct": record["score"][0],
                }
                for record in found
            ),
        )


def _gsm8k_solutions(read: Read) -> Files:
    path = "grade_school_math/data/example_model_solutions.jsonl"
    found = _lines(read("openai/grade-school-math", path))
    for model in _GPT_3:
        yield (
            f"{model}.jsonl.gz",
            (
                {
                    "question": record["question"],
                    "gold": record["ground_truth"].rpartition("A: ")[2],
                    "output": record[model]["solution"],
                    "correct": record[model]["is_correct"],
                }
                for record in found
            ),
        )


def _zeroeval_gsm(read: Read) -> Files:
    for model in _ZERO_EVAL:
        found = json.loads(read("WildEval/ZeroEval", f"result_dirs/gsm/{model}.json"))
        yield (
            f"{model}.jsonl.gz",
            (
                {
                    "id": record["id"],
                    "question": record["question"],
                    "output": record["output"][0],
                    "gold": record["answer"],
                }
                for record in found
            ),
        )


def _bbh(read: Read) -> Files:
    yield (
        "code-davinci-002-cot.jsonl.gz",
        (row for task in _BBH_TASKS for row in _bbh_task(read, task)),
    )


def _bbh_task(read: Read, task: str) -> Iterator[Record]:
    path = f"{_BBH}/{task}_few_shot_template_0-255000"
    found = json.loads(read("suzgunmirac/BIG-Bench-Hard", f"{path}.json"))["outputs"]
    figures = json.loads(read("suzgunmirac/BIG-Bench-Hard", f"{path}_eval_metrics.jsonl"))
    for record in found:
        yield {
            "task": task,
            "question": record["input"].rpartition("Q: ")[2],
            "prediction": record["prediction"],
            "target": record["target"],
            "table_accuracy": round(figures["accuracy"], 4),
        }


def _mmlu_pro(read: Read) -> Files:
    for model in _MMLU_PRO:
        content = read("TIGER-AI-Lab/MMLU-Pro", f"eval_results/model_outputs_{model}_5shots.zip")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".json"))
            found = json.loads(archive.read(name))
        yield f"{model}.jsonl.gz", map(_mmlu_pro_record, found[::_MMLU_PRO_STEP])


def _mmlu_pro_record(record: Record) -> Record:
    """Read a record. Without a match the table draws an answer, which counts as wrong here."""
    options = record["options"]
    match = _MMLU_PRO_ANSWER.search(record["generated_text"])
    found = match[1] if match else None
    return {
        "question_id": record["question_id"],
        "category": record["category"],
        "question": record["question"],
        "options": ast.literal_eval(options) if isinstance(options, str) else options,
        "answer": record["answer"],
        "output": record["generated_text"],
        "pred": found,
        "correct": found == record["answer"],
    }


def _workbench(read: Read) -> Files:
    source = "olly-styles/WorkBench"
    for path in _WORKBENCH_DATABASES:
        yield f"databases/{path.partition('/')[2]}", read(source, f"data/{path}")
    queries = {}
    numbers = itertools.count(1)
    for domain in _WORKBENCH_DOMAINS:
        path = f"data/processed/queries_and_answers/{domain}_queries_and_answers.csv"
        for record in _table(read(source, path)):
            queries[domain, record["query"]] = workbench(record, next(numbers), "test")
    for model, times in _WORKBENCH.items():
        runs = []
        for domain, time in zip(_WORKBENCH_DOMAINS, times.split(), strict=True):
            table = _table(read(source, f"data/results/{domain}/{model}_2024-03-{time}.csv"))
            runs += [_workbench_run(run, queries[domain, run["query"]]) for run in table]
        yield f"{model}.jsonl.gz", runs


def _table(content: bytes) -> list[Record]:
    return [*csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))]


def _workbench_run(run: Record, row: Record) -> Record:
    """Return a run. Calls that are no Python, which the benchmark skips, are left out."""
    calls = []
    for text in ast.literal_eval(run["function_calls"]):
        try:
            calls.append(read_call(text.replace("\n", "\\n")))
        except RowError:
            continue
    return {**row, "calls": calls, "error": run["error"]}


SETS: dict[str, Callable[[Read], Files]] = {
    "bbh": _bbh,
    "gsm8k_solutions": _gsm8k_solutions,
    "math_evals": _math_evals,
    "mmlu_pro": _mmlu_pro,
    "workbench": _workbench,
    "zeroeval_gsm": _zeroeval_gsm,
}
"""The sets: each reads its sources and gives the names and records of its files."""


def make(out: Path, sets: Sequence[str] = tuple(SETS), read: Read = download) -> None:
    """Write the files of sets.

    Args:
        out: The folder for them.
        sets: The names of the sets, of `SETS`.
        read: Returns the content of a file by its repository and its path.

    Raises:
        DatasetError: A source cannot be read, or is not as expected.
        UsageError: A file cannot be written.
    """
    for name in sets:
        for file, content, count in _files(name, read):
            _write(out / name / file, content)
            report(f"{name}/{file}", count)


def _files(name: str, read: Read) -> Iterator[tuple[str, bytes, int]]:
    """Yield the names, contents and numbers of lines of the files of a set."""
    try:
        for file, found in SETS[name](read):
            if isinstance(found, bytes):
                yield file, found, found.count(b"\n")
                continue
            lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in found]
            text = "".join(lines).encode("utf-8", "backslashreplace")
            yield file, gzip.compress(text, mtime=0), len(lines)  # equal records, equal files
    except DatasetError:
        raise
    except (LookupError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise DatasetError(f"the source of {name} is not as expected: {error!r}") from error


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write to {str(path)!r}: {error.strerror}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    parser.add_argument(
        "--sets", nargs="+", choices=sorted(SETS), default=sorted(SETS), help="default: all"
    )
    given = parser.parse_args(arguments)
    return run(lambda: make(given.out, given.sets))


if __name__ == "__main__":
    raise SystemExit(main())
