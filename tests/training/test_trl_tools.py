"""TRL's trainer calls the tools of environments itself."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from byte_tokenizer import make_byte_tokenizer

import textgym
from textgym.errors import EnvironmentFailure, TrainingError, UsageError
from textgym.messages import assistant

torch = pytest.importorskip("torch")
trl = pytest.importorskip("trl")
pytest.importorskip("datasets")

from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402

from textgym.training.trl.tool_episodes import (  # noqa: E402
    ToolEpisodes,
)

pytestmark = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore"),  # of trainers
]

COUNTER = "textgym/SessionState-v0"
WEATHER = "textgym/SingleToolCall-v0"
WORKPLACE = "textgym/WorkplaceAssistant-v0"
Said = tuple[str, dict[str, Any]]


@pytest.fixture
def opened() -> Iterator[Callable[..., ToolEpisodes]]:
    made: list[ToolEpisodes] = []

    def make(*args: Any, **kwargs: Any) -> ToolEpisodes:
        made.append(ToolEpisodes(*args, **kwargs))
        return made[-1]

    yield make
    for episodes in made:
        episodes.close()


def oracle(id: str, task_index: int, **kwargs: Any) -> list[Any]:
    """Return the messages of a policy that plays correctly."""
    run = textgym.rollout(id, "oracle", tasks=[task_index], env_kwargs={**kwargs, "split": "train"})
    (episode,) = run.trajectories()
    return [message for message in episode["messages"] if message["role"] == "assistant"]


def play(environment: Any, messages: Sequence[Any]) -> list[Any]:
    """Play messages as TRL does, and return the conversation after the prompt."""
    completion: list[Any] = []
    for message in messages:
        completion.append(message)
        for call in message.get("tool_calls", ()):
            function = call["function"]
            method = getattr(environment, function["name"])
            result = method(**json.loads(function["arguments"]))
            completion.append({"role": "tool", "name": function["name"], "content": result})
    return completion


def begin(episodes: ToolEpisodes, row: Any, id: str) -> Any:
    environment = episodes.environment_factory[id]()
    environment.reset(**{name: value for name, value in row.items() if name != "environment"})
    return environment


def shown_tools(environment: Any) -> list[Any]:
    """Return the tools of an environment as TRL finds them and transformers shows them."""
    from transformers.utils.chat_template_utils import render_jinja_template

    functions = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    names = [name for name, _ in functions if name != "reset" and not name.startswith("_")]
    tools = [getattr(environment, name) for name in names]
    template = "{{ tools | tojson }}"
    (text,), _ = render_jinja_template([[assistant("")]], tools=tools, chat_template=template)
    order = [name for name in vars(environment) if name in names]
    shown = {tool["function"]["name"]: tool for tool in json.loads(text)}
    return [shown[name] for name in order]


@pytest.mark.parametrize("id", [COUNTER, WEATHER, WORKPLACE, "textgym/Search-v0"])
def test_an_oracle_solves_each_task_through_the_methods(opened: Any, id: str) -> None:
    episodes = opened(id)
    environments, completions = [], []
    for row in episodes.dataset(4):
        environments.append(begin(episodes, row, id))
        completions.append(play(environments[-1], oracle(id, row["task_index"])))
    (reward,) = episodes.reward_funcs
    logged: dict[str, float] = {}
    paid = reward(environments=environments, completions=completions, log_metric=logged.__setitem__)
    assert paid == [1.0] * 4
    assert logged["episodes/success"] == 1
    assert logged["episodes/failed"] == 0


@pytest.mark.parametrize("id", [COUNTER, WEATHER, WORKPLACE])
def test_the_tools_are_those_of_the_environment(opened: Any, id: str) -> None:
    environment = opened(id).environment_factory[id]()
    _, info = gymnasium.make(id).reset(seed=0)
    assert shown_tools(environment) == info["tools"]


def test_rewards_of_a_mixture_are_those_of_their_environment(opened: Any) -> None:
    episodes = opened({COUNTER: 1, WEATHER: 1}, rewards="environments")
    rows = list(episodes.dataset(4))
    environments = [begin(episodes, row, row["environment"]) for row in rows]
    completions = [[assistant("I do not know.")] for _ in rows]
    columns = {
        function.__name__: function(environments=environments, completions=completions)
        for function in episodes.reward_funcs
    }
    assert set(columns) == {COUNTER, WEATHER}
    for row, *values in zip(rows, *columns.values(), strict=True):
        named = dict(zip(columns, values, strict=True))
        assert named[row["environment"]] == 0
        assert [value for id, value in named.items() if id != row["environment"]] == [None]


def test_an_episode_that_failed_has_no_reward(opened: Any) -> None:
    class Failing(gymnasium.Wrapper[Any, Any, Any, Any]):
        def step(self, action: Any) -> Any:
            raise EnvironmentFailure("broken")

    episodes = opened(lambda: Failing(gymnasium.make(COUNTER)), retries=0)
    (row,) = episodes.dataset(1)
    (id,) = episodes.environment_factory
    environment = begin(episodes, row, id)
    assert environment.get_counter_value() == "The episode has ended."
    (reward,) = episodes.reward_funcs
    logged: dict[str, float] = {}
    arguments = {"environments": [environment], "completions": [[assistant("3")]]}
    assert reward(**arguments, log_metric=logged.__setitem__) == [None]
    assert logged["episodes/failed"] == 1


def test_a_call_after_the_end_changes_nothing(opened: Any) -> None:
    episodes = opened(COUNTER, env_kwargs={"max_turns": 1})
    (row,) = episodes.dataset(1)
    environment = begin(episodes, row, COUNTER)
    environment.increment_counter(count=1)
    assert environment.increment_counter(count=1) == "The episode has ended."
    (reward,) = episodes.reward_funcs
    assert reward(environments=[environment], completions=[[assistant("")]]) == [0.0]


@pytest.mark.parametrize(
    "arguments", [{}, {"count": "many"}, {"count": 1, "self": 2}, {"other": [1]}], ids=str
)
def test_wrong_arguments_get_the_answer_of_the_environment(
    opened: Any, arguments: dict[str, Any]
) -> None:
    episodes = opened(COUNTER)
    (row,) = episodes.dataset(1)
    environment = begin(episodes, row, COUNTER)
    assert "count" in environment.increment_counter(**arguments)


@pytest.mark.parametrize(
    "text", ['<tool_call>{"name": "get_counter_value", "arguments": {}}</tool_call>', "<tool_call>"]
)
def test_a_last_message_with_calls_in_its_text_ends_the_episode(opened: Any, text: str) -> None:
    episodes = opened(COUNTER)
    (row,) = episodes.dataset(1)
    environment = begin(episodes, row, COUNTER)
    (reward,) = episodes.reward_funcs
    assert reward(environments=[environment], completions=[[assistant(text)]]) == [0.0]


def test_calls_that_were_not_played_are_left(opened: Any) -> None:
    episodes = opened(COUNTER)
    (row,) = episodes.dataset(1)
    solved = oracle(COUNTER, row["task_index"])
    environment = begin(episodes, row, COUNTER)
    (reward,) = episodes.reward_funcs
    assert reward(environments=[environment], completions=[solved[:1]]) == [0.0]
    (sample,) = episodes.samples
    assert not [m for m in sample.trajectory["messages"] if m["role"] == "tool"]


def test_an_environment_that_goes_on_is_refused(opened: Any) -> None:
    class Talking(gymnasium.Wrapper[Any, Any, Any, Any]):
        def reset(self, **kwargs: Any) -> Any:
            self.shown, self.info = super().reset(**kwargs)
            return self.shown, self.info

        def step(self, action: Any) -> Any:
            self.shown = [*self.shown, action, {"role": "user", "content": "And?"}]
            return self.shown, 0.0, False, False, self.info

    episodes = opened(lambda: Talking(gymnasium.make(COUNTER)), retries=0)
    (row,) = episodes.dataset(1)
    (id,) = episodes.environment_factory
    environment = begin(episodes, row, id)
    with pytest.raises(UsageError, match="goes on after a message without calls"):
        episodes.reward_funcs[0](environments=[environment], completions=[[assistant("a")]])


def test_an_environment_without_tools_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has no tools: use Episodes.rollout_func"):
        ToolEpisodes("textgym/MCQA-v0")


def test_another_prompt_than_that_of_the_row_is_an_error(opened: Any) -> None:
    episodes = opened(COUNTER)
    first, second = episodes.dataset(2)
    with pytest.raises(TrainingError, match="has a prompt or tools that differ"):
        begin(episodes, {**first, "prompt": second["prompt"]}, COUNTER)


class WithTool(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Shows a tool."""

    def __init__(self, name: str, schema: dict[str, Any]) -> None:
        super().__init__(gymnasium.make(COUNTER))
        parameters = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        function = {"name": name, "description": "Do it.", "parameters": parameters}
        self.tool = {"type": "function", "function": function}

    def reset(self, **kwargs: Any) -> Any:
        observation, info = super().reset(**kwargs)
        return observation, {**info, "tools": [self.tool]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["a", "b"]},
        {"type": "array", "items": {"type": "integer"}},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"type": "integer", "minimum": 1, "default": 3},
        {"type": "object"},
        {"type": "string", "pattern": "^a"},
        {"type": "object", "properties": {"x": {"type": "string"}}},
        {"$ref": "#/$defs/Place"},
        {},
        {"type": "string", "description": ""},
        {"type": "string", "description": "Any.\nReturns: nothing"},
        {"type": "string", "description": "Tea (choices: [1])"},
    ],
    ids=str,
)
def test_a_schema_is_shown_as_it_is(opened: Any, schema: dict[str, Any]) -> None:
    episodes = opened(lambda: WithTool("tool", schema))
    ((_, make),) = episodes.environment_factory.items()
    (tool,) = shown_tools(make())
    assert tool["function"]["parameters"]["properties"]["value"] == schema


@pytest.mark.parametrize("name", ["get-counter", "class", "self", "with space", "größe"])
def test_a_tool_may_have_any_name(opened: Any, name: str) -> None:
    episodes = opened(lambda: WithTool(name, {"type": "string"}))
    ((_, make),) = episodes.environment_factory.items()
    environment = make()
    (tool,) = shown_tools(environment)
    assert tool["function"]["name"] == getattr(environment, name).__name__ == name


@pytest.mark.parametrize("name", ["reset", "sample", "get_reward", "_hidden", "__call__"])
def test_a_tool_with_a_name_of_trl_is_refused(opened: Any, name: str) -> None:
    with pytest.raises(UsageError, match=f"TRL cannot take: {name}"):
        opened(lambda: WithTool(name, {"type": "string"}))


# With TRL's trainer


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A tokenizer with a template for tools."""
    made = make_byte_tokenizer()
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    made.eos_token = "<|im_end|>"
    folder = Path(trl.__file__).parent / "chat_templates"
    made.chat_template = (folder / "qwen3.jinja").read_text()
    return made


def call_text(message: Any) -> str:
    calls = [call["function"] for call in message.get("tool_calls", ())]
    parts = [
        f'<tool_call>\n{{"name": "{item["name"]}", "arguments": {item["arguments"]}}}\n</tool_call>'
        for item in calls
    ]
    return "\n".join(parts) or message["content"]


def test_a_trainer_calls_the_tools_and_gets_the_rewards(
    opened: Any, tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl import GRPOConfig, GRPOTrainer

    episodes = opened(COUNTER)
    (row,) = episodes.dataset(1)
    right = [call_text(message) for message in oracle(COUNTER, row["task_index"])]
    scripts = [list(right), ["I do not know."], list(right), [right[0], *right]]
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=32, num_hidden_layers=1,
            num_attention_heads=2, max_position_embeddings=8192,
        )
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=str(tmp_path), max_steps=1, per_device_train_batch_size=4,
            num_generations=4, max_completion_length=4096, report_to=[], use_cpu=True, bf16=False,
            save_strategy="no", logging_steps=1, disable_tqdm=True,
        ),
        train_dataset=episodes.dataset(1),
        environment_factory=episodes.environment_factory,
        reward_funcs=episodes.reward_funcs,
    )  # fmt: skip

    def scripted(prompt_ids: Any, *_: Any, **__: Any) -> Any:
        waiting = [script for script in scripts if script]
        assert len(prompt_ids) == len(waiting)
        said = [tokenizer(script.pop(0) + "<|im_end|>")["input_ids"] for script in waiting]
        return said, None

    monkeypatch.setattr(trainer, "_generate_single_turn", scripted)
    trainer.train()
    assert [sample.reward for sample in episodes.samples] == [1.0, 0.0, 1.0, 0.0]
    (log,) = [entry for entry in trainer.state.log_history if "episodes/success" in entry]
    assert log["episodes/success"] == log["reward"] == 0.5


@pytest.mark.parametrize("columns", [{}, {"environments": [object()]}], ids=["none", "another"])
def test_a_forgotten_environment_factory_is_one_line(
    opened: Callable[..., ToolEpisodes], columns: Any
) -> None:
    episodes = opened(COUNTER)
    with pytest.raises(
        UsageError, match=r"pass environment_factory=episodes\.environment_factory to GRPOTrainer"
    ):
        episodes.reward_funcs[0](completions=[[assistant("a")]], **columns)


def test_options_of_sampling_are_refused() -> None:
    with pytest.raises(UsageError, match="ToolEpisodes does not take max_episode_tokens"):
        ToolEpisodes(COUNTER, max_episode_tokens=100)
