"""Wrappers that change the reward; each has a reward component.

`costs` reduces the reward and measures texts; `shaping` adds bonuses and reshapes the whole reward.
"""
