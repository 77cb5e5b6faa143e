"""Programs that a model wrote, tested in a box.

- `blocks`: finding the programs in a text.
- `in_box`: what runs in the box.
- `plain_data`: values as JSON, in and out of the box.
- `tests`: tests, and whether what came out of the box is right.
- `runner`: running tests in a box.
- `asserts`: tests from Python's `assert` statements.
"""
