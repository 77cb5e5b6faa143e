"""Whether an episode is the same wherever it is played again.

- `scripts`: episodes to play again, and what they return; `elsewhere`: in another process.
- `determinism_checks`: the same messages give the same episode.
- `record_checks`: what a rollout records of an episode.
"""
