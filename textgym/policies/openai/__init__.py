"""`openai:MODEL@BASE_URL`: a model behind an OpenAI-compatible server.

- `policy`: `OpenAIPolicy`, with its retries and errors.
- `requests`: requests to the two endpoints, in messages or in token ids.
- `request_format`: the sampling fields of a request, adapted to what the server accepts.
- `replies`: reads replies: an action, or a kind of failure.
- `connection_pool`: HTTP connections of each event loop; `rate_limit`: when requests may start.
"""
