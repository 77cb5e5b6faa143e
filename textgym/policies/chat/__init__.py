"""Chat templates: rendering conversations, encoding prompts, and parsing sampled text."""
