"""Inspect plays textgym's environments, its models are policies, and runs are its logs."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import textgym
from textgym.errors import (
    ContextFullError,
    EnvironmentFailure,
    PolicyFailure,
    UnknownNameError,
    UsageError,
)
from textgym.messages import assistant, assistant_calls, tool_result, user

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect is not installed")

import anyio  # noqa: E402
import anyio.to_thread  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelName,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import TaskState  # noqa: E402
from inspect_ai.tool import ToolCall  # noqa: E402

from textgym.integrations.inspect import task, write_log  # noqa: E402
from textgym.integrations.inspect.tasks import play  # noqa: E402
from textgym.policies.inspect_messages import as_chat, as_message, as_tools  # noqa: E402
from textgym.policies.inspect_policy import InspectPolicy  # noqa: E402

pytestmark = [
    pytest.mark.slow,  # its imports take seconds
    # The warnings are of Inspect's own loop.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
USAGE = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    yield
    gc.collect()  # what Inspect left open warns here, and not in another test


def output(message: ChatMessageAssistant, stop: Any = "stop") -> ModelOutput:
    choice = ChatCompletionChoice(message=message, stop_reason=stop)
    return ModelOutput(model="mockllm/model", choices=[choice], usage=USAGE)


def model_of(answer: Any) -> Any:
    """Return a model of Inspect that answers with a function of the conversation."""

    def outputs(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        said = answer(messages, tools)
        return said if isinstance(said, ModelOutput) else output(said)

    return get_model("mockllm/model", custom_outputs=outputs)


def says(text: str) -> Any:
    return model_of(lambda messages, tools: ChatMessageAssistant(content=text))


def evaluated(made: Any, model: Any, folder: Path, **options: Any) -> Any:
    (log,) = inspect_ai.eval(made, model=model, log_dir=str(folder), **options)
    return log


def first_call(messages: Any, tools: Any) -> ChatMessageAssistant:
    """Call the first tool without arguments until a result came, then say so."""
    if messages[-1].role == "tool" or not tools:
        return ChatMessageAssistant(content="Done: \\boxed{B}")
    call = ToolCall(f"call{len(messages)}", tools[0].name, {})
    return ChatMessageAssistant(content="", tool_calls=[call])


@pytest.mark.parametrize(
    "id", ["textgym/MCQA-v0", "textgym/SessionState-v0", "textgym/GuessNumber-v0"]
)
def test_inspect_and_textgym_give_the_same_rewards(id: str, tmp_path: Path) -> None:
    log = evaluated(task(id, tasks=12), model_of(first_call), tmp_path)
    assert log.status == "success", log.error
    run = textgym.rollout(
        id, InspectPolicy(model_of(first_call)), episodes=12, env_kwargs={"split": "test"}
    )
    ours = {t["task_id"]: (t["reward"], t["is_success"]) for t in run.trajectories()}
    theirs = {
        sample.id: (score.value["reward"], bool(score.value["success"]))
        for sample in log.samples
        for score in sample.scores.values()
    }
    assert theirs == ours
    (reward, success) = log.results.scores
    assert (reward.name, success.name) == ("reward", "success")
    assert reward.metrics["mean"].value == pytest.approx(run.mean_reward)


def test_components_and_the_conversation_are_in_the_log(tmp_path: Path) -> None:
    log = evaluated(task("textgym/SessionState-v0", tasks=1), model_of(first_call), tmp_path)
    (sample,) = log.samples
    assert [message.role for message in sample.messages] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    (score,) = sample.scores.values()
    assert "correct" in score.metadata["reward_components"]
    assert score.explanation == "wrong"


def test_epochs_play_a_task_again(tmp_path: Path) -> None:
    log = evaluated(task("textgym/MCQA-v0", tasks=2, epochs=3), says("\\boxed{A}"), tmp_path)
    assert len(log.samples) == 6


class Failing(textgym.TextEnv[None]):
    """An environment whose grade fails."""

    card = textgym.Card("tests/Failing-v0", "Fail.")

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"{row['n']}?"),), None, row=row)

    def grade(self) -> textgym.Grade:
        raise EnvironmentFailure("the judge is down")


def test_a_failure_is_an_error_and_no_score(tmp_path: Path) -> None:
    textgym.register(Failing)
    made = task("tests/Failing-v0", tasks=2)
    log = evaluated(made, says("x"), tmp_path, fail_on_error=False)
    assert all("the judge is down" in sample.error.message for sample in log.samples)
    assert not any(sample.scores for sample in log.samples)


def test_a_full_context_ends_the_sample_with_its_rewards(tmp_path: Path) -> None:
    too_long = output(ChatMessageAssistant(content="x"), "model_length")
    model = model_of(lambda messages, tools: too_long)
    log = evaluated(task("textgym/MCQA-v0", tasks=1), model, tmp_path)
    (score,) = log.samples[0].scores.values()
    assert score.value == {"reward": 0.0, "success": 0.0}
    assert score.explanation == "context"


class Waiting(textgym.TextEnv[None]):
    """An environment that waits in a thread when an episode begins."""

    card = textgym.Card("tests/Waiting-v0", "Wait.")
    blocking = True
    made: ClassVar[list[Any]] = []
    begun, released = threading.Event(), threading.Event()
    is_closed = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.made.append(self)

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"{row['n']}?"),), None, row=row)

    def begin(self, task: textgym.Task) -> None:
        self.begun.set()
        assert self.released.wait(60)

    def grade(self) -> textgym.Grade:
        if self.answer_text == "fail":
            raise EnvironmentFailure("the judge is down")
        return textgym.Grade(1.0)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def waiting() -> Iterator[type[Waiting]]:
    Waiting.made.clear()
    Waiting.begun.clear()
    Waiting.released.clear()
    yield Waiting
    Waiting.released.set()


@pytest.mark.parametrize(
    ("said", "options"), [("x", {}), ("fail", {"fail_on_error": False}), ("x", {"token_limit": 1})]
)
def test_environments_are_closed_with_their_samples(
    waiting: type[Waiting], said: str, options: dict[str, Any], tmp_path: Path
) -> None:
    textgym.register(waiting)
    waiting.released.set()
    log = evaluated(task("tests/Waiting-v0", tasks=3), says(said), tmp_path, **options)
    assert len(log.samples) == 3
    assert [env.is_closed for env in waiting.made] == [True] * 4  # one of them made the samples


def test_the_environment_of_a_cancelled_sample_is_closed(
    waiting: type[Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_EVAL_MODEL", "mockllm/model")
    state = TaskState(ModelName("mockllm/model"), 0, 1, "?", [], metadata={"index": 0})

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(play(waiting), state, None)
            assert await anyio.to_thread.run_sync(waiting.begun.wait, 60)
            group.cancel_scope.cancel()
            waiting.released.set()

    anyio.run(main)
    assert [env.is_closed for env in waiting.made] == [True]


def test_an_output_without_choices_is_an_error_and_no_score(tmp_path: Path) -> None:
    nothing = ModelOutput(model="mockllm/model", choices=[], usage=USAGE)
    model = model_of(lambda messages, tools: nothing)
    log = evaluated(task("textgym/MCQA-v0", tasks=1), model, tmp_path, fail_on_error=False)
    assert "the output has no choices" in log.samples[0].error.message
    assert not log.samples[0].scores


def test_tasks_without_an_end_need_a_number() -> None:
    with pytest.raises(UsageError, match="pass tasks="):
        task("textgym/MCQA-v0", split="train")
    with pytest.raises(UnknownNameError, match="did you mean"):
        task("textgym/MCQ-v0")


def acted(model: Any, tools: Any = ()) -> Any:
    policy = InspectPolicy(model, textgym.Sampling(temperature=0.5, max_tokens=7))
    return asyncio.run(policy.act([user("Hello")], tools, seed=2**40))


def test_a_policy_passes_settings_and_counts_tokens() -> None:
    seen = {}

    def outputs(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        seen.update(config.model_dump(exclude_none=True))
        return output(ChatMessageAssistant(content="Hi"), "max_tokens")

    action = acted(get_model("mockllm/model", custom_outputs=outputs))
    assert (action.message["content"], action.finish_reason) == ("Hi", "length")
    assert action.usage == {"prompt_tokens": 3, "completion_tokens": 2}
    assert (seen["temperature"], seen["max_tokens"]) == (0.5, 7)
    assert 0 <= seen["seed"] < 2**31


def test_a_policy_without_an_answer_is_a_failure() -> None:
    def fail(messages: Any, tools: Any) -> Any:
        raise RuntimeError("no provider")

    with pytest.raises(PolicyFailure, match="no provider"):
        acted(model_of(fail))
    for problem in ("moderated", None):
        nothing = ModelOutput(model="mockllm/model", choices=[], usage=USAGE, error=problem)
        with pytest.raises(PolicyFailure, match=problem or "the output has no choices"):
            acted(model_of(lambda m, t, nothing=nothing: nothing))
    with pytest.raises(ContextFullError):
        acted(model_of(lambda m, t: output(ChatMessageAssistant(content=""), "model_length")))


def test_a_policy_has_a_spec() -> None:
    policy = textgym.make_policy("inspect:mockllm/model", {"temperature": 0})
    assert policy.name == "inspect:mockllm/model"
    with pytest.raises(UsageError, match="inspect:no_provider/model cannot be made"):
        textgym.make_policy("inspect:no_provider/model")


def test_conversations_survive_the_way_there_and_back() -> None:
    calls = assistant_calls(("look", {"at": "é"}))
    calls["tool_calls"][0]["id"] = "a"  # type: ignore[index]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    parts: Any = {"role": "user", "content": [{"type": "text", "text": "Look."}, picture]}
    chat = as_chat([parts, calls, tool_result("blue", "a"), assistant("Blue.")])
    assert [message.role for message in chat] == ["user", "assistant", "tool", "assistant"]
    assert chat[2].function == "look"
    back = as_message(chat[1])
    assert back["tool_calls"] == calls["tool_calls"]
    assert as_message(chat[3]) == assistant("Blue.")
    assert chat[0].content[1].image == picture["image_url"]["url"]  # type: ignore[index]


def test_broken_arguments_keep_their_text() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{broken"}}
    (message,) = as_chat([{"role": "assistant", "content": None, "tool_calls": [call]}])  # type: ignore[list-item]
    assert message.tool_calls[0].parse_error
    assert as_message(message)["tool_calls"][0]["function"]["arguments"] == "{broken"  # type: ignore[index]


def test_the_tools_of_every_environment_can_be_offered() -> None:
    for id in textgym.ids(guests=False):
        env: Any = textgym.registry.make(id, split="test")
        _, info = env.reset(options={"index": 0})
        names = [tool["function"]["name"] for tool in info["tools"]]
        assert [tool.name for tool in as_tools(info["tools"])] == names, id


def test_min_p_which_inspect_does_not_have_is_an_error() -> None:
    with pytest.raises(UsageError, match="inspect: policies have no min_p"):
        InspectPolicy("mockllm/model", textgym.Sampling(min_p=0.1))


def test_a_run_is_a_log(tmp_path: Path) -> None:
    run = textgym.rollout(
        {"textgym/SessionState-v0": 1.0, "textgym/MCQA-v0": 1.0}, "random", episodes=10, repeats=2
    )
    write_log(run, tmp_path / "run.eval")
    log = read_eval_log(str(tmp_path / "run.eval"))
    values = [s.scores["textgym"].value["reward"] for s in log.samples]
    assert sorted(values) == sorted(t["reward"] for t in run.trajectories())
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(sum(values) / len(values))
    assert {sample.epoch for sample in log.samples} == {1, 2}
    counts = sorted(len(sample.messages) for sample in log.samples)
    assert counts == sorted(len(t["messages"]) for t in run.trajectories())
    assert json.loads(log.samples[0].model_dump_json())["error"] is None


def test_a_failed_episode_is_an_error_in_the_log(tmp_path: Path) -> None:
    textgym.register(Failing)
    run = textgym.rollout("tests/Failing-v0", "random_words:Words", episodes=1, retries=0)
    write_log(run, tmp_path / "run.eval")
    (sample,) = read_eval_log(str(tmp_path / "run.eval")).samples
    assert "the judge is down" in sample.error.message
    assert not sample.scores


def test_a_log_needs_episodes_and_a_known_ending(tmp_path: Path) -> None:
    run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=1)
    with pytest.raises(UsageError, match=r"ends in \.eval or \.json"):
        write_log(run, tmp_path / "run.log")
