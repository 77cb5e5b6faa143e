"""Mathematics: whether an answer equals the correct one (the gold) and is fully evaluated.

Environments call `verify` (in `verdict`). It finds the answer (`textgym.verifiers.stated`, and in
sentences `statements`, `stated_values` and `stated_words`), compares words and times (`words`,
`moments`), and sends formulas to a worker process (`workers`, `fork_server`). In the worker,
`check` parses the gold and the answer (`spelling`, `reading`), compares them (`equality`,
`values`), and decides whether the answer still contains a computation (`worked_out`, with `steps`
and `question`).
Importing this package does not load the libraries that the workers need.
"""

from textgym.verifiers.math.verdict import FORMS, MAX_TIMEOUT, Form, MathVerdict, equal_math, verify

__all__ = ["FORMS", "MAX_TIMEOUT", "Form", "MathVerdict", "equal_math", "verify"]
