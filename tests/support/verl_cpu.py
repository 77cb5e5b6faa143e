"""What verl needs to train on a CPU: a platform, and a server of a small model.

Every process of verl imports it (`VERL_USE_EXTERNAL_MODULES`). The trainer, the data, the actor and
its workers are verl's own; in the place of vLLM, a process samples with transformers.
"""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Iterator
from typing import Any

import ray
import torch
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry, set_platform
from verl.workers.rollout.base import _ROLLOUT_REGISTRY, BaseRollout
from verl.workers.rollout.replica import RolloutReplica, RolloutReplicaRegistry, TokenOutput

RESOURCE = "NPU"  # the custom resource that verl counts where there are no GPUs


def always(value: Any) -> Any:
    """Return a function that returns a value, whatever it is called with."""
    return lambda *values, **named: value


def _make_device() -> types.ModuleType:
    """Return `torch.cpu` with the functions of `torch.cuda` that verl calls."""
    device = types.ModuleType("device")
    functions = {
        **dict.fromkeys(("empty_cache", "set_device", "synchronize")),
        **dict.fromkeys(("memory_allocated", "max_memory_allocated"), 0),
        **dict.fromkeys(("memory_reserved", "max_memory_reserved"), 0),
        "is_available": False,
        "mem_get_info": (0, 0),
        "get_device_name": "CPU",
    }
    vars(device).update(vars(torch.cpu))
    vars(device).update({name: always(value) for name, value in functions.items()})
    return device


@PlatformRegistry.register(platform="cpu")
class CPUPlatform(PlatformBase):
    """A platform without an accelerator."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _make_device()
    is_available = is_platform_available = always(True)
    current_device = always(torch.device("cpu"))
    device_count = always(1)
    communication_backend_name = always("gloo")
    visible_devices_envvar = always("CPU_VISIBLE_DEVICES")
    ray_resource_name = always(RESOURCE)
    ray_noset_envvars = always([])
    is_ipc_supported = always(False)
    get_device_capability = always((None, None))
    set_device = synchronize = manual_seed = manual_seed_all = always(None)
    set_allocator_settings = empty_cache = always(None)
    profiler_start = profiler_stop = cudart = always(None)

    @contextlib.contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield


@ray.remote
class Server:
    """Samples token ids with a model, one request at a time; a message has at most 4."""

    def __init__(self, path: str) -> None:
        from transformers import AutoModelForCausalLM

        self._model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        self._version: int | None = None
        self._random = torch.Generator().manual_seed(0)

    def load(self, weights: dict[str, Any], version: int | None) -> None:
        self._model.load_state_dict(weights, strict=False)
        self._version = version

    def sleep(self) -> None: ...

    def wake_up(self) -> None: ...

    def generate(self, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any) -> Any:
        ids, logprobs = list(prompt_ids), []
        with torch.inference_mode():
            for _ in range(min(sampling_params["max_tokens"], 4)):
                scores = self._model(torch.tensor([ids])).logits[0, -1].log_softmax(dim=-1)
                token = int(torch.multinomial(scores.exp(), 1, generator=self._random))
                ids.append(token)
                logprobs.append(float(scores[token]))
                if token == self._model.config.eos_token_id:
                    break
        return TokenOutput(
            token_ids=ids[len(prompt_ids) :],
            log_probs=logprobs,
            stop_reason="completed",
            extra_fields={"global_steps": self._version},
        )


def _server_name(rank: int) -> str:
    return f"small_server_{rank}"


class SmallRollout(BaseRollout):
    """Sends the actor's weights to the server."""

    async def resume(self, tags: list[str]) -> None: ...

    async def release(self) -> None: ...

    async def update_weights(
        self, weights: Any, wire_format: str = "named_tensors", **named: Any
    ) -> None:
        server = ray.get_actor(_server_name(0))
        is_stale = bool(os.environ.get("VERL_CPU_STALE"))  # the server keeps its first weights
        state = {name: value.clone() for name, value in weights if not is_stale}
        await server.load.remote(state, named.get("global_steps"))


class SmallReplica(RolloutReplica):
    """One server."""

    async def launch_servers(self) -> None:
        name = _server_name(self.replica_rank)
        server = Server.options(name=name).remote(self.model_config.path)
        self.servers = [server]
        self._server_handle, self._server_address = server, name


def _init_process_group(backend: str, **named: Any) -> None:
    """Start gloo: verl names it twice, for the CPU and for the device."""
    _original_init(backend="gloo", **named)


set_platform(CPUPlatform())
_original_init = torch.distributed.init_process_group
torch.distributed.init_process_group = _init_process_group
_ROLLOUT_REGISTRY["small", "async"] = f"{__name__}.SmallRollout"
RolloutReplicaRegistry.register("small", lambda: SmallReplica)
