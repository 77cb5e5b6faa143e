"""Words that deny an answer, exclude it, or leave it open.

Every verifier builds its patterns from these alternatives of regular expressions, so that a word
that denies an option denies a number and a name, too. Where the words may stand depends on what is
read: before a letter, behind a box, or anywhere in a sentence.

Invariant: each is a list of alternatives without groups, to be put between `(?:` and `)`.
"""

from __future__ import annotations

__all__ = [
    "CONTRACTED",
    "DOUBTED",
    "EXCEPTED",
    "FALSE",
    "HEDGES",
    "MENTIONED",
    "NEGATIONS",
    "OTHER",
]

NEGATIONS = "not|never|neither|nor"
"""What denies the words behind it."""

CONTRACTED = "n['’]t\\b"
"""The end of a verb that denies the words behind it, such as `isn't`."""

FALSE = "wrong|incorrect|false"
"""What denies the answer that it describes."""

DOUBTED = (
    "hardly|unlikely|nobody|no one"
    "|(?<!no )(?<!without )(?<!without a )(?<!beyond )(?<!beyond a )(?<!any )doubt"
)
"""What denies the words behind it as well, but less plainly; "no doubt" affirms them."""

OTHER = "instead of|rather than|other than|different from|opposite of|unlike|far from|anything but"
"""What says that the answer is another one than the words behind it."""

EXCEPTED = "except|excluding|all but|everything but"
"""What excludes the words behind it, and states them where the question asks for an exception."""

HEDGES = "maybe|perhaps|possibly"
"""What leaves an answer open."""

MENTIONED = (
    r"unless|whether|before|until|past|by no means|in no case|under no circumstances"
    r"|such as|for example,?|e\.g\.,?|used to be|(?<!as )mention(?:s|ed)|says|said|claims|claimed"
    r"|thinks|thought|believes"
    r"|(?:prompt|question|problem|task|text|example|hint|you)"
    r" (?:ask|give|state|use|contain)(?:s|ed)?"
    r"|(?:given|hint|example|assumption|previously):"
    r"|(?:hint|assumption|(?:first|initial) guess) (?:is|was)"
)
"""What mentions the number behind it, or leaves it to somebody else."""
