"""Mathematics: whether an answer equals the right one and was worked out.

Environments call `verify` (`verdict`). It finds the final answer (`final_answer`) and has it
checked in a worker process (`workers`, `fork_server`). There, `check` reads gold and answer
(`spelling`, `units`, `reading`), compares them (`equality`, `values`), and decides whether anything
is left to be computed (`worked_out`, with `operators`, `steps` and `question`). Importing this
package loads none of the libraries that the workers need.
"""

from textgym.verifiers.maths.forms import FORMS, Form
from textgym.verifiers.maths.verdict import MAX_TIMEOUT, MathVerdict, verify

__all__ = ["FORMS", "MAX_TIMEOUT", "Form", "MathVerdict", "verify"]
