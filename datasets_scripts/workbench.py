"""Convert WorkBench's queries to WorkplaceAssistant rows.

python datasets_scripts/workbench.py queries/*.csv --database databases --out workbench.jsonl

With `--database`, each row gets the field `no_op`, which is true if its calls do not change
WorkBench's databases, so that doing nothing is correct. The rows are read with
`gymnasium.make("textgym/WorkplaceAssistant-v0", dataset="workbench.jsonl", database="databases")`.
"""

from __future__ import annotations

from collections.abc import Sequence

from common import Row, convert, parser_of, run

from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.tasks.named import named_dataset

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, name: str = "workbench") -> int:
    """Run the script of WorkBench, or of a data set with the same databases."""

    def work() -> None:
        dataset = named_dataset(name)
        parser = parser_of(dataset)
        parser.add_argument("--database", metavar="FOLDER", help="folder of WorkBench's databases")
        given = parser.parse_args(arguments)
        if given.database is None:
            convert(dataset, given)
            return
        env = WorkplaceAssistant(database=given.database)

        def with_no_op(row: Row) -> Row:
            env.reset(options={"task": row})
            return {**row, "no_op": env.step("")[1] == 1}  # an empty answer is correct

        convert(dataset, given, complete=with_no_op)

    return run(work)


if __name__ == "__main__":
    raise SystemExit(main())
