"""Text for people: an episode as a transcript, tool schemas in words, and safe terminal output."""
