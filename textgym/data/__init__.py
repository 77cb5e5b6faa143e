"""Data sets for training: their rows are generated, converted, checked and profiled.

`generate` writes the rows of a generator, `convert` translates between formats, `check` finds what
is wrong in files of rows, and `profile` joins stored runs to the rows that they played.
"""
