"""Calls and reasoning as model families write them, read by vLLM's parsers.

They run where vLLM is installed, which `make test-vllm` sees to. The texts are what such models
write; the tokenizer is SmolLM2's, with the tokens and a template that a parser asks for.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
from typing import Any

import pytest

from textgym.errors import UnknownNameError, UsageError
from textgym.messages import assistant, user
from textgym.policies import make_policy
from textgym.policies.chat.templates import encode
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.chat.vllm_parser import VLLMOutputParser
from textgym.policies.models import load_tokenizer
from textgym.spaces import ActionSpace

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]

TEMPLATE = (
    "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}"
    "{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
TOKENS = (
    "<|python_tag|>", "[TOOL_CALLS]", "[ARGS]", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<|tool_call|>",
    "<tool_call>", "</tool_call>", "<think>", "</think>", "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>",
    "<|tool_call_argument_begin|>", "<minimax:tool_call>", "</minimax:tool_call>",
)  # fmt: skip
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
ARGUMENTS = {"city": "Oslo", "days": 2}
CALL = json.dumps(ARGUMENTS)
XML_CALL = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n"
    "<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>"
)
FAMILIES = {
    "llama3_json": f'{{"name": "get_weather", "parameters": {CALL}}}',
    "llama4_pythonic": '[get_weather(city="Oslo", days=2)]',
    "mistral": f"[TOOL_CALLS]get_weather[ARGS]{CALL}",
    "qwen3_coder": XML_CALL,
    "hermes": f'<tool_call>\n{{"name": "get_weather", "arguments": {CALL}}}\n</tool_call>',
    "deepseek_v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
    f"```json\n{CALL}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek_v31": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
    f"{CALL}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "glm45": "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n"
    "<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
    "granite": f'<|tool_call|>[{{"name": "get_weather", "arguments": {CALL}}}]',
    "phi4_mini_json": f'functools[{{"name": "get_weather", "arguments": {CALL}}}]',
    "minimax_m2": '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo'
    '</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
    "olmo3": '<function_calls>\nget_weather(city="Oslo", days=2)\n</function_calls>',
}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    tokenizer = load_tokenizer("")
    tokenizer.add_tokens(list(TOKENS))
    tokenizer.chat_template = TEMPLATE
    return tokenizer


@pytest.fixture(scope="module")
def codec_of(tokenizer: Any) -> Any:
    """A function that makes a codec with parsers of some names; each codec is made once."""
    made: dict[Any, ChatCodec] = {}

    def make(tool_parser: str | None = None, reasoning_parser: str | None = None) -> ChatCodec:
        names = (tool_parser, reasoning_parser)
        if names not in made:
            parser = VLLMOutputParser(tokenizer, *names)
            made[names] = ChatCodec("test", tokenizer, {tokenizer.eos_token_id}, parser=parser)
        return made[names]

    return make


def said(codec: ChatCodec, text: str, tools: Any = (WEATHER,), *, finished: bool = True) -> Any:
    """Return the action of a reply."""
    prompt = codec.encode_prompt([user("Hello")], tools, None)
    ids = encode(codec.tokenizer, text)
    return codec.decode_action(prompt, ids, text, [-1.0] * len(ids), finished=finished)


def calls_in(action: Any) -> list[tuple[str, Any]]:
    calls = [call["function"] for call in action.message.get("tool_calls") or ()]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


def families(*but: str) -> Any:
    items = {name: text for name, text in FAMILIES.items() if name not in but}
    return pytest.mark.parametrize(("name", "text"), items.items(), ids=items)


@families()
def test_call_in_a_familys_form_is_parsed(codec_of: Any, name: str, text: str) -> None:
    action = said(codec_of(name), text)
    assert calls_in(action) == [("get_weather", ARGUMENTS)]
    assert action.message["content"] is None
    assert action.finish_reason == "tool_calls"
    assert action.message in ActionSpace()


@families()
def test_random_id_of_a_parser_is_dropped(codec_of: Any, name: str, text: str) -> None:
    messages = [said(codec_of(name), text).message for _ in range(2)]
    assert messages[0] == messages[1]
    assert "id" not in messages[0]["tool_calls"][0]


def test_id_written_by_the_model_is_kept(codec_of: Any) -> None:
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:7"
        f"<|tool_call_argument_begin|>{CALL}<|tool_call_end|><|tool_calls_section_end|>"
    )
    (call,) = said(codec_of("kimi_k2"), text).message["tool_calls"]
    assert call["id"] == "functions.get_weather:7"


@families()
def test_no_call_is_parsed_without_tools(codec_of: Any, name: str, text: str) -> None:
    assert said(codec_of(name), text, ()).message == assistant(text)


@families()
def test_no_call_is_parsed_from_a_cut_reply(codec_of: Any, name: str, text: str) -> None:
    action = said(codec_of(name), text[:-15], finished=False)
    assert action.message == assistant(text[:-15])
    assert action.finish_reason == "length"


@families()
def test_call_in_the_reasoning_is_not_parsed(codec_of: Any, name: str, text: str) -> None:
    message = said(codec_of(name), f"<think>{text}</think>It rains.").message
    assert message == {"role": "assistant", "content": "It rains.", "reasoning_content": text}


@families()
def test_text_without_a_call_is_unchanged(codec_of: Any, name: str, text: str) -> None:
    for plain in ("It rains.", "", " [1, 2] {3} ", "get_weather"):
        assert said(codec_of(name), plain).message == assistant(plain)


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder", "glm45", "mistral"])
def test_text_beside_a_call_is_the_content(codec_of: Any, name: str) -> None:
    action = said(codec_of(name), f"I look.\n{FAMILIES[name]}")
    assert calls_in(action) == [("get_weather", ARGUMENTS)]
    assert action.message["content"].strip() == "I look."


@families()
def test_any_reply_becomes_a_message(codec_of: Any, name: str, text: str) -> None:
    pieces = [piece for piece in re.split(r"(\W+)", text) if piece]
    pieces += ['"', "{", "\\ud800", "\u0000", "é", '{"name": 5}', "[" * 50]
    rng = random.Random(name)
    for _ in range(60):
        action = said(codec_of(name), "".join(rng.choices(pieces, k=rng.randrange(20))))
        assert action.message in ActionSpace()
        json.dumps(action.message, ensure_ascii=False).encode()


def test_reply_stays_text_if_the_parser_raises(
    codec_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vllm.tool_parsers import ToolParserManager

    codec = codec_of("hermes")
    parser = ToolParserManager.get_tool_parser("hermes")

    def fails(*given: Any, **named: Any) -> Any:
        raise IndexError("no such group")

    monkeypatch.setattr(parser, "extract_tool_calls", fails)
    assert said(codec, FAMILIES["hermes"]).message == assistant(FAMILIES["hermes"])


@pytest.mark.parametrize(
    ("name", "text", "reasoning", "content"),
    [
        ("qwen3", "<think>A or B?</think>\n\nB", "A or B?", "B"),
        ("qwen3", "A or", "A or", ""),
        ("deepseek_r1", "A or B?</think>B", "A or B?", "B"),
        ("granite", "Here is my thought process: A? Here is my response: B", "A?", "B"),
    ],
)
def test_familys_reasoning_is_separated_from_the_content(
    codec_of: Any, name: str, text: str, reasoning: str, content: str
) -> None:
    message = said(codec_of(None, name), text).message
    assert message["reasoning_content"] == reasoning
    assert message["content"].strip() == content


def test_calls_after_the_reasoning_are_parsed(codec_of: Any) -> None:
    action = said(codec_of("qwen3_coder", "qwen3"), f"<think>Hm.</think>\n{XML_CALL}")
    assert action.message["reasoning_content"] == "Hm."
    assert calls_in(action) == [("get_weather", ARGUMENTS)]


@pytest.mark.parametrize("names", [("openai", None), (None, "openai_gptoss")], ids=str)
def test_gpt_oss_has_one_parser_for_both(codec_of: Any, names: Any) -> None:
    from openai_harmony import HarmonyError
    from vllm.entrypoints.openai.parser.harmony_utils import get_encoding

    try:
        encoding = get_encoding()
    except HarmonyError as error:  # it is downloaded, and kept in a folder for temporary files
        pytest.skip(f"the vocabulary of gpt-oss is not here: {error}")
    text = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.get_weather <|constrain|>json<|message|>{CALL}<|call|>"
    )
    codec = codec_of(*names)
    prompt = codec.encode_prompt([user("Hello")], [WEATHER], None)
    ids = encoding.encode(text, allowed_special="all")
    action = codec.decode_action(prompt, ids, text, [-1.0] * len(ids), finished=True)
    assert action.message["reasoning_content"] == "Hm."
    assert calls_in(action) == [("get_weather", ARGUMENTS)]


def test_tools_that_vllm_refuses_are_a_usage_error(codec_of: Any) -> None:
    tools = [{"type": "function", "function": {"name": 5}}]
    with pytest.raises(UsageError, match="vLLM's parsers do not accept these tools: "):
        said(codec_of("hermes"), FAMILIES["hermes"], tools)


# Parsers that cannot be used


@pytest.mark.parametrize(
    ("options", "error", "error_text"),
    [
        ({"tool_parser": "hermès"}, UnknownNameError, "no tool_parser 'hermès'; did you mean 'her"),
        ({"reasoning_parser": "qwen4"}, UnknownNameError, "no reasoning_parser 'qwen4'"),
        ({"tool_parser": "hermes"}, UsageError, "the model's ignores them"),
    ],
    ids=["no such parser of calls", "no such parser of reasoning", "a template without tools"],
)
@pytest.mark.parametrize("kind", ["hf", "openai"])
def test_unusable_parsers_are_errors(
    kind: str, options: Any, error: type[Exception], error_text: str
) -> None:
    spec, more = ("hf", {})
    if kind == "openai":
        spec, more = "openai:m@http://h/v1", {"tokens": True, "tokenizer": "SmolLM2-135M-Instruct"}
    with pytest.raises(error, match=error_text) as raised:
        make_policy(spec, options={**more, **options})
    assert "\n" not in str(raised.value)


def test_parser_without_its_special_tokens_is_an_error(codec_of: Any) -> None:
    with pytest.raises(
        UsageError, match="tool_parser='hf' does not work with this model: "
    ) as raised:
        codec_of("hf")
    assert "\n" not in str(raised.value)
