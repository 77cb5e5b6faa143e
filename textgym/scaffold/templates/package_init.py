"""Importing this package registers `my_package/MyEnv-v0`."""

import textgym
from my_package.env import MyEnv

__all__ = ["MyEnv"]

textgym.register(MyEnv)
