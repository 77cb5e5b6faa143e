"""One episode through the trainers' own protocols: the same tokens, masks and rewards.

The episode has reasoning, a tool call, a message that was cut, and an answer. Another one fails.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest
from byte_tokenizer import make_byte_tokenizer

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure, JudgeFailure, TrainingError, UsageError
from textgym.messages import user
from textgym.policies import Sampling
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.tasks.task import Task
from textgym.tools import tool
from textgym.training import EpisodeKey, EpisodePlayer, TokenRow, token_rows
from textgym.training.driven import MessageEpisode, TokenEpisode
from textgym.training.tasks import TaskRow, key_of, task_rows

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]  # of the trainers

ENV = "test_doors:Ball"
SAID = [
    '<think>Where is it?</think>\n<tool_call>\n{"name": "look", "arguments": {"place": "box"}}\n'
    "</tool_call>",
    "The ball is in the",  # cut
    "The colour is red",
]
CUT = 1
FEE = 0.25
PAID = [-FEE, 0.0, 1.0]
COMPONENTS = {"looked": 1.0, "fee": -FEE}


class Ball(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """Find the colour of a ball; each look costs a fee.

    With `broken`, what is said cannot be graded.
    """

    card = textgym.Card(
        "demo/Ball-v0",
        "Find it.",
        ("multi-turn", "tools"),
        (),
        (),
        "test",
        ("exact",),
        reward_range=(-10.0, 1.0),
    )

    def __init__(self, *, broken: bool = False, **kwargs: Any) -> None:
        self.broken = broken
        super().__init__(**kwargs)

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user("Which colour has the ball?"),), "red", None, row)

    def begin(self, task: Task) -> dict[str, Any]:
        return {"looked": False}

    @tool
    def look(self, place: str) -> str:
        """Look into something.

        Args:
            place: Where to look.
        """
        self.state["looked"] = True
        self.add_reward("fee", -FEE)
        return f"There is a red ball in the {place}."

    def respond(self, message: Any) -> Any:
        return None if "colour" in self.answer_text else [user("Go on.")]

    def grade(self) -> Grade:
        if self.broken:
            raise JudgeFailure("the judge is down")
        solved = self.state["looked"] and "red" in self.answer_text
        return Grade(float(solved), solved, {"looked": float(self.state["looked"])})


class Scripted:
    """Says what the script says, as token ids with log probabilities.

    Attributes:
        prompts: The prompts that it was given.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.prompts = tokenizer, list[list[int]]()

    def sample(self, prompt_ids: list[int]) -> SampledTokens:
        turn = len(self.prompts)
        self.prompts.append(list(prompt_ids))
        ids = self.tokenizer.encode(SAID[turn]) + [self.tokenizer.eos_token_id] * (turn != CUT)
        logprobs = [-(turn + 1) - place / 1000 for place in range(len(ids))]
        return SampledTokens(ids, logprobs, turn != CUT)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return make_byte_tokenizer()


def row_of(*, broken: bool = False) -> TaskRow:
    (row,) = task_rows(ENV, 1, env_kwargs={"broken": broken})
    return row


def expected(tokenizer: Any) -> TokenRow:
    """The tokens of the episode as the recorder has them."""
    engine = Scripted(tokenizer)

    async def sample(prompt_ids: list[int], sampling: Sampling, seed: int | None) -> SampledTokens:
        return engine.sample(prompt_ids)

    with EpisodePlayer(ENV) as player:
        (episode,) = player.play(TokenPolicy(sample, tokenizer), [key_of(row_of())])
    assert episode["reward"] == sum(PAID)
    (row,) = token_rows(episode)
    return row


def test_recorded_tokens_are_those_that_were_sampled(tokenizer: Any) -> None:
    row = expected(tokenizer)
    ids = [
        id for id, sampled in zip(row.completion_ids, row.completion_mask, strict=True) if sampled
    ]
    text = tokenizer.decode(ids, skip_special_tokens=True)
    assert text == "".join(SAID)
    others = [
        id
        for id, sampled in zip(row.completion_ids, row.completion_mask, strict=True)
        if not sampled
    ]
    assert "There is a red ball in the box." in tokenizer.decode(others)


def test_token_episode(tokenizer: Any) -> None:
    row, engine = expected(tokenizer), Scripted(tokenizer)
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), tokenizer)
        prompt_ids = episode.open()
        while prompt_ids is not None:
            prompt_ids = episode.answer(engine.sample(prompt_ids))
    assert token_rows(episode.result) == [row]
    assert engine.prompts[0] == row.prompt_ids


def test_message_episode_shows_tools_as_text_or_as_schemas() -> None:
    with EpisodePlayer(ENV) as player:
        plain = MessageEpisode(player, key_of(row_of()), plain=True)
        native = MessageEpisode(player, key_of(row_of()))
        shown, asked = plain.open(), native.open()
        assert shown
        assert "look" in shown[0]["content"]
        assert not plain.tools
        assert asked == [user("Which colour has the ball?")]
        assert native.tools[0]["function"]["name"] == "look"
        after, results = plain.answer(SAID[0]), native.answer(SAID[0])
        assert after
        assert after[-1]["role"] == "user"
        assert results
        assert results[-1]["role"] == "tool"
        for episode in (plain, native):
            episode.answer(SAID[1], is_cut=True)
            assert episode.answer(SAID[2]) is None
            assert episode.result["reward"] == sum(PAID)
            assert episode.rewards == PAID
            assert episode.components == COMPONENTS
            reasons = [step["finish_reason"] for step in episode.result["steps"]]
            assert reasons == ["tool_calls", "length", "stop"]


def test_failed_episode_has_no_result(tokenizer: Any) -> None:
    with EpisodePlayer(ENV, env_kwargs={"broken": True}, retries=0) as player:
        episode = MessageEpisode(player, key_of(row_of(broken=True)), plain=True)
        episode.open()
        assert episode.answer(SAID[2]) is None
    assert episode.trajectory
    with pytest.raises(EnvironmentFailure, match=r"JudgeFailure \(judge\): the judge is down"):
        _ = episode.result


@pytest.mark.parametrize("is_finished", [None, False], ids=str)
def test_aborted_request_has_no_result(tokenizer: Any, is_finished: bool | None) -> None:
    with EpisodePlayer(ENV, retries=0) as player:
        episode = TokenEpisode(player, key_of(row_of()), tokenizer)
        assert episode.open() is not None
        assert episode.answer(SampledTokens([], None, is_finished)) is None
        with pytest.raises(EnvironmentFailure, match="gave no tokens"):
            _ = episode.result


def test_aborted_requests_are_in_no_group(tokenizer: Any) -> None:
    async def abort(prompt_ids: list[int], sampling: Sampling, seed: int | None) -> SampledTokens:
        return SampledTokens([], None)

    with EpisodePlayer(ENV, retries=0) as player:
        played = player.play(TokenPolicy(abort, tokenizer), [key_of(row_of(), n) for n in range(2)])
    assert [episode["reward"] for episode in played] == [None, None]
    assert {episode["failure"]["boundary"] for episode in played if episode["failure"]} == {
        "policy"
    }


def test_driven_episode_is_played_in_order() -> None:
    with EpisodePlayer(ENV) as player:
        episode = MessageEpisode(player, key_of(row_of()))
        with pytest.raises(UsageError, match="has not begun"):
            episode.answer("red")
        with pytest.raises(UsageError, match="has not ended"):
            _ = episode.result
        episode.open()
        with pytest.raises(UsageError, match="has already begun"):
            episode.open()
        assert episode.answer(SAID[2]) is None
        with pytest.raises(UsageError, match="has ended"):
            episode.answer("red")


def test_episode_that_is_left_keeps_what_it_was_paid(tokenizer: Any) -> None:
    with EpisodePlayer(ENV) as player:
        messages = MessageEpisode(player, key_of(row_of()))
        tokens = TokenEpisode(player, key_of(row_of()), tokenizer)
        with pytest.raises(UsageError, match="has not begun"):
            messages.leave()
        messages.open()
        messages.answer(SAID[0])
        messages.leave()
        tokens.answer(Scripted(tokenizer).sample(tokens.open() or []))
        asyncio.run(tokens.aleave())
        for episode in (messages, tokens):
            assert episode.rewards == [-FEE]
            assert (episode.result["reward"], episode.result["is_success"]) == (-FEE, False)
            assert (episode.result["truncated"], episode.result["stop_reason"]) == (True, "context")
            with pytest.raises(UsageError, match="has ended"):
                episode.leave()


def test_episode_that_is_left_can_be_closed() -> None:
    with EpisodePlayer(ENV) as player:
        episode = MessageEpisode(player, key_of(row_of()))
        episode.open()
        episode.close()
        episode.close()
        assert episode.trajectory is None


@pytest.mark.parametrize("player_is_closed", [False, True])
def test_episode_that_is_dropped_is_cancelled(
    player_is_closed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    player = EpisodePlayer(ENV)
    episode = MessageEpisode(player, key_of(row_of()))
    episode.open()
    task = episode._task
    assert task is not None
    ended: Future[None] = Future()
    task.get_loop().call_soon_threadsafe(task.add_done_callback, lambda _: ended.set_result(None))
    if player_is_closed:
        player.close()
    del episode
    ended.result(300)
    assert task.cancelled()
    player.close()
    assert not caplog.records


def test_added_messages_continue_the_conversation() -> None:
    with EpisodePlayer(ENV) as player:
        episode = MessageEpisode(player, key_of(row_of()), plain=True)
        conversation = episode.open() or []
        assert episode.added == conversation
        for text in SAID[:-1]:
            earlier, conversation = conversation, episode.answer(text) or []
            assert episode.added == conversation[len(earlier) + 1 :]
            assert [message["role"] for message in episode.added] == ["user"]
        assert episode.answer(SAID[-1]) is None
        assert episode.added == []
        assert episode.figures("reward/") == {
            **{f"reward/{name}": value for name, value in COMPONENTS.items()},
            "success": 1.0,
        }


def test_added_tokens_continue_the_sampled_ones(tokenizer: Any) -> None:
    engine = Scripted(tokenizer)
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), tokenizer)
        prompt_ids = episode.open() or []
        assert episode.added == prompt_ids
        while prompt_ids:
            sampled = engine.sample(prompt_ids)
            earlier, prompt_ids = prompt_ids, episode.answer(sampled) or []
            if prompt_ids:
                assert prompt_ids == earlier + sampled.token_ids + episode.added
        assert episode.added == []


def test_nothing_is_added_to_an_episode_that_is_left(tokenizer: Any) -> None:
    with EpisodePlayer(ENV) as player:
        messages = MessageEpisode(player, key_of(row_of()))
        tokens = TokenEpisode(player, key_of(row_of()), tokenizer)
        for episode in (messages, tokens):
            episode.open()
            assert episode.added
            episode.leave()
            assert episode.added == []


def test_added_raises_the_failure_of_an_episode(tokenizer: Any) -> None:
    with EpisodePlayer(ENV, env_kwargs={"broken": True}, retries=0) as player:
        episode = MessageEpisode(player, key_of(row_of(broken=True)), plain=True)
        episode.open()
        episode.answer(SAID[2])
        for read in (lambda: episode.added, episode.figures):
            with pytest.raises(EnvironmentFailure, match="the judge is down"):
                read()


class Changed(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Changes the conversation after each step."""

    def __init__(self, change: Any) -> None:
        super().__init__(Ball())
        self.change = change

    def step(self, action: Any) -> Any:
        conversation, *others = super().step(action)
        return self.change(conversation), *others


@pytest.mark.parametrize(
    ("change", "is_appended"),
    [
        (lambda seen: [dict(message) for message in seen], True),
        (lambda seen: [*seen, user("Hurry.")], None),  # which is gone after the next step
        (lambda seen: [{**seen[0], "content": "Find it."}, *seen[1:]], False),
        (lambda seen: [{**seen[0], "name": "Ann"}, *seen[1:]], False),
        (lambda seen: [{**seen[0], "role": "system"}, *seen[1:]], False),
        (lambda seen: [{"role": "system", "content": "Be brief."}, *seen], False),
        (lambda seen: seen[1:], False),
        (lambda seen: seen[-1:], False),
        (lambda seen: [*seen[:-2], user("Forget it."), seen[-1]], None),
    ],
    ids=[
        "copied",
        "added",
        "content",
        "key",
        "role",
        "before",
        "first gone",
        "last only",
        "replaced",
    ],
)
@pytest.mark.parametrize("plain", [False, True], ids=["tools", "plain"])
def test_an_earlier_message_that_is_changed_is_refused(
    change: Any, is_appended: bool | None, plain: bool
) -> None:
    with EpisodePlayer(lambda: Changed(change)) as player:
        (env_id,) = player.env_ids
        episode = MessageEpisode(player, EpisodeKey(env_id, 0), plain=plain)
        episode.open()
        episode.answer("Where?")
        if is_appended is not False:
            assert episode.added[-1]["role"] == "user"
            episode.answer("Where?")
        if is_appended:
            assert episode.added
        else:
            with pytest.raises(TrainingError, match="the environment changed an earlier message"):
                _ = episode.added
        episode.close()


def test_a_template_that_rewrites_messages_is_refused(tokenizer: Any) -> None:
    rewriting = make_byte_tokenizer()
    rewriting.chat_template = rewriting.chat_template.replace(
        "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.last %}"
    )
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), rewriting)
        assert episode.open() == episode.added
        assert episode.answer(Scripted(rewriting).sample([]))
        with pytest.raises(TrainingError, match="the chat template rewrote a message"):
            _ = episode.added
        episode.close()


def skyrl_env(**options: Any) -> Any:
    skyrl_gym = pytest.importorskip("skyrl_gym", reason="not installed: make test-trainers")
    if "textgym" not in skyrl_gym.envs.registration.registry:
        skyrl_gym.register("textgym", entry_point="textgym.training.skyrl:SkyRLEnv")
    return skyrl_gym.make("textgym", env_config=None, extras={"textgym": row_of(**options)})


@pytest.mark.trainers
def test_skyrl_gives_the_same_conversation_and_reward(tokenizer: Any) -> None:
    env, row = skyrl_env(), expected(tokenizer)
    messages, _ = env.init([{"role": "user", "content": "shown"}])
    rewards, done = [], False
    for text in SAID:
        assert not done
        output = env.step(text)
        messages += [{"role": "assistant", "content": text}, *output["observations"]]
        rewards.append(output["reward"])
        done = output["done"]
    assert done
    assert rewards == PAID
    assert env.get_metrics() == {"success": 1.0, **COMPONENTS}
    rendered = tokenizer.apply_chat_template(messages, tokenize=False)
    assert tokenizer.decode(row.prompt_ids + row.completion_ids) == rendered
    env.close()


@pytest.mark.trainers
def test_episode_that_skyrl_leaves_is_counted() -> None:
    env = skyrl_env()
    env.init([])
    assert env.step(SAID[0])["reward"] == -FEE
    assert env.get_metrics() == {"success": 0.0, "fee": -FEE}
    env.close()


@pytest.mark.trainers
def test_failure_in_skyrl_is_no_reward() -> None:
    env = skyrl_env(broken=True)
    env.init([])
    with pytest.raises(EnvironmentFailure, match="the judge is down"):
        env.step(SAID[2])


@pytest.mark.trainers
def test_skyrl_reads_the_data_set(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    pytest.importorskip("skyrl_gym", reason="not installed: make test-trainers")
    from textgym.training.skyrl import SkyRLEnv, write_dataset

    path = write_dataset(tmp_path / "train.parquet", ENV, 3)
    rows = datasets.Dataset.from_parquet(str(path))
    assert rows["env_class"][:] == ["textgym"] * 3
    env = SkyRLEnv(extras=rows[2])
    prompt, _ = env.init(rows[2]["prompt"])
    assert prompt[-1]["content"] == rows[2]["prompt"][0]["content"]
    env.close()


@pytest.mark.trainers
def test_tinker_gives_the_same_tokens_and_reward(tokenizer: Any) -> None:
    pytest.importorskip("tinker_cookbook", reason="not installed: make test-trainers")
    from textgym.training.tinker import TinkerGroup

    row, engine = expected(tokenizer), Scripted(tokenizer)

    async def play() -> tuple[list[int], list[Any]]:
        envs = await TinkerGroup(row_of(), tokenizer, 2).make_envs()
        assert len(envs) == 2
        prompt, stop = await envs[0].initial_observation()
        assert stop == [tokenizer.eos_token_id]
        results = []
        while True:
            sampled = engine.sample(prompt.to_ints())
            last = prompt.to_ints() + sampled.token_ids
            reason = "stop" if sampled.is_finished else "length"
            result = await envs[0].step(sampled.token_ids, extra={"stop_reason": reason})
            results.append(result)
            if result.episode_done:
                return last, results
            prompt = result.next_observation

    ids, results = asyncio.run(play())
    assert ids == row.prompt_ids + row.completion_ids
    assert [result.reward for result in results] == PAID
    assert results[-1].metrics == {"success": 1.0, **COMPONENTS}


def roll_out_in_tinker(
    tokenizer: Any, *, limits: Any = None, context_length: int | None = None
) -> tuple[Any, Any]:
    """Return a group of episodes, played by tinker-cookbook's own rollouts, and its builder."""
    pytest.importorskip("tinker_cookbook", reason="not installed: make test-trainers")
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from textgym.training.tinker import TinkerEnv, TinkerGroup

    class Completer(TokenCompleter):  # type: ignore[misc]
        async def __call__(self, prompt: Any, stop: Any, *, max_tokens: Any = None) -> Any:
            said = tokenizer.decode(prompt.to_ints())
            turn = said.count("<|assistant|>") - 1
            ids = [*tokenizer.encode(SAID[turn]), *([tokenizer.eos_token_id] * (turn != CUT))]
            return TokensWithLogprobs(ids, [-1.0] * len(ids), "length" if turn == CUT else "stop")

    class LimitedEnv(TinkerEnv):
        rollout_limits = limits

    group = TinkerGroup(row_of(), tokenizer, 2, context_length)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textgym.training.tinker.TinkerEnv", LimitedEnv)
        return asyncio.run(do_group_rollout(group, Completer())), group


@pytest.mark.trainers
def test_tinker_trains_on_what_was_sampled(tokenizer: Any) -> None:
    played, _ = roll_out_in_tinker(tokenizer)
    row = expected(tokenizer)
    assert played.get_total_rewards() == [sum(PAID)] * 2
    for trajectory in played.trajectories_G:
        last = trajectory.transitions[-1]
        assert last.ob.to_ints() + last.ac.tokens == row.prompt_ids + row.completion_ids
        sampled = [id for turn in trajectory.transitions for id in turn.ac.tokens]
        of_row = zip(row.completion_ids, row.completion_mask, strict=True)
        assert sampled == [id for id, trained in of_row if trained]


@pytest.mark.trainers
def test_episode_that_tinker_stops_keeps_what_it_was_paid(tokenizer: Any) -> None:
    limits = pytest.importorskip("tinker_cookbook.rl.rollout_limits")
    played, group = roll_out_in_tinker(tokenizer, limits=limits.RolloutLimits(max_turns=1))
    assert played.get_total_rewards() == [-FEE] * 2
    assert not group._envs  # the episodes are closed


@pytest.mark.trainers
def test_prompt_over_the_context_is_an_empty_episode_of_tinker(tokenizer: Any) -> None:
    played, _ = roll_out_in_tinker(tokenizer, context_length=10)
    assert played.get_total_rewards() == [0.0] * 2
    assert [str(one.stop_reason) for one in played.trajectories_G] == ["max_tokens"] * 2


@pytest.mark.trainers
def test_failure_in_tinker_is_no_reward(tokenizer: Any) -> None:
    pytest.importorskip("tinker_cookbook", reason="not installed: make test-trainers")
    from textgym.training.tinker import TinkerEnv

    async def play() -> None:
        env = TinkerEnv(row_of(broken=True), tokenizer)
        await env.initial_observation()
        await env.step([*tokenizer.encode(SAID[2]), tokenizer.eos_token_id])

    with pytest.raises(EnvironmentFailure, match="the judge is down"):
        asyncio.run(play())


class RlhfEngine:
    """Answers as the engine of OpenRLHF does."""

    def __init__(self, scripted: Scripted) -> None:
        self.scripted = scripted

    async def generate(self, prompt_ids: list[int], params: Any, **others: Any) -> Any:
        assert params.max_tokens + len(prompt_ids) <= 2000
        sampled = self.scripted.sample(prompt_ids)
        assert sampled.logprobs
        output = SimpleNamespace(
            token_ids=sampled.token_ids,
            logprobs=[
                {token: SimpleNamespace(logprob=value)}
                for token, value in zip(sampled.token_ids, sampled.logprobs, strict=True)
            ],
            finish_reason="stop" if sampled.is_finished else "length",
        )
        return SimpleNamespace(outputs=[output])


class AbortingRlhfEngine(RlhfEngine):
    """Aborts each request after its first tokens."""

    async def generate(self, prompt_ids: list[int], params: Any, **others: Any) -> Any:
        answer = await super().generate(prompt_ids, params, **others)
        answer.outputs[0].finish_reason = "abort"
        return answer


def play_openrlhf(tokenizer: Any, label: str, engine_class: Any = RlhfEngine) -> Any:
    pytest.importorskip("openrlhf", reason="not installed: make test-trainers")
    from textgym.training.openrlhf import AgentExecutor

    params = SimpleNamespace(max_tokens=None, logprobs=1)
    engine = engine_class(Scripted(tokenizer))
    played = AgentExecutor().execute("shown", label, params, 2000, tokenizer, engine)
    return asyncio.run(played)


@pytest.mark.trainers
def test_openrlhf_gives_the_same_tokens_mask_and_reward(tokenizer: Any, tmp_path: Path) -> None:
    pytest.importorskip("openrlhf", reason="not installed: make test-trainers")
    from textgym.training.openrlhf import write_dataset

    row = expected(tokenizer)
    path = write_dataset(tmp_path / "tasks.jsonl", ENV, 1)
    label = json.loads(path.read_text())["label"]
    output = play_openrlhf(tokenizer, label)
    ids = output["observation_tokens"]
    assert ids == row.prompt_ids + row.completion_ids
    mask = [0] * len(ids)
    for start, end in output["action_ranges"]:
        mask[start:end] = [1] * (end - start)
    assert mask == [0] * len(row.prompt_ids) + row.completion_mask
    assert output["rollout_log_probs"] == [0.0] * len(row.prompt_ids) + row.logprobs
    assert (output["reward"], output["scores"], output["truncated"]) == (sum(PAID), 1.0, True)


@pytest.mark.trainers
def test_aborted_request_in_openrlhf_is_no_reward(tokenizer: Any) -> None:
    with pytest.raises(TrainingError, match="the engine stopped with 'abort'"):
        play_openrlhf(tokenizer, json.dumps(row_of()), AbortingRlhfEngine)


@pytest.mark.trainers
def test_failure_in_openrlhf_is_no_reward(tokenizer: Any) -> None:
    with pytest.raises(TrainingError, match="the judge is down"):
        play_openrlhf(tokenizer, json.dumps(row_of(broken=True)))
