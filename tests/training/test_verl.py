"""verl's agent loop, estimator and loss, really run, on environments of textgym.

verl's workers, data set, batch, advantages and policy loss are verl's own. A small model stands for
verl's servers and for its actor, which need a GPU: it samples token ids as a server does, and is
trained on the batch that verl makes. These tests run where verl is installed: `make test-trainers`.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import EXAMPLES

import textgym
from textgym.core.episode import Grade
from textgym.errors import EnvironmentFailure
from textgym.messages import assistant
from textgym.tasks.task import Task

torch = pytest.importorskip("torch")
verl = pytest.importorskip("verl", reason="verl is not installed: make test-trainers")
sys.path.append(str(EXAMPLES))

import small_model  # noqa: E402

from textgym.training.logprob_gap import logprob_gap  # noqa: E402
from textgym.training.verl import write_dataset  # noqa: E402

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("ignore"),  # verl's own
]

GUESS = "textgym/GuessNumber-v0"
SMALL = {"highest": 3, "turns": 2}
GROUP = 4
LARGEST_GAP = 1e-4  # between the log probabilities of rollout and training


class SometimesBroken(textgym.TextEnv[dict]):  # type: ignore[type-arg]
    """Say a word; what every second task answers cannot be graded."""

    card = textgym.Card("demo/Broken-v0", "Say it.", ("single-turn",), (), (), "test", ("exact",))

    def generate(self, rng: Any, level: Any) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], ({"role": "user", "content": "Guess"},), row["number"], None, row)

    def grade(self) -> Grade:
        if self.task.answer % 2:
            raise EnvironmentFailure("broken")
        return Grade(1.0, True, {})


class SmallServer:
    """Samples token ids with a model, as a client of verl's servers does.

    Attributes:
        request_ids: The ids of all requests.
    """

    def __init__(self, model: Any, seed: int = 0) -> None:
        self.model, self.request_ids = model, list[str]()
        self._random = torch.Generator().manual_seed(seed)

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: Any, **others: Any
    ) -> Any:
        """Continue a prompt."""
        from verl.workers.rollout.replica import TokenOutput

        self.request_ids.append(request_id)
        await asyncio.sleep(0)  # requests interleave
        sampled: list[int] = []
        logprobs: list[float] = []
        ends = self.model.config.eos_token_id
        with torch.no_grad():
            for _ in range(min(4, sampling_params["max_tokens"])):
                ids = torch.tensor([prompt_ids + sampled])
                scores = self.model(input_ids=ids).logits[0, -1].log_softmax(dim=-1)
                token = int(torch.multinomial(scores.exp(), 1, generator=self._random))
                sampled.append(token)
                logprobs.append(float(scores[token]))
                if token == ends:
                    break
        return TokenOutput(
            token_ids=sampled, log_probs=logprobs, stop_reason="completed", extra_fields={}
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model that names numbers."""
    torch.manual_seed(0)
    run = textgym.rollout(GUESS, "random", tasks=range(6), repeats=8, env_kwargs=SMALL)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer([*conversations, [assistant("Guess")]])
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations, steps=20)
    place = tmp_path_factory.mktemp("model")
    small_model.save(model, tokenizer, place)
    return str(place)


@pytest.fixture
def model(folder: str) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def make_worker(folder: str, client: Any, *, response_length: int = 64, **data: Any) -> Any:
    """Return verl's worker with verl's default configuration."""
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker

    place = Path(verl.__file__).parent / "trainer/config/_generated_ppo_trainer.yaml"
    config = OmegaConf.load(place)
    config.actor_rollout_ref.model.path = folder
    config.data.update(data)
    rollout = config.actor_rollout_ref.rollout
    rollout.name, rollout.calculate_log_probs = "vllm", True
    rollout.prompt_length, rollout.response_length = 64, response_length
    return AgentLoopWorker(config, llm_client=client)


def make_batches(path: Path, worker: Any, size: int) -> list[Any]:
    """Return the batches of a data set as verl's trainer makes them."""
    from torch.utils.data import DataLoader
    from verl import DataProto
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    config = worker.config.data
    config.return_raw_chat, config.filter_overlong_prompts = True, False
    dataset = RLHFDataset(str(path), worker.tokenizer, config)
    batches = []
    for rows in DataLoader(dataset, batch_size=size, collate_fn=collate_fn):
        batch = DataProto.from_single_dict(rows)
        batch.non_tensor_batch["uid"] = np.array([str(n) for n in range(len(batch))], dtype=object)
        batches.append(batch.repeat(GROUP, interleave=True))
    return batches


def play(worker: Any, batch: Any) -> Any:
    """Return a batch with its episodes."""
    played = asyncio.run(worker.generate_sequences(batch))
    played.non_tensor_batch.setdefault("uid", batch.non_tensor_batch["uid"])
    played.batch["token_level_rewards"] = played.batch["rm_scores"]
    return played


def score(model: Any, played: Any) -> Any:
    """Return the log probabilities of the response tokens under a model."""
    columns = played.batch
    logits = model(
        input_ids=columns["input_ids"],
        attention_mask=columns["attention_mask"],
        position_ids=columns["position_ids"],
    ).logits
    length = columns["responses"].shape[1]
    logprobs = logits[:, -length - 1 : -1].log_softmax(dim=-1)
    return logprobs.gather(2, columns["responses"].unsqueeze(2)).squeeze(2)


def write_numbers(folder: Path, numbers: list[int]) -> str:
    """Write tasks of GuessNumber."""
    rows = [{**SMALL, "number": number} for number in numbers] * 8
    place = folder / "numbers.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)))
    return str(place)


def test_loop_and_estimator_are_registered_by_importing_verl() -> None:
    from verl.experimental.agent_loop.agent_loop import _agent_loop_registry
    from verl.trainer.ppo.core_algos import get_adv_estimator_fn

    assert "textgym" in _agent_loop_registry
    assert get_adv_estimator_fn("textgym_grpo").__name__ == "textgym_grpo"


def test_episodes_become_verls_batch(folder: str, model: Any, tmp_path: Path) -> None:
    client = SmallServer(model)
    worker = make_worker(folder, client)
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 6, env_kwargs=SMALL)
    (batch,) = make_batches(path, worker, 6)
    played = play(worker, batch)

    assert len(played) == 6 * GROUP
    assert len(set(client.request_ids)) == 6 * GROUP  # one for each episode
    columns = played.batch
    solved = played.non_tensor_batch["success"]
    assert columns["rm_scores"].sum(dim=1).tolist() == solved.tolist()
    assert 0 < sum(solved) < len(solved)
    mask = columns["response_mask"]
    assert set(mask.unique().tolist()) == {0, 1}
    first = columns["prompts"].tolist()
    groups = [first[start : start + GROUP] for start in range(0, len(first), GROUP)]
    assert all(group.count(group[0]) == GROUP for group in groups)  # one task, one prompt
    compared = (columns["rollout_log_probs"], score(model, played), mask)
    gap = logprob_gap(zip(*(values.tolist() for values in compared), strict=True))
    assert gap.tokens == mask.sum()
    gap.check(LARGEST_GAP)


class EndingServer:
    """Says a word, and ends the message as the chat template does.

    Attributes:
        prompts: The ids of all prompts.
    """

    def __init__(self, ids: list[int]) -> None:
        self.prompts, self._ids = list[list[int]](), ids

    async def generate(self, request_id: str, *, prompt_ids: list[int], **others: Any) -> Any:
        """Continue a prompt."""
        from verl.workers.rollout.replica import TokenOutput

        self.prompts.append(prompt_ids)
        return TokenOutput(token_ids=self._ids, log_probs=[-1.0] * len(self._ids))


def test_end_tokens_are_those_of_the_generation_config(folder: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, GenerationConfig

    place = tmp_path / "model"
    shutil.copytree(folder, place)
    tokenizer = AutoTokenizer.from_pretrained(place)
    ids = tokenizer.encode("Guess<|end|>")
    tokenizer.eos_token = tokenizer.pad_token  # the template ends messages with another token
    tokenizer.save_pretrained(place)
    GenerationConfig(eos_token_id=[tokenizer.pad_token_id, ids[-1]]).save_pretrained(place)
    server = EndingServer(ids)
    worker = make_worker(str(place), server)
    assert worker.tokenizer.eos_token_id != ids[-1]
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 1, env_kwargs=SMALL)
    (batch,) = make_batches(path, worker, 1)
    play(worker, batch)
    first, second = server.prompts[0], max(server.prompts, key=len)
    assert second[: len(first) + len(ids)] == first + ids
    assert second[len(first) + len(ids)] != ids[-1]  # the message is not ended twice


def test_failed_episodes_leave_their_group(folder: str, model: Any, tmp_path: Path) -> None:
    from verl.trainer.ppo.ray_trainer import compute_advantage

    worker = make_worker(folder, SmallServer(model))
    path = write_dataset(tmp_path / "tasks.parquet", "test_verl:SometimesBroken", 6)
    (batch,) = make_batches(path, worker, 6)
    played = play(worker, batch)
    failed = played.non_tensor_batch["failed"]
    assert 0 < sum(failed) < len(failed)
    trained = played.batch["response_mask"].any(dim=1)
    assert trained.tolist() == [not value for value in failed]
    assert played.batch["attention_mask"].any(dim=1).all()  # verl's actor finds a token in each
    played.non_tensor_batch["uid"][:] = "one"  # solved episodes and failed ones in one group
    done = compute_advantage(played, "textgym_grpo")
    assert done.batch["advantages"].abs().sum() == 0  # all that count have the same reward


@pytest.mark.parametrize(
    "answer", [{"stop_reason": "abort"}, {"stop_reason": "aborted"}, {"token_ids": []}], ids=str
)
def test_messages_that_the_server_did_not_end_are_not_graded(
    folder: str, model: Any, tmp_path: Path, answer: dict[str, Any]
) -> None:
    class Stopped(SmallServer):
        """A server that stops in the middle of each message."""

        async def generate(self, *args: Any, **options: Any) -> Any:
            """Continue a prompt in part."""
            output = await super().generate(*args, **options)
            return output.model_copy(update=answer)

    worker = make_worker(folder, Stopped(model))
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 2, env_kwargs=SMALL)
    (batch,) = make_batches(path, worker, 2)
    played = play(worker, batch)
    assert all(played.non_tensor_batch["failed"])
    assert not played.batch["response_mask"].any()


@pytest.mark.parametrize("response_length", [3, 5])
def test_episodes_fit_the_length_of_responses(
    folder: str, model: Any, tmp_path: Path, response_length: int
) -> None:
    worker = make_worker(folder, SmallServer(model), response_length=response_length)
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 6, env_kwargs=SMALL)
    (batch,) = make_batches(path, worker, 6)
    played = play(worker, batch)
    assert played.batch["responses"].shape[1] == response_length
    assert sum(played.non_tensor_batch["truncated"]) > 0
    assert sum(played.non_tensor_batch["failed"]) == 0


def test_template_has_the_arguments_of_the_data(folder: str, model: Any, tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "train.parquet", GUESS, 1, env_kwargs=SMALL)
    given = {"apply_chat_template_kwargs": {"first": "Guess"}}
    worker = make_worker(folder, SmallServer(model), **given)
    worker.tokenizer.chat_template = "{{ first }}" + worker.tokenizer.chat_template
    (batch,) = make_batches(path, worker, 1)
    prompts = play(worker, batch).batch["prompts"]
    padded = worker.tokenizer.pad_token_id
    (first,) = {int(next(id for id in prompt if id != padded)) for prompt in prompts}
    assert worker.tokenizer.decode([first]) == "Guess"


def test_prompts_that_do_not_fit_are_left_out(folder: str, model: Any, tmp_path: Path) -> None:
    worker = make_worker(folder, SmallServer(model))
    worker.rollout_config.prompt_length = worker.config.actor_rollout_ref.rollout.prompt_length = 2
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 2, env_kwargs=SMALL)
    (batch,) = make_batches(path, worker, 2)
    played = play(worker, batch)
    assert played.batch["response_mask"].sum() == 0
    assert played.batch["rm_scores"].sum() == 0


def train(folder: str, path: Path, steps: int) -> list[float]:
    """Train a model with verl's advantages and loss; return the share of solved tasks by step."""
    from transformers import AutoModelForCausalLM
    from verl.trainer.ppo.core_algos import get_policy_loss_fn
    from verl.trainer.ppo.ray_trainer import compute_advantage
    from verl.workers.config import FSDPActorConfig

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    worker = make_worker(folder, SmallServer(model))
    (batch,) = make_batches(path, worker, 8)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    config = FSDPActorConfig(
        strategy="fsdp", rollout_n=GROUP, ppo_micro_batch_size_per_gpu=8 * GROUP
    )
    solved = []
    for _ in range(steps):
        played = compute_advantage(play(worker, batch), "textgym_grpo")
        columns = played.batch
        loss, _ = get_policy_loss_fn("vanilla")(
            old_log_prob=columns["rollout_log_probs"],
            log_prob=score(model, played),
            advantages=columns["advantages"],
            response_mask=columns["response_mask"],
            loss_agg_mode="token-mean",
            config=config,
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        solved.append(float(np.mean(played.non_tensor_batch["success"])))
    return solved


def test_small_model_learns(folder: str, tmp_path: Path) -> None:
    rows = write_numbers(tmp_path, [3])
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 8, env_kwargs={"dataset": rows})
    solved = train(folder, path, 12)
    assert np.mean(solved[-3:]) > 0.9 > solved[0]


def test_control_without_feedback_stays_low(folder: str, tmp_path: Path) -> None:
    rows = write_numbers(tmp_path, [1, 2, 3])
    kwargs = {"dataset": rows, "feedback": False}
    path = write_dataset(tmp_path / "tasks.parquet", GUESS, 8, env_kwargs=kwargs)
    solved = train(folder, path, 12)
    assert np.mean(solved[-3:]) < 0.85
