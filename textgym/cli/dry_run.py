"""`textgym eval --dry-run`: the first prompts of a run, as the model would get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from textgym.display.terminal import show, wants_colour
from textgym.display.transcript import format_episode
from textgym.errors import ExtraMissingError
from textgym.mixtures import kwargs_for_env
from textgym.policies import make_policy
from textgym.registry import make

__all__ = ["DEFAULT_POLICY", "advice_to_name_a_policy", "print_first_prompts"]

DEFAULT_POLICY = "hf"


def print_first_prompts(
    ids: Sequence[str],
    policy: str | None,
    policy_options: dict[str, Any],
    arguments: Mapping[str, Any],
) -> None:
    """Print the first prompt of each environment.

    Args:
        ids: The environments.
        policy: The policy; None for the default one.
        policy_options: Its options.
        arguments: The arguments of the rollout.

    Raises:
        UsageError: An environment or the policy cannot be made.
    """
    from textgym.rollouts.env_pool import with_test_split

    kwargs = with_test_split(dict.fromkeys(ids, 1.0), arguments["env_kwargs"])
    if "wrappers" in arguments:
        kwargs["wrappers"] = arguments["wrappers"]
    for id in ids:
        _print_first_prompt(id, policy, policy_options, kwargs_for_env(id, kwargs))


@contextmanager
def advice_to_name_a_policy(policy: str | None) -> Iterator[None]:
    """Advise to name a policy if the default one needs an extra that is not installed.

    Args:
        policy: The policy that was named; None for the default one.

    Raises:
        ExtraMissingError: The extra is not installed.
    """
    try:
        yield
    except ExtraMissingError as error:
        if policy is not None:
            raise
        raise ExtraMissingError(
            "name a policy, such as --policy random or --policy openai:MODEL@BASE_URL; the default "
            f"cannot be used: {error}"
        ) from error


def _print_first_prompt(
    id: str, policy: str | None, policy_options: dict[str, Any], kwargs: dict[str, Any]
) -> None:
    env = make(id, **kwargs)
    options = {"index": 0} if hasattr(env.unwrapped, "num_tasks") else None
    messages, info = env.reset(seed=0, options=options)
    tools = info.get("tools", [])
    spec = policy or DEFAULT_POLICY
    with advice_to_name_a_policy(policy):
        tokenizer = _load_tokenizer(spec, policy_options)
    if tokenizer is None:
        show(format_episode(messages, tools, colour=wants_colour()))
        print(f"\n({spec} has no chat template: these are the messages)")
        return
    from textgym.policies.chat.templates import encode, ignores_tools, render, uses_hermes_calls

    text = render(tokenizer, messages, tools)
    print(text)
    print(f"\n({len(encode(tokenizer, text))} tokens)")
    if tools and ignores_tools(tokenizer):
        print(f"the chat template of {spec} ignores tools: textgym adds its own tool prompt")
    elif tools and not (policy_options.get("tool_parser") or uses_hermes_calls(tokenizer)):
        print(
            f"warning: the tool calls of {spec} will not be parsed: "
            "choose one of vLLM's parsers with --policy-set tool_parser=NAME"
        )


def _load_tokenizer(policy: str, options: dict[str, Any]) -> Any:
    """Load the tokenizer of a policy, without its weights; None if it has no tokenizer."""
    kind, _, model = policy.partition(":")
    if kind in ("hf", "vllm"):
        from textgym.policies.models import load_tokenizer

        return load_tokenizer(model)
    codec = getattr(make_policy(policy, options=options), "codec", None)
    return codec.tokenizer if codec else None
