"""Office work: environments whose tools change tables, graded by the tables' final state.

- `ask_first`, `contingency`, `multi_intent`, `workplace`: the environments
- `base`: what the environments share
- `company`: generated companies, their databases and tools
- `databases`: tables that episodes share, and the changes of an episode
- `reference`: reference calls
- `requests`: requests whose details can be left out or replaced
- `tool_arguments`: what toolkits share
"""
