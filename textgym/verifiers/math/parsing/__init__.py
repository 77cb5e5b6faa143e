"""Reading a mathematical answer: finding it, normalising its spelling, and parsing it."""
