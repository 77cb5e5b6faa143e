"""verl learns from textgym's environments (verl 0.9).

`write_dataset` writes a Parquet file whose rows stand for tasks. `agent_loop` has the agent loop
`textgym`, which plays them with the tokens of verl's servers, and `samples` turns an episode into
what an agent loop returns. `trainer` has the trainer `textgym_sync`, which compares log
probabilities, and `advantages` the estimator `textgym_grpo` for verl's legacy trainer. verl finds
them by itself, as a plugin.
"""

from textgym.training.verl.dataset import write_dataset

__all__ = ["write_dataset"]
