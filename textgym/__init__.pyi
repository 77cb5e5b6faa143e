"""The public names of textgym: where each is defined. Type checkers read this, too."""

from . import checks as checks, errors as errors, metrics as metrics, verifiers as verifiers
from .checks import audit as audit, check as check
from .core.card import Card as Card
from .core.episode import Grade as Grade
from .core.snapshots import get_state as get_state, set_state as set_state
from .core.text_env import TextEnv as TextEnv
from .errors import (
    BoundaryFailure as BoundaryFailure,
    ContextFullError as ContextFullError,
    DatasetError as DatasetError,
    EnvironmentFailure as EnvironmentFailure,
    ExtraMissingError as ExtraMissingError,
    GroupFailure as GroupFailure,
    InvalidActionError as InvalidActionError,
    JudgeFailure as JudgeFailure,
    OracleError as OracleError,
    PolicyFailure as PolicyFailure,
    RewardError as RewardError,
    RewardModelFailure as RewardModelFailure,
    RowError as RowError,
    RunError as RunError,
    SandboxFailure as SandboxFailure,
    StateError as StateError,
    TextgymError as TextgymError,
    ToolError as ToolError,
    TrainingError as TrainingError,
    UnknownNameError as UnknownNameError,
    UsageError as UsageError,
    UserFailure as UserFailure,
    WorkerFailure as WorkerFailure,
)
from .messages import (
    Message as Message,
    ToolSchema as ToolSchema,
    assistant as assistant,
    assistant_calls as assistant_calls,
    system as system,
    tool_result as tool_result,
    user as user,
)
from .metrics import compute_metrics as compute_metrics
from .metrics.comparison import compare as compare
from .metrics.run_metrics import read_episode_table as read_episode_table
from .policies import (
    Action as Action,
    Policy as Policy,
    Sampling as Sampling,
    Tokens as Tokens,
    make_policy as make_policy,
)
from .registry import card as card, ids as ids, register as register
from .rescoring import (
    Grading as Grading,
    Rescore as Rescore,
    arescore as arescore,
    grade as grade,
    rescore as rescore,
)
from .rollouts import (
    AgainstReference as AgainstReference,
    Tournament as Tournament,
    arollout as arollout,
    load_config as load_config,
    merge_runs as merge_runs,
    play_episode as play_episode,
    play_match as play_match,
    refresh_run as refresh_run,
    rollout as rollout,
)
from .rollouts.ray_backend import RayBackend as RayBackend
from .spaces import ActionSpace as ActionSpace, ConversationSpace as ConversationSpace
from .task_pool import TaskPool as TaskPool
from .tasks import Task as Task
from .tools import tool as tool
from .trajectories import Batch as Batch, Run as Run, make_batch as make_batch
from .trajectories.schema import Trajectory as Trajectory
from .vector import TextVectorEnv as TextVectorEnv, make_vec as make_vec
from .verifiers import (
    after_reasoning as after_reasoning,
    check_calendar as check_calendar,
    choice as choice,
    equal_json as equal_json,
    equal_math as equal_math,
    equal_number as equal_number,
    equal_state as equal_state,
    equal_text as equal_text,
    final_number as final_number,
    last_answer as last_answer,
    last_boxed as last_boxed,
    last_json as last_json,
    last_line as last_line,
    last_tagged as last_tagged,
    make_judge as make_judge,
    make_reward_model as make_reward_model,
    match as match,
    nearness as nearness,
)

__version__: str
