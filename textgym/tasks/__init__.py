"""Tasks: the problems of an environment.

`task` has the `Task` class, draws generated tasks and decides their split. `source` hands tasks
out. `files` opens data sets, whose rows are read on access (`rows` and its kinds, such as
`columnar_rows`) and become JSON values (`textgym.json_values`). `nemo_rows` reads the fields of
NeMo Gym's rows.
"""

from textgym.tasks.task import Task

__all__ = ["Task"]
