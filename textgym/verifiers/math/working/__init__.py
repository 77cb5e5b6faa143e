"""Whether an answer is evaluated, or only repeats the question."""
