"""From conversations to token ids and back, for models that run on token ids.

- `templates`: renders a conversation with the model's chat template.
- `token_codec`: encodes prompts that continue the recorded tokens, and decodes sampled tokens.
- `tool_prompt`: describes tools as text, for templates that ignore tools.
- `hermes_parser`, `vllm_parser`: parse tool calls out of what a model wrote. The first reads the
  form of Hermes and Qwen, the second runs vLLM's parsers for all others.
"""
