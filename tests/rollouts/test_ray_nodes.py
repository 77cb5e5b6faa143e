"""A node of a Ray cluster that dies in the middle of a run: nothing is lost, nothing doubled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from policies_on_ray import halting
from run_contents import in_order

import textgym

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Ray's own files
]
MCQA = "textgym/MCQA-v0"


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Start a cluster of two nodes with room for an actor each; this process joins it."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    args = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=args)
    cluster.add_node(num_cpus=1)
    ray.init(cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_actor_of_a_dead_node_is_given_up(
    cluster: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its episodes are played by the other actor; Ray finds no room to restart it."""
    run = {"envs": MCQA, "episodes": 200, "repeats": 2, "concurrency": 8}
    run |= halting(tmp_path, limit=60)
    (node,) = cluster.worker_nodes

    def remove_node() -> None:
        while len(list(tmp_path.glob("*.halted"))) < 2:
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)
        while "an actor is given up" not in caplog.text:
            time.sleep(0.02)
        (tmp_path / "go").touch()

    remover = threading.Thread(target=remove_node, daemon=True)
    remover.start()
    with textgym.RayBackend(actors=2, patience=1) as backend:
        textgym.rollout(**run, out=tmp_path / "ray", backend=backend)
    remover.join()
    textgym.rollout(**run, out=tmp_path / "one")
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")
