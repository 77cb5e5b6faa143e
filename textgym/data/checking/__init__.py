"""Checks of data sets: what is wrong in files of rows, each finding with its file and line.

- `engine`: `check_files`, which runs all checks. `report`, `kinds`: its report, and the kinds of
  findings.
- `reading`, `texts`: lines that cannot be read, and faults of encoding.
- `labels`, `disagreement`: right answers that the environment or stored runs dispute.
- `content`, `twins`: what a row asks, and which rows are alike.
- `hints`, `balance`: what reveals answers, in a row and in all of them.
"""

from textgym.data.checking.engine import check_files
from textgym.data.checking.kinds import KINDS, Kind
from textgym.data.checking.report import Finding, LabelFigures, Place, Report, Tally

__all__ = [
    "KINDS", "Finding", "Kind", "LabelFigures", "Place", "Report", "Tally", "check_files",
]  # fmt: skip
