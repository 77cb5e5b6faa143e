"""Shortcuts: small models that are fitted to the surface of prompts and then attack.

They are fitted to training tasks and tried on test tasks. They see words, lengths and positions,
and solve nothing. Where one of them earns more than chance, a policy can learn the same shortcut.

- `learned`: the attackers. `models`: their models, made with scikit-learn.
- `choices`: whether multiple-choice questions can be answered without understanding.
"""

from textgym.checks.shortcuts.learned import learned

__all__ = ["learned"]
