"""From conversations to token ids and back, for models that run on token ids.

- `templates`: renders a conversation with the model's chat template.
- `token_codec`: encodes prompts that continue the recorded tokens, and decodes sampled tokens.
- `hermes`: tool calls in the form of Hermes and Qwen: parsed out of a model's text, and described
  in the prompt for templates that ignore tools.
- `vllm_parser`: runs vLLM's parsers for all other forms.
"""
