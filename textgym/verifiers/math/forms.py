r"""How far an answer must be evaluated. `worked_out` applies these rules to formulas.

- `any`, for data of unknown origin: operators such as integrals, and powers, roots and functions of
  numbers, are allowed only if the gold has them; one step of arithmetic is allowed, unless it
  combines numbers of the question; a formula of the question is not an answer.
- `evaluated`: as `any`, but with no more steps of arithmetic than the gold, and without integers
  written as fractions.
- `simplified`: as `evaluated`, with fractions in lowest terms, square roots without square factors,
  and no roots in denominators.
"""

from typing import Literal, get_args

__all__ = ["FORMS", "Form"]

Form = Literal["any", "evaluated", "simplified"]
FORMS: tuple[Form, ...] = get_args(Form)
