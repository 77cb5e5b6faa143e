"""What an environment is: `TextEnv`, and its parts.

- `text_env`: the base class. `partial_credit`: the one for environments that reward progress.
- `authoring`: the methods that an author writes, with checks, and the keyword arguments.
- `episode`: an episode's conversation, payments and verdict. `card`: an environment's metadata.
- `saving`, `saved_episode`: saving one environment. `snapshots`: with its wrappers.

The package exports nothing, so that the registry can import `card` without the rest.
"""
