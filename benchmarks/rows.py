"""Opening a data set of a million rows and drawing tasks from it, in new processes.

The floor is `json.loads` over all lines. Seconds and microseconds are CPU time of the process;
memory is what the process holds beyond the imports. A Parquet file is converted when it is opened
for the first time, and read from the converted file again.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import aim, asked_quick, table, write_rows

from textgym.errors import ExtraMissingError
from textgym.tasks.rows import data_library

ROWS, RESETS, DISTINCT = 1_000_000, 5_000, 1_000
COMMON = """
import json, sys, time
import gymnasium, textgym
from pathlib import Path

def mebibytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

path, resets = sys.argv[1], int(sys.argv[2])
gymnasium.make("textgym/MCQA-v0").reset()
if path.endswith(".parquet"):
    import pyarrow.parquet
before, begun = mebibytes(), time.process_time()
"""
FLOOR = """
with open(path, "rb") as lines:
    count = sum(1 for row in map(json.loads, lines))
opened = time.process_time() - begun
print(json.dumps([opened, 1e6 * opened / count, opened, mebibytes() - before]))
"""
OPENING = """
env = gymnasium.make("textgym/MCQA-v0", dataset=path)
opened = time.process_time() - begun
env.reset(seed=1, options={"index": 0})
begun = time.process_time()
env.reset(options={"index": env.unwrapped.num_tasks - 1})
reached = time.process_time() - begun
begun = time.process_time()
for _ in range(resets):
    env.reset()
spent = time.process_time() - begun
print(json.dumps([opened, 1e6 * spent / resets, reached, mebibytes() - before]))
"""


def figures_of(code: str, path: str, cache: str) -> list[float]:
    """Return the figures that code prints: of opening, of a row, of the last row, and the MiB.

    Args:
        code: The code.
        path: The data set.
        cache: The folder for converted files; "" for a new one.
    """
    command = [sys.executable, "-c", COMMON + code, path, str(RESETS)]
    with tempfile.TemporaryDirectory() as new:
        environment = {**os.environ, "XDG_CACHE_HOME": cache or new}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures: list[float] = json.loads(done.stdout)
    return figures


def write_data(folder: str, count: int) -> dict[str, str]:
    """Write so many rows to a .jsonl file, and to a .parquet file if pyarrow is installed."""
    lines = Path(write_rows(folder, DISTINCT)).read_text().splitlines()
    rows = [{**json.loads(line), "id": ""} for line in lines]
    paths = {"JSONL": f"{folder}/many.jsonl"}
    with open(paths["JSONL"], "w") as file:
        for number in range(count):
            file.write(json.dumps({**rows[number % DISTINCT], "id": f"q-{number}"}) + "\n")
    try:
        Table, parquet = data_library("pyarrow").Table, data_library("pyarrow.parquet")
    except ExtraMissingError:
        return paths
    paths["Parquet"] = f"{folder}/many.parquet"
    schema = Table.from_pylist(rows).schema
    with parquet.ParquetWriter(paths["Parquet"], schema) as writer:
        for first in range(0, count, 100_000):
            numbers = range(first, min(first + 100_000, count))
            some = [{**rows[number % DISTINCT], "id": f"q-{number}"} for number in numbers]
            writer.write_table(Table.from_pylist(some, schema=schema))
    return paths


def main() -> None:
    """Measure, and print the tables."""
    quick = asked_quick(__doc__)
    count, rounds = (ROWS // 10, 1) if quick else (ROWS, 3)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_data(folder, count)
        cases = {"json.loads of all lines (the floor)": (FLOOR, paths["JSONL"], "")}
        cases |= {name: (OPENING, path, "") for name, path in paths.items()}
        if "Parquet" in paths:
            cases["Parquet again"] = (OPENING, paths["Parquet"], folder)
            figures_of(*cases["Parquet again"])
        titles = (
            f"seconds to open {count:,} rows",
            "microseconds of a row or reset",
            "seconds of the first reset with the last row",
        )
        found = {name: [figures_of(*case) for _ in range(rounds)] for name, case in cases.items()}
    for place, title in enumerate(titles):
        print(
            table(
                title,
                {name: [row[place] for row in rows] for name, rows in found.items()},
                3,
            )
        )
        print()
    for name in list(cases)[1:]:
        seconds, micros, _, mebibytes = map(statistics.median, zip(*found[name], strict=True))
        limit = 10 if name == "Parquet" else 1  # its conversion is once for a file
        print(aim(f"{name}, opening {count:,} rows", seconds, limit, "s"))
        print(aim(f"{name}, a reset", micros, 1000, "µs"))
        print(aim(f"{name}, memory", mebibytes, 200, "MiB"))


if __name__ == "__main__":
    main()
