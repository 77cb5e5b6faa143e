"""Text for people: transcripts of episodes, tool schemas in words, and safe terminal output."""
