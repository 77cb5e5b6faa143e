"""verl learns from textgym's environments (verl 0.9).

`write_dataset` writes a Parquet file whose rows stand for tasks. `agent_loop` has the agent loop
`textgym`, which plays them with the tokens of verl's servers, and `advantages` the estimator
`textgym_grpo`, which leaves failed episodes out of their groups. verl finds both by itself, as a
plugin. `samples` turns an episode into what an agent loop returns.
"""

from textgym.training.verl.dataset import write_dataset

__all__ = ["write_dataset"]
