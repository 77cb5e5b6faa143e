"""`openai:MODEL@BASE_URL`: a model behind an OpenAI-compatible server.

- `policy`: `OpenAIPolicy`, with its retries and errors.
- `requests`: requests to the two endpoints, in messages or in token ids.
- `protocol`: the sampling fields of a request, adapted to what the server accepts; reading a reply,
  which is an action or a kind of failure.
- `connections`: HTTP connections of each event loop, and when requests may start.
- `arguments`: checks of the arguments of `OpenAIPolicy`.
"""
