"""Policy specs, such as `oracle`, `hf:MODEL` or `module:Class`, and the two scripted policies.

The oracle and the random policy play through methods of the environment.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import gymnasium as gym

from textgym.errors import OracleError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema, assistant
from textgym.names import import_class, module_of
from textgym.policies.base import Action, Policy, Sampling, Tokens

if TYPE_CHECKING:
    from textgym.policies.hf import HFPolicy

__all__ = ["POLICY_KINDS", "OraclePolicy", "RandomPolicy", "make_policy"]


POLICY_KINDS: dict[str, str] = {
    "oracle": "plays correctly, for checking an environment",
    "random": "well-formed guesses, the baseline to compare with",
    "hf": "hf:MODEL, a local folder, a .gguf file or a hub id, run by transformers",
    "vllm": "vllm:MODEL, a local folder or a hub id, run by vLLM in this process",
    "openai": "openai:MODEL@BASE_URL, any OpenAI-compatible server",
    "inspect": "inspect:PROVIDER/MODEL, any model that Inspect has a provider for",
}

_PARSERS = ("tool_parser", "reasoning_parser")
_OPTIONS = {
    "hf": ("device", "dtype", "batch_size", "attn_implementation", *_PARSERS),
    "openai": (
        "concurrency", "requests_per_minute", "timeout", "connect_timeout", "retries", "extra_body",
        "cache", "tool_prompt", "tokens", "tokenizer", *_PARSERS,
    ),
    "vllm": ("lora", "engine", *_PARSERS),
}  # fmt: skip


@overload
def make_policy(
    spec: Literal["hf"],
    sampling: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> HFPolicy: ...
@overload
def make_policy(
    spec: str | Policy,
    sampling: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Policy: ...
def make_policy(
    spec: str | Policy,
    sampling: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Policy:
    """Make a policy from its spec; a policy object is returned unchanged.

    Args:
        spec: `oracle`, `random`, `hf` (its default model), `hf:MODEL`, `vllm:MODEL`,
            `openai:MODEL@BASE_URL`, `inspect:PROVIDER/MODEL`, or `module:Class` for a subclass of
            `Policy`.
        sampling: Settings of `Sampling` by name. A `module:Class` gets them as the argument
            `sampling` if it has one.
        options: The policy's other options by name: those arguments of `OpenAIPolicy`,
            `VLLMPolicy` and `HFPolicy` that docs/policies.md lists, or arguments of the class.

    Raises:
        UnknownNameError: There is no such policy, model, setting or option.
        UsageError: A spec, setting or option is invalid.
        ExtraMissingError: The policy needs an optional package.

    Example:
        >>> make_policy("oracle").name
        'oracle'
    """
    if isinstance(spec, Policy):
        if sampling or options:
            what = "sampling is" if sampling else "options are"
            raise UsageError(f"{what} only accepted with a policy spec, not with a policy object")
        return spec
    if not isinstance(spec, str):
        kind = type(spec).__name__
        raise UsageError(f"a policy must be a spec or a textgym.Policy object, not a {kind}")
    settings = Sampling.read(sampling)
    kind, _, model = spec.partition(":")
    if kind not in POLICY_KINDS and model.replace(".", "").isidentifier():
        return _make_from_class(spec, settings, options or {})
    if kind not in POLICY_KINDS:
        hint = did_you_mean(kind, POLICY_KINDS)
        if spec.endswith(".py"):
            hint = f": name a class in it, as {module_of(spec)}:Class"
        elif "/" in kind:
            hint = f"; did you mean 'hf:{spec}'?"
        raise UnknownNameError(f"there is no policy {spec!r}{hint}")
    known = _OPTIONS.get(kind, ())
    for name in options or {}:
        if name not in known and kind != "inspect":
            hint = did_you_mean(name, known) if known else ": it has no options"
            raise UnknownNameError(f"the policy {kind!r} has no option {name!r}{hint}")
    if kind == "openai":
        from textgym.policies.openai.policy import OpenAIPolicy, split_spec

        return OpenAIPolicy(*split_spec(model), settings, **(options or {}))
    if kind == "inspect":
        from textgym.policies.inspect_policy import InspectPolicy

        return InspectPolicy(model, settings, **(options or {}))
    if kind == "vllm":
        from textgym.policies.vllm import VLLMPolicy

        return VLLMPolicy(model, settings, **(options or {}))
    if kind == "hf":
        from textgym.policies.hf import HFPolicy

        return HFPolicy(model, settings, **(options or {}))
    if model:
        raise UnknownNameError(f"the policy {kind!r} takes no model, but {model!r} was given")
    return OraclePolicy() if kind == "oracle" else RandomPolicy()


def _make_from_class(spec: str, sampling: Sampling, options: Mapping[str, Any]) -> Policy:
    cls = import_class(spec, Policy)
    parameters = inspect.signature(cls).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in options:
        if name not in parameters and not takes_any:
            hint = did_you_mean(name, parameters) if parameters else ": it has no options"
            raise UnknownNameError(f"the policy {spec!r} has no option {name!r}{hint}")
    arguments = {"sampling": sampling} if "sampling" in parameters else {}
    return cls(**{**arguments, **options})


class _ScriptedPolicy(Policy):
    """Plays through a method of the environment that it is bound to."""

    method: ClassVar[str]

    def __init__(self, env: gym.Env[Any, Any] | None = None) -> None:
        self._method = None if env is None else self._method_of(env)

    def for_env(self, env: gym.Env[Any, Any]) -> Policy:
        """Return a policy bound to an environment.

        Raises:
            OracleError: The environment does not define the method.
        """
        return type(self)(env)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Return the environment's own message; see `Policy.act`."""
        if self._method is None:
            raise UsageError(
                f"the {self.name} policy is not bound to an environment: call for_env first"
            )
        message: Any = self._message(self._method, seed)
        if isinstance(message, str):
            message = assistant(message)
        kind = type(message)
        if not issubclass(kind, dict):
            raise UsageError(
                f"{getattr(self._method, '__qualname__', self.method)} must return a message, such "
                f"as assistant('…'), not a {kind.__name__}"
            )
        return Action(message, "tool_calls" if message.get("tool_calls") else "stop")

    def _message(self, method: Callable[..., Any], seed: int | None) -> Any:
        raise NotImplementedError

    def _method_of(self, env: gym.Env[Any, Any]) -> Callable[..., Any]:
        method: Callable[..., Any] | None = getattr(env.unwrapped, self.method, None)
        if method is None or getattr(method, "__left_to_authors__", False):
            card = getattr(env.unwrapped, "card", None)
            name = env.spec.id if env.spec else card.id if card else type(env.unwrapped).__name__
            raise OracleError(
                f"{name} cannot be played by {self.name!r}: it does not define {self.method}"
            )
        return method


class OraclePolicy(_ScriptedPolicy):
    """Plays correctly, through the environment's `solve`."""

    name = "oracle"
    method = "solve"

    def _message(self, method: Callable[..., Any], seed: int | None) -> Any:
        return method()


class RandomPolicy(_ScriptedPolicy):
    """Plays well-formed guesses, through the environment's `guess`."""

    name = "random"
    method = "guess"

    def _message(self, method: Callable[..., Any], seed: int | None) -> Any:
        return method(random.Random(seed))
