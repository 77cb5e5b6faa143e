"""The chat codec: prompts that continue the sampled tokens, with many different templates.

Most tests check one invariant: an episode is played turn by turn with a scripted model, and the
recorded token sequence is what the model was given at every turn.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import chat_templates
import pytest
from chat_templates import (
    ALL,
    CALL,
    CHATML,
    CONTEXT,
    END,
    MOST,
    NO_END,
    SPACE_BEFORE_END,
    STRICT_CALLS,
    TOOL,
    TRIMS,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded_episode import Play

from textgym.errors import ContextFullError, ExtraMissingError
from textgym.messages import assistant, system, tool_result, user
from textgym.policies.base import Tokens
from textgym.spaces import read_action

pytest.importorskip("transformers")
pytest.importorskip("torch")

from textgym.policies.chat.templates import encode, render
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.models import load_tokenizer

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """SmolLM2's tokenizer; some tests change its template."""
    try:
        return load_tokenizer("")
    except ExtraMissingError as error:
        pytest.skip(str(error))


@pytest.fixture
def codec(tokenizer: Any, request: pytest.FixtureRequest) -> Any:
    """A codec with the template of the test's parameter, or with SmolLM2's own."""
    own = tokenizer.chat_template
    tokenizer.chat_template = getattr(request, "param", None) or own
    yield ChatCodec("test", tokenizer, {tokenizer.eos_token_id}, CONTEXT)
    tokenizer.chat_template = own


def using(*templates: str) -> Any:
    """Parametrise a test by templates, given by their names in `chat_templates`."""
    texts = [getattr(chat_templates, name) for name in templates]
    return pytest.mark.parametrize("codec", texts, indirect=True, ids=templates)


# Prompts


@using(*MOST)
def test_prompt_equals_the_whole_rendering_if_sampled_text_encodes_alike(
    codec: ChatCodec,
) -> None:
    play = Play(codec, [system("Be brief."), user("A?")])
    play.say("No.", user("B?"))
    play.say("Yes.", user("C?"), user("D?"))
    whole = encode(codec.tokenizer, render(codec.tokenizer, play.messages, []))
    text = codec.tokenizer.decode(play.prompt_ids())
    assert text == codec.tokenizer.decode(whole)
    assert play.record.splits == 0
    assert len(play.sequences()) == 1


def test_sequence_holds_what_the_model_saw_at_every_turn(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    for text in ("one", "two", "three"):
        play.say(text, user("Go on."))
    (tokens,) = play.sequences()
    for step in play.steps:
        seen = step["prompt_ids"] + step["token_ids"]
        assert tokens.ids[: len(seen)] == seen
    assert len(tokens.ids) == len(tokens.loss_mask) == len(tokens.logprobs)
    sampled = [token for step in play.steps for token in step["token_ids"]]
    assert [t for t, mask in zip(tokens.ids, tokens.loss_mask, strict=True) if mask] == sampled


@using(*ALL)
def test_sampled_ids_survive_even_if_their_text_encodes_differently(codec: ChatCodec) -> None:
    tokenizer = codec.tokenizer
    odd = [token for letter in "hello hello" for token in encode(tokenizer, letter)]
    assert odd != encode(tokenizer, "hello hello")
    play = Play(codec, [user("A?")])
    play.say(odd, user("B?"))
    before = play.steps[0]["prompt_ids"] + [*odd, tokenizer.eos_token_id]
    assert play.prompt_ids()[: len(before)] == before


def test_tokens_of_dropped_calls_survive(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")], [TOOL])
    call = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>\n'
    action = play.say(call * 70)
    kept = read_action(action.message, turn=0)
    assert (len(action.message["tool_calls"] or ()), len(kept["tool_calls"] or ())) == (70, 65)
    answers = [tool_result("x", str(item["id"])) for item in kept["tool_calls"] or ()]
    play.messages = [*play.messages[:-1], kept, *answers]
    before = play.steps[0]["prompt_ids"] + play.steps[0]["token_ids"]
    assert play.prompt_ids()[: len(before)] == before


def test_sampled_white_space_survives_a_template_that_trims(tokenizer: Any) -> None:
    own, tokenizer.chat_template = tokenizer.chat_template, TRIMS
    try:
        codec = ChatCodec("test", tokenizer, {tokenizer.eos_token_id}, CONTEXT)
        play = Play(codec, [user("A?")])
        play.say("\n  spaced \n", user("B?"))
        assert "\n  spaced \n<|im_end|>\n<|im_start|>user" in tokenizer.decode(play.prompt_ids())
    finally:
        tokenizer.chat_template = own


@pytest.mark.parametrize(
    "codec", [CHATML, SPACE_BEFORE_END, NO_END], indirect=True, ids=["end", "space", "none"]
)
def test_cut_message_gets_the_templates_end(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    action = play.say("I would say that", user("B?"), ends=False)
    assert action.finish_reason == "length"
    whole = render(codec.tokenizer, play.messages, [])
    assert codec.tokenizer.decode(play.prompt_ids()) == whole
    play.say("No.")
    (tokens,) = play.sequences()
    cut = len(play.steps[0]["prompt_ids"]) + len(play.steps[0]["token_ids"])
    assert tokens.loss_mask[cut] == 0


def test_sampled_eos_is_not_repeated(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("No.", user("B?"))
    play.say("Yes.", user("C?"))
    text = codec.tokenizer.decode(play.prompt_ids())
    assert text.count(END) == text.count("<|im_start|>") - 1
    assert END * 2 not in text


def test_other_eos_token_is_kept_before_the_templates_end(codec: ChatCodec) -> None:
    other = codec.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    ends = ChatCodec("test", codec.tokenizer, {*codec.eos_token_ids, other}, CONTEXT)
    play = Play(ends, [user("A?")])
    play.say([*encode(codec.tokenizer, "No."), other], user("B?"), ends=False)
    assert "No.<|endoftext|><|im_end|>\n<|im_start|>user" in codec.tokenizer.decode(
        play.prompt_ids()
    )
    assert play.record.splits == 0


def test_empty_message_gets_the_templates_end(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say([], user("B?"), ends=False)
    assert "assistant\n<|im_end|>\n<|im_start|>user\nB?" in codec.tokenizer.decode(
        play.prompt_ids()
    )


def test_prompt_without_new_messages_ends_with_the_generation_prompt(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("No.")
    text = codec.tokenizer.decode(play.prompt_ids())
    assert text.endswith("No.<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize("place", ["context", "room"])
def test_prompt_that_fills_the_context_is_refused(codec: ChatCodec, place: str) -> None:
    play = Play(codec, [user("A?")])
    length = len(play.prompt_ids())
    codec.context_length = length + (place == "room")
    if place == "room":
        assert len(play.prompt_ids()) == length
    else:
        with pytest.raises(
            ContextFullError, match=f"has {length} tokens, and test has a context of {length}"
        ):
            play.prompt_ids()


# The loss mask


@pytest.mark.parametrize("where", ["before", "between"])
def test_assistant_messages_of_others_have_loss_mask_0(codec: ChatCodec, where: str) -> None:
    shown = [assistant("A fabricated answer."), user("B?")]
    play = Play(codec, [user("A?"), *(shown if where == "before" else [])])
    play.say("One.", user("C?"), *(shown if where == "between" else []))
    play.say("Two.")
    (tokens,) = play.sequences()
    pairs = list(zip(tokens.ids, tokens.loss_mask, strict=True))
    learned = codec.tokenizer.decode([token for token, mask in pairs if mask])
    given_ = codec.tokenizer.decode([token for token, mask in pairs if not mask])
    assert learned == f"One.{END}Two.{END}"
    assert "A fabricated answer." in given_


def test_log_probabilities_are_aligned_with_their_ids(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("One.", user("B?"))
    play.say("Two.")
    (tokens,) = play.sequences()
    sampled = [value for step in play.steps for value in step["logprobs"]]
    masked = zip(tokens.logprobs, tokens.loss_mask, strict=True)
    assert [value for value, mask in masked if mask] == sampled
    rest = zip(tokens.logprobs, tokens.loss_mask, strict=True)
    assert {value for value, mask in rest if not mask} == {0.0}


# Splits


@using("DROPS_OLD_REASONING")
def test_dropped_reasoning_counts_as_a_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    for _ in range(3):
        play.say("<think>Hm, B or C?</think>B", user("Go on."))
    assert play.record.splits == len(play.sequences()) - 1 == 2
    whole = encode(codec.tokenizer, render(codec.tokenizer, play.messages, []))
    assert play.prompt_ids() == whole
    assert "Hm" not in codec.tokenizer.decode(whole)


@using("OPENS_REASONING")
def test_think_tag_of_the_last_generation_prompt_alone_is_a_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    action = play.say("Hm.</think>B", user("Go on."))
    assert (action.message["content"], action.message["reasoning_content"]) == ("B", "Hm.")
    play.say("Hm.</think>C")
    assert play.record.splits == 1


@using("KEEPS_REASONING")
def test_kept_reasoning_is_no_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("<think>Hm?</think>B", user("Go on."))
    assert "<think>Hm?</think>B<|im_end|>\n" in codec.tokenizer.decode(play.prompt_ids())
    play.say("<think>Hm?</think>B", user("Go on."))
    assert play.record.splits == 0


@using("DROPS_OLD_REASONING")
def test_reasoning_between_calls_splits_only_at_the_next_user_message(codec: ChatCodec) -> None:
    call = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
    play = Play(codec, [user("A?")], [TOOL])
    play.say(f"<think>I look.</think>\n{call}", tool_result("Nothing.", "call_0"))
    assert "I look." in codec.tokenizer.decode(play.prompt_ids())
    play.say("<think>So B.</think>B", user("Go on."))
    assert play.record.splits == 0
    play.say("C")
    assert play.record.splits == 1


@using("SHOWS_LAST_THINKING")
def test_empty_thinking_of_the_last_message_is_no_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("B", user("Go on."))
    play.say("C")
    assert play.record.splits == 0


@using("ALWAYS_ASKS")
def test_template_that_always_adds_a_generation_prompt_is_no_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")])
    play.say("B", user("Go on."))
    text = codec.tokenizer.decode(play.prompt_ids())
    assert text == f"[user] A?\n[assistant] B{END}\n[user] Go on.\n[assistant] "


@using("TOOLS_BEFORE_LAST_USER")
def test_tools_that_move_to_the_last_message_are_a_split(codec: ChatCodec) -> None:
    play = Play(codec, [user("A?")], [TOOL])
    play.say("B", user("Go on."))
    play.say("C")
    assert play.record.splits == 1


@pytest.mark.parametrize("change", ["earlier", "sampled", "shorter"])
def test_changed_earlier_messages_are_a_split(codec: ChatCodec, change: str) -> None:
    play = Play(codec, [user("A?")])
    play.say("B", user("Go on."))
    if change == "earlier":
        play.messages[0] = user("Z?")
    elif change == "sampled":
        play.messages[1] = assistant("Z")
    else:
        play.messages = [user("Z?")]
    assert play.prompt_ids() == encode(codec.tokenizer, render(codec.tokenizer, play.messages, []))
    play.say("C")
    assert play.record.splits == 1


# Tools


@pytest.mark.parametrize(
    "codec", [None, CHATML, STRICT_CALLS], indirect=True, ids=["prompt", "own", "strict"]
)
@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("ends", [True, False], ids=["ended", "cut"])
def test_sampled_calls_keep_their_tokens(
    tokenizer: Any, codec: ChatCodec, calls: int, ends: bool
) -> None:
    written = "I look.\n" + "\n".join([f"<tool_call>\n{CALL}\n</tool_call>"] * calls)
    play = Play(codec, [system("x"), user("A?")], [TOOL])
    results = [tool_result(f"Seen {n}.", f"call_{n}") for n in range(calls)]
    action = play.say(written, *results, ends=ends)
    assert len(action.message["tool_calls"] or []) == calls
    text = tokenizer.decode(play.prompt_ids())
    assert f"{written}{END}\n<|im_start|>" in text
    whole = render(tokenizer, play.messages, [TOOL])
    assert text.split("</tool_call>")[-1] == whole.split("</tool_call>")[-1]
    play.say("Done.", user("B?"))
    play.say("Done.")
    assert play.record.splits == 0


@pytest.mark.parametrize("codec", [None, CHATML], indirect=True, ids=["prompt", "own"])
@pytest.mark.parametrize("arguments", ['{"far": tru', '"x"', "[1]", "null"])
def test_invalid_calls_keep_their_tokens(codec: ChatCodec, arguments: str) -> None:
    written = f'<tool_call>\n{{"name": "look", "arguments": {arguments}}}\n</tool_call>'
    play = Play(codec, [user("A?")], [TOOL])
    play.say(written, tool_result("No.", "call_0"))
    assert f"{written}{END}\n" in codec.tokenizer.decode(play.prompt_ids())


# Any reply

TEXTS = st.text(max_size=20) | st.sampled_from(
    [END, f"a{END}b", "<think>", "</think>", "<think>x</think>", "c0e6marker7f1a", "\n", " ",
     "<|im_start|>assistant\n", "<tool_call>", "</tool_call>", f"<tool_call>\n{CALL}\n</tool_call>"]
)  # fmt: skip


@using(*ALL, "OPENS_REASONING", "NO_END", "ALWAYS_ASKS")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    turns=st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), min_size=1, max_size=3),
    ids=st.lists(st.integers(3, 49000), max_size=6),
)
def test_any_reply_is_recorded_as_it_was_seen(
    codec: ChatCodec, turns: list[tuple[str, str, bool]], ids: list[int]
) -> None:
    play = Play(codec, [user("A?")], [TOOL])
    for said, answer, ends in turns:
        play.say(said, user(answer), ends=ends)
    play.say(ids)
    sequences = play.sequences()
    assert len(sequences) == (play.record.splits or 0) + 1
    flat = [id for tokens in sequences for id in tokens.ids]
    learned = [
        id
        for tokens in sequences
        for id, mask in zip(tokens.ids, tokens.loss_mask, strict=True)
        if mask
    ]
    assert learned == [id for step in play.steps for id in step["token_ids"]]
    assert play.steps[-1]["prompt_ids"] == sequences[-1].ids[: len(play.steps[-1]["prompt_ids"])]
    assert len(flat) >= len(learned)


# Templates of installed packages


FAMILIES = [
    # template, splits of three plain turns, whether calls go on, splits of two turns with reasoning
    ("qwen2_5", 0, True, 1),
    ("qwen3", 0, True, 1),
    ("qwen3_training", 0, True, 0),
    ("qwen3_instruct_2507", 0, True, 1),
    ("qwen3_5_think_training", 0, True, 0),
    ("qwen3_6", 2, True, 1),
    ("llama3", 0, True, 1),
    ("llama3_1", 0, True, 1),
    ("gemma3", 0, True, 1),
    ("phi3", 0, True, 1),
    ("glm4moe", 0, True, 1),
    ("gptoss", 0, False, 1),
    ("deepseek_r1_distill", 2, False, 1),
]


@pytest.mark.parametrize(("name", "plain", "calls", "thought"), FAMILIES, ids=lambda item: item)
def test_splits_of_model_families_templates(
    tokenizer: Any, name: str, plain: int, calls: bool, thought: int
) -> None:
    spec = importlib.util.find_spec("trl")
    if spec is None or spec.origin is None:
        pytest.skip("the package trl, whose templates these are, is not installed")
    path = Path(spec.origin).parent / "chat_templates" / f"{name}.jinja"
    own, tokenizer.chat_template = tokenizer.chat_template, path.read_text(encoding="utf-8")
    try:
        codec = ChatCodec("test", tokenizer, {tokenizer.eos_token_id}, CONTEXT)
        play = Play(codec, [system("x"), user("A?")])
        for said in ("B", "C", "D"):
            play.say(said, user("Go on."))
        assert play.record.splits == plain
        play = Play(codec, [system("x"), user("A?")])
        for _ in range(2):
            play.say("<think>Hm.</think>B", user("Go on."))
        assert play.record.splits == thought
        assert goes_on_from_a_call(codec) == calls
    finally:
        tokenizer.chat_template = own


def goes_on_from_a_call(codec: ChatCodec) -> bool:
    """Tell whether the prompt after a call begins with the ids sampled for the call."""
    sampled = [*encode(codec.tokenizer, "CALL"), codec.tokenizer.eos_token_id]
    function = {"name": "look", "arguments": '{"far": true}'}
    asked = [system("x"), user("A?")]
    called: Any = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call00001", "type": "function", "function": function}],
    }
    first = codec.encode_prompt(asked, [TOOL], None)
    prior = Tokens.of_turn(first.ids, sampled, None, len(asked) + 1)
    extended = [*asked, called, tool_result("Seen.", "call00001")]
    ids = codec.encode_prompt(extended, [TOOL], prior).ids
    goes_on = ids[: len(prior.ids)] == prior.ids
    assert "Seen." in codec.tokenizer.decode(ids[len(prior.ids) :] if goes_on else ids)
    return goes_on
