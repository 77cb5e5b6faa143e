"""verl learns from textgym's environments (verl 0.9).

`write_dataset` writes a Parquet file of tasks. `agent_loop` has the agent loop `textgym`, which
plays them with the tokens of verl's servers. `samples` turns an episode into what an agent loop
returns, and has the estimator `textgym_grpo` for verl's legacy trainer. `trainer` has the trainer
`textgym_sync`, which compares log probabilities. verl loads them as a plugin.
"""

from textgym.training.verl.samples import write_dataset

__all__ = ["write_dataset"]
