"""`textgym data`: a module for each of its commands."""
