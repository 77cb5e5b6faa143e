"""What an environment is: `TextEnv`, and what it is made of.

- `text_env`: the base class. `partial_credit`: the one for environments that pay for progress.
- `authoring`, `options`: what an author writes, and its checks; keyword arguments.
- `conversation`: the messages of an episode. `grade`: its verdict. `card`: what an environment is
  about.
- `saving`, `snapshots`: arguments and specs; states of environments and wrappers.

The folder exports nothing, so that the registry can import `card` alone.
"""
