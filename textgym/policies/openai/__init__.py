"""`openai:MODEL@BASE_URL`: a policy behind an OpenAI-compatible server."""
