"""Whether an answer was worked out, or only repeats the question."""
