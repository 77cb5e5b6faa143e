"""Rendering with chat templates that differ: one small template for each peculiarity."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.messages import Message, system, user

pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from textgym.policies.chat.templates import (  # noqa: E402
    encode,
    ignores_tools,
    render,
    uses_hermes_calls,
    with_template_arguments,
)

PLAIN = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
CALLS = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% for c in m.tool_calls or [] %}"
)
END = "{% endfor %}{{ '\\n' }}{% endfor %}"

JSON_FILTER = CALLS + "[{{ c.function.name }} {{ c.function.arguments | tojson }}]" + END
CONCATENATES = CALLS + "{{ '[' + c.function.name + ' ' + c.function.arguments + ']' }}" + END
PRINTS = CALLS + "[{{ c.function.name }} {{ c.function.arguments }}]" + END
ITERATES = (
    CALLS
    + "[{{ c.function.name }}{% for k, v in c.function.arguments.items() %} {{ k }}={{ v }}"
    + "{% endfor %}]"
    + END
)
EITHER = (
    CALLS
    + "[{{ c.function.name }} {% if c.function.arguments is string %}{{ c.function.arguments }}"
    + "{% else %}{{ c.function.arguments | tojson }}{% endif %}]"
    + END
)
WITH_TOOLS = "{% if tools %}<tools>{{ tools | tojson }}</tools>\n{% endif %}" + PLAIN
NO_NONE = (
    "{% for m in messages %}{% if m['content'] is not string %}"
    "{{ raise_exception('content must be a text') }}{% endif %}{% endfor %}" + PLAIN
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    + PLAIN
)

TOOL = {
    "type": "function",
    "function": {"name": "find", "description": "d", "parameters": {"type": "object"}},
}


NO_TOOLS = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}" + PLAIN
SYSTEM_FIRST = (
    "{% if messages[0]['role'] != 'system' %}{{ raise_exception('system first') }}{% endif %}"
    + PLAIN
)
TAGGED = (
    "{% if tools %}<tools>{{ tools | tojson }}</tools>\n{% endif %}"
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% for c in m.tool_calls or [] %}"
    '\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": '
    "{{ c.function.arguments | tojson }}}\n</tool_call>" + END
)
IN_XML = (
    "{% if tools %}<tools>{{ tools | tojson }}</tools>\n{% endif %}"
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% for c in m.tool_calls or [] %}"
    "\n<tool_call><function={{ c.function.name }}>{{ c.function.arguments | tojson }}"
    "</function></tool_call>" + END
)


def make_tokenizer(template: str) -> Any:
    import transformers

    vocabulary = {"<unk>": 0, "<s>": 1, "Hello": 2, "there": 3}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=model, unk_token="<unk>")
    tokenizer.chat_template = template
    return tokenizer


def calling(arguments: Any, content: Any = None) -> list[Message]:
    """Return a conversation in which the assistant called a tool with some arguments."""
    function = {"name": "find", "arguments": arguments}
    return [
        user("Hello"),
        {
            "role": "assistant",
            "content": content,
            "tool_calls": [{"id": "1", "function": function}],
        },
        {"role": "tool", "content": "found", "tool_call_id": "1"},
    ]


@pytest.mark.parametrize(
    "value", [False, None, 1.5, 'it\'s "{% x %}"\n', [1, None], {"a": True}, "é\\"], ids=repr
)
@pytest.mark.parametrize("before", ["", "\n", "  ", "\n\n {%- if 1 -%}  x{% endif %}"], ids=repr)
def test_template_arguments_are_those_of_transformers(value: Any, before: str) -> None:
    template = before + "{% macro m() %}[{{ x }}]{% endmacro %}{{ m() }}" + PLAIN + "{{ x }}"
    tokenizer = make_tokenizer(template)
    named = with_template_arguments(tokenizer, {"x": value})
    expected = tokenizer.apply_chat_template([user("Hello")], tokenize=False, x=value)
    assert named.apply_chat_template([user("Hello")], tokenize=False) == expected
    assert tokenizer.chat_template == template
    assert with_template_arguments(tokenizer, {"x": value}) is named


def test_tokenizer_is_the_same_without_template_arguments() -> None:
    tokenizer = make_tokenizer(PLAIN)
    assert with_template_arguments(tokenizer, {}) is tokenizer


def test_tokenizer_may_have_a_tokenizer_of_another_kind() -> None:
    tokenizer = make_tokenizer("{{ x }}" + PLAIN)
    tokenizer.tokenizer = object()
    assert with_template_arguments(tokenizer, {}) is tokenizer
    assert render(with_template_arguments(tokenizer, {"x": 1}), [user("a")], []).startswith(
        "1<user>"
    )


@pytest.mark.parametrize("template", [None, {"default": PLAIN}], ids=["none", "several"])
def test_template_arguments_need_one_template(template: Any) -> None:
    tokenizer = make_tokenizer(PLAIN)
    tokenizer.chat_template = template
    with pytest.raises(UsageError, match="must have one chat template"):
        with_template_arguments(tokenizer, {"x": 1})


def test_template_arguments_follow_a_template_that_changes() -> None:
    tokenizer = make_tokenizer("{{ x }}one")
    assert with_template_arguments(tokenizer, {"x": 1}).chat_template.endswith("one")
    tokenizer.chat_template = "{{ x }}two"
    assert with_template_arguments(tokenizer, {"x": 1}).chat_template.endswith("two")


def test_template_arguments_for_a_processor_are_in_its_tokenizer() -> None:
    inner = make_tokenizer(PLAIN)
    inner.chat_template = None

    class Processor:
        tokenizer = inner
        chat_template = "{{ x }}" + PLAIN

    named = with_template_arguments(Processor(), {"x": "Hello"})
    assert render(named, [user("there")], []) == "Hello<user>there\n<assistant>"


@pytest.mark.parametrize(
    "arguments",
    [{"x": object()}, {"x": float("nan")}, {"x y": 1}],
    ids=["object", "nan", "name"],
)
def test_template_arguments_that_are_none_are_refused(arguments: Any) -> None:
    with pytest.raises(UsageError, match="a chat template"):
        with_template_arguments(make_tokenizer(PLAIN), arguments)


def test_text_ends_with_the_generation_prompt() -> None:
    messages = [system("Be brief."), user("Hello")]
    text = render(make_tokenizer(PLAIN), messages, [])
    assert text == "<system>Be brief.\n<user>Hello\n<assistant>"


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        (JSON_FILTER, '[find {"key": "a \\"b\\""}]'),
        (CONCATENATES, '[find {"key": "a \\"b\\""}]'),
        (PRINTS, '[find {"key": "a \\"b\\""}]'),
        (EITHER, '[find {"key": "a \\"b\\""}]'),
        (ITERATES, '[find key=a "b"]'),
    ],
    ids=["tojson", "concatenates", "prints", "either", "iterates"],
)
@pytest.mark.parametrize("as_text", [True, False], ids=["text", "mapping"])
def test_each_template_gets_arguments_in_its_form(template: str, shown: str, as_text: bool) -> None:
    arguments = {"key": 'a "b"'}
    given = json.dumps(arguments) if as_text else arguments
    assert shown in render(make_tokenizer(template), calling(given), [])


@pytest.mark.parametrize("template", [JSON_FILTER, CONCATENATES, PRINTS], ids=["j", "c", "p"])
@pytest.mark.parametrize("missing", [None, {}, "{}"], ids=repr)
def test_missing_arguments_become_an_empty_object(template: str, missing: Any) -> None:
    assert "[find {}]" in render(make_tokenizer(template), calling(missing), [])


def test_call_without_an_arguments_key_has_an_empty_object() -> None:
    messages = calling("{}")
    del messages[1]["tool_calls"][0]["function"]["arguments"]
    assert "[find {}]" in render(make_tokenizer(CONCATENATES), messages, [])


def test_non_ascii_arguments_are_not_escaped() -> None:
    text = render(make_tokenizer(CONCATENATES), calling({"key": "日本 é"}), [])
    assert '{"key": "日本 é"}' in text


@pytest.mark.parametrize("broken", ['{"key": "a', "not JSON", "[1, 2]", "5", "[" * 5000])
@pytest.mark.parametrize(
    "template",
    [JSON_FILTER, CONCATENATES, PRINTS, ITERATES],
    ids=["tojson", "concatenates", "prints", "iterates"],
)
def test_invalid_arguments_are_shown_unchanged(template: str, broken: str) -> None:
    text = render(make_tokenizer(template), calling(broken), [])
    assert broken in text or json.dumps(broken) in text
    assert "<tool>found" in text


@pytest.mark.parametrize("content", [None, "", []], ids=repr)
def test_null_content_becomes_an_empty_string(content: Any) -> None:
    text = render(make_tokenizer(CONCATENATES), calling("{}", content), [])
    assert "<assistant>[find {}]\n" in text


def test_missing_content_becomes_an_empty_string() -> None:
    assert "<assistant>\n" in render(make_tokenizer(PLAIN), [user("x"), {"role": "assistant"}], [])


def test_template_never_sees_null_content() -> None:
    messages: list[Message] = [user("Hello"), {"role": "assistant", "content": None}, user("x")]
    expected = "<user>Hello\n<assistant>\n<user>x\n<assistant>"
    assert render(make_tokenizer(NO_NONE), messages, []) == expected


def test_text_parts_are_joined_without_a_separator() -> None:
    parts: Any = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    text = render(make_tokenizer(NO_NONE), [{"role": "user", "content": parts}], [])
    assert "<user>Hello\n" in text


def test_developer_message_becomes_a_system_message() -> None:
    messages: list[Message] = [{"role": "developer", "content": "Be brief."}, user("Hello")]
    assert render(make_tokenizer(PLAIN), messages, []).startswith("<system>Be brief.\n<user>")


@pytest.mark.parametrize("alone", [True, False])
def test_image_is_refused(alone: bool) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    parts: Any = [image] if alone else [{"type": "text", "text": "Look:"}, image]
    with pytest.raises(UsageError, match=r"reads only text.*image"):
        render(make_tokenizer(PLAIN), [{"role": "user", "content": parts}], [])


def test_template_error_becomes_a_usage_error() -> None:
    with pytest.raises(UsageError, match="template refuses this conversation: no system role"):
        render(make_tokenizer(NO_SYSTEM), [system("Be brief."), user("Hello")], [])


@pytest.mark.parametrize("template", [JSON_FILTER, CONCATENATES, PRINTS], ids=["j", "c", "p"])
@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": {"b": [1]}}, None], ids=repr)
def test_messages_and_tools_are_not_changed(template: str, arguments: Any) -> None:
    messages: list[Message] = [
        {"role": "developer", "content": [{"type": "text", "text": "x"}]},
        *calling(arguments),
    ]
    tools = [copy.deepcopy(TOOL)]
    before = copy.deepcopy(messages)
    render(make_tokenizer(template), messages, tools)
    assert messages == before
    assert tools == [TOOL]


@pytest.mark.parametrize("none", [None, []], ids=repr)
def test_empty_tool_calls_are_removed(none: Any) -> None:
    template = "{% for m in messages %}{{ 'tool_calls' in m }} {% endfor %}"
    message: Message = {"role": "assistant", "content": "x", "tool_calls": none}
    assert render(make_tokenizer(template), [user("x"), message], []) == "False False "


def test_call_without_a_type_gets_one() -> None:
    template = CALLS + "[{{ c['type'] }} {{ c.function.arguments }}]" + END
    assert "[function {}]" in render(make_tokenizer(template), calling("{}"), [])


def test_tools_are_passed_to_the_template() -> None:
    text = render(make_tokenizer(WITH_TOOLS), [user("Hello")], [TOOL])
    shown = text.removeprefix("<tools>").partition("</tools>")[0]
    assert json.loads(shown) == [TOOL]


def test_template_gets_none_for_no_tools() -> None:
    template = "{% if tools is not none %}<tools>{% endif %}" + PLAIN
    assert "<tools>" not in render(make_tokenizer(template), [user("Hello")], [])


@pytest.mark.parametrize(
    ("template", "ignored"),
    [(PLAIN, True), (WITH_TOOLS, False), (NO_TOOLS, True), (SYSTEM_FIRST, False)],
    ids=["dropped", "shown", "refused", "unknown"],
)
def test_template_that_ignores_tools_is_detected(template: str, ignored: bool) -> None:
    assert ignores_tools(make_tokenizer(template)) is ignored


# The project's own tool prompt


def test_tool_prompt_describes_tools_that_the_template_ignores() -> None:
    text = render(make_tokenizer(PLAIN), [system("Be brief."), user("Hello")], [TOOL])
    assert text.startswith("<system>Be brief.\n\nYou can use tools.")
    assert json.dumps(TOOL) in text
    assert text.endswith("<user>Hello\n<assistant>")


def test_calls_and_results_become_text_if_the_template_ignores_them() -> None:
    for tools in ([], [TOOL]):
        text = render(make_tokenizer(PLAIN), calling('{"key": "a"}'), tools)
        called = '<tool_call>\n{"name": "find", "arguments": {"key": "a"}}\n</tool_call>'
        assert f"<assistant>{called}\n<user><tool_response>\nfound\n</tool_response>\n" in text


def test_conversation_without_tools_is_rendered_unchanged() -> None:
    assert render(make_tokenizer(PLAIN), [user("Hello")], []) == "<user>Hello\n<assistant>"


def test_results_without_their_calls_become_text() -> None:
    said: list[Message] = [user("x"), {"role": "tool", "content": "found", "tool_call_id": "1"}]
    assert "<user><tool_response>\nfound" in render(make_tokenizer(PLAIN), said, [])


def test_template_that_refuses_the_probes_still_renders() -> None:
    text = render(make_tokenizer(SYSTEM_FIRST), [system("x"), user("y")], [])
    assert text == "<system>x\n<user>y\n<assistant>"


def test_tool_prompt_precedes_the_question_without_a_system_role() -> None:
    text = render(make_tokenizer(NO_SYSTEM), [user("Hello")], [TOOL])
    assert text.startswith("<user>You can use tools.")
    assert text.endswith("\n\nHello\n<assistant>")


def test_template_with_tools_gets_no_tool_prompt() -> None:
    text = render(make_tokenizer(TAGGED), calling('{"key": "a"}'), [TOOL])
    assert "You can use tools" not in text
    assert "<tool>found" in text


@pytest.mark.parametrize(
    ("template", "tagged"),
    [(PLAIN, True), (TAGGED, True), (WITH_TOOLS + CALLS + END, False), (IN_XML, False)],
    ids=["own prompt", "own tags", "another form", "tags around another form"],
)
def test_hermes_calls_are_expected_from_the_tool_prompt_or_the_template(
    template: str, tagged: bool
) -> None:
    assert uses_hermes_calls(make_tokenizer(template)) is tagged


NINE_CHARACTERS = (
    "{% for m in messages %}{% for c in m.tool_calls or [] %}"
    "{% if c.id | length != 9 %}{{ raise_exception('nine characters') }}{% endif %}"
    "[{{ c.function.name }} {{ c.function.arguments | tojson }} {{ c.id }}]{% endfor %}"
    "{% if m.role == 'tool' %}{% if m.tool_call_id | length != 9 %}"
    "{{ raise_exception('nine characters') }}{% endif %}{{ m.tool_call_id }}:{% endif %}"
    "{{ m.content }}\n{% endfor %}{{ tools | tojson if tools }}"
)


def test_template_that_requires_short_ids_gets_them() -> None:
    said = calling('{"key": "a"}')
    shown = render(make_tokenizer(NINE_CHARACTERS), said, [])
    (id,) = re.findall(r" (\w{9})\]", shown)
    assert f"{id}:found" in shown
    assert said == calling('{"key": "a"}')


def test_ids_are_unchanged_if_the_template_accepts_them() -> None:
    template = NINE_CHARACTERS.replace("!= 9", "> 99")
    (call,) = calling("{}")[1]["tool_calls"]
    assert f"{call['id']}:found" in render(make_tokenizer(template), calling("{}"), [])


def test_changed_template_is_probed_again() -> None:
    tokenizer = make_tokenizer(JSON_FILTER)
    assert '[find {"a": 1}]' in render(tokenizer, calling('{"a": 1}'), [])
    tokenizer.chat_template = CONCATENATES
    assert '[find {"a": 1}]' in render(tokenizer, calling('{"a": 1}'), [])


def test_unknown_keys_of_a_message_reach_the_template() -> None:
    template = "{% for m in messages %}{{ m.reasoning_content }}{% endfor %}"
    message: Message = {"role": "assistant", "content": "x", "reasoning_content": "because"}
    assert render(make_tokenizer(template), [message], []) == "because"


@pytest.mark.parametrize("template", [PLAIN, JSON_FILTER, CONCATENATES, WITH_TOOLS])
def test_unpaired_surrogate_can_be_encoded(template: str) -> None:
    """A model can write one as an escape in its arguments, and a tool may repeat it."""
    tokenizer = make_tokenizer(template)
    call: Any = {"id": "1", "function": {"name": "find", "arguments": '{"city": "\\ud800"}'}}
    said: list[Message] = [
        user("Hello"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "\ud800 \ud83d\ude42 is no city", "tool_call_id": "1"},
    ]
    text = render(tokenizer, said, [TOOL])
    assert "\ufffd 🙂 is no city" in text
    assert encode(tokenizer, text)


def test_encoding_adds_no_special_tokens() -> None:
    tokenizer = make_tokenizer(PLAIN)
    assert encode(tokenizer, "Hello there") == [2, 3]
    assert tokenizer("Hello there")["input_ids"] == [1, 2, 3]
