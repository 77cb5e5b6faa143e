"""The names of the package, which are imported on first use."""

from .reward_models import (
    RewardModel as RewardModel,
    RewardModelLike as RewardModelLike,
    RewardModelScore as RewardModelScore,
    make_reward_model as make_reward_model,
)
