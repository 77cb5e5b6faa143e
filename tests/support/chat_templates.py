"""Chat templates with one quirk each, and a tool and a tool call to test them with."""

from __future__ import annotations

from typing import Any

CONTEXT = 4096
END = "<|im_end|>"
START = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' }}"
ASK = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
CALLS = (
    '{% for c in m.tool_calls or [] %}{{ \'\\n<tool_call>\\n{"name": "\' + c.function.name + '
    "'\", \"arguments\": ' }}{{ c.function.arguments | tojson }}{{ '}\\n</tool_call>' }}"
    "{% endfor %}"
)
TOOLS = (
    "{% if tools %}{{ '<|im_start|>system\\n' + (tools | tojson) + '<|im_end|>\\n' }}{% endif %}"
)
CHATML = TOOLS + START + "{{ m['content'] }}" + CALLS + "{{ '<|im_end|>\\n' }}{% endfor %}" + ASK
TRIMS = CHATML.replace("m['content']", "m['content'] | trim")
KEEPS_REASONING = CHATML.replace(
    "{{ m['content'] }}",
    "{% if m.reasoning_content %}{{ '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}"
    "{% endif %}{{ m['content'] }}",
)
DROPS_OLD_REASONING = KEEPS_REASONING.replace(
    "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.index > ns.last %}"
)
DROPS_OLD_REASONING = (
    "{% set ns = namespace(last=0) %}{% for m in messages %}{% if m.role == 'user' %}"
    "{% set ns.last = loop.index %}{% endif %}{% endfor %}" + DROPS_OLD_REASONING
)
OPENS_REASONING = CHATML.replace(
    "assistant\\n' }}{% endif %}", "assistant\\n<think>\\n' }}{% endif %}"
)
SHOWS_LAST_THINKING = CHATML.replace(
    "{{ m['content'] }}",
    "{% if m.role == 'assistant' and loop.last %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"
    "{{ m['content'] }}",
)
TOOLS_BEFORE_LAST_USER = (
    "{% for m in messages %}{% if tools and loop.last and m.role == 'user' %}{{ tools | tojson }}"
    "{% endif %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] }}"
    + CALLS + "{{ '<|im_end|>\\n' }}{% endfor %}" + ASK
)  # fmt: skip
ALWAYS_ASKS = (
    "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant] "
)
NO_END = ALWAYS_ASKS.replace(
    "[assistant] ", "{% if add_generation_prompt %}[assistant] {% endif %}"
)
SPACE_BEFORE_END = CHATML.replace("'<|im_end|>\\n'", "' <|im_end|>'")
END_IS_THE_NEXT_ROLE = (
    "{% for m in messages %}{{ '<|im_end|>' if m.role == 'user' else '<|im_start|>' }}"
    "{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>' }}{% endif %}"
)
STRICT_CALLS = (
    "{% for m in messages %}{% if m.role == 'tool' and not messages[loop.index0 - 1].tool_calls "
    "and messages[loop.index0 - 1].role != 'tool' %}{{ raise_exception('no call') }}{% endif %}"
    "{% endfor %}" + CHATML
)
CALLS_END_IN_TWO_WAYS = (
    "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{{ '[' + m.role + ']' }}"
    "{{ m.content }}" + CALLS + "{% if m.tool_calls %}{{ '<|end|>' if loop.last else '<|tool|>' }}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "look", "description": "d", "parameters": {"type": "object"}},
}

CALL = '{"name": "look", "arguments": {"far":true,  "name": "x"}}'

MOST = (
    "CHATML", "TRIMS", "KEEPS_REASONING", "DROPS_OLD_REASONING", "SHOWS_LAST_THINKING",
    "TOOLS_BEFORE_LAST_USER", "END_IS_THE_NEXT_ROLE", "STRICT_CALLS",
)  # fmt: skip
ALL = (*MOST, "SPACE_BEFORE_END")  # a model that ends its turn at once does not write this space
