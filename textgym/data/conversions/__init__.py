"""Conversions of the records of data sets that have a name to rows of environments.

Each function is a `textgym.tasks.named.Convert`: it gets a record, its number in its split, from 1,
and the split. It returns a row, or the reason why the record is left out. `mathematics`, `choices`,
`texts` and `calls` are named after what is answered, and `fields` reads records.

Invariants: a row depends only on these three arguments; its id contains the name of the data set,
the split, and the record's own id or its number; a record of another schema raises `RowError`,
which names the field. A record that is not a fair task is left out: one without an answer, with
several, or with one that the environment's verifier does not accept.
"""
