"""The names of the package, which are imported on first use."""

from .calendar import check_calendar as check_calendar
from .choices import choice as choice
from .exact import (
    equal_json as equal_json,
    equal_number as equal_number,
    equal_text as equal_text,
    match as match,
)
from .extract import (
    after_reasoning as after_reasoning,
    final_number as final_number,
    last_answer as last_answer,
    last_boxed as last_boxed,
    last_line as last_line,
    last_tagged as last_tagged,
)
from .json_reader import last_json as last_json
from .judge import make_judge as make_judge
from .math import equal_math as equal_math
from .preference import nearness as nearness
from .reward_model import make_reward_model as make_reward_model
from .state import equal_state as equal_state
