r"""How far an answer has to be worked out; `worked_out` holds what that means for a formula.

- `any`, for data of unknown origin: operators such as integrals, and powers, roots and functions of
  numbers, only as the gold has them; one step of arithmetic, unless it combines numbers of the
  question; no formula of the question itself.
- `evaluated`: no step of arithmetic beyond the gold's, and no whole number written as a fraction.
- `simplified`: as `evaluated`, with fractions in lowest terms, square roots without square factors,
  and no roots in denominators.
"""

from typing import Literal, get_args

__all__ = ["FORMS", "Form"]

Form = Literal["any", "evaluated", "simplified"]
FORMS: tuple[Form, ...] = get_args(Form)
