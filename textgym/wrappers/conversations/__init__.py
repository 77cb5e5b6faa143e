"""Wrappers that change the conversation.

`retry`, `extra_tools` and `simulated_user` add turns, `prompts` adds text, and `budgets` shows what
is left of a budget or leaves turns out.
"""
