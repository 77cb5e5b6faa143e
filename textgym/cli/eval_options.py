"""The options of `textgym eval`, as types of its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "BackendOption", "BackendSettingsOption", "ConcurrencyOption", "ConfigOption", "DryRunOption",
    "EnvConcurrencyOption", "EnvsArgument", "EpisodesOption", "EvalWorkersOption",
    "GroupRewardOption", "MaxFailedOption", "MaxTokensOption", "MinPOption", "OutOption",
    "PatienceOption", "PolicyOption", "PolicySettingsOption", "RepeatsOption", "ResumeOption",
    "SaveConfigOption", "SeedOption", "ShardOption", "StartOption", "StopOption",
    "TemperatureOption", "TestSplitOption", "TopKOption", "TopPOption", "WrapOption",
]  # fmt: skip

EnvsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID[=WEIGHT]",
        help="Environments: ids, MODULE:ID or MODULE:CLASS. All have a weight, or none has.",
    ),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="oracle, random, hf (the small default model), hf:MODEL, vllm:MODEL, "
        "openai:MODEL@BASE_URL or MODULE:CLASS; hf by default.",
    ),
]
PolicySettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy-set",
        metavar="NAME=VALUE",
        help="Option of the policy, such as retries=3; may be repeated.",
    ),
]
EpisodesOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of tasks: per environment, or in total if there are weights; all by default.",
    ),
]
RepeatsOption = Annotated[int, typer.Option(metavar="N", help="Episodes per task.")]
StartOption = Annotated[int, typer.Option(metavar="INDEX", help="Index of the first task.")]
ConcurrencyOption = Annotated[
    int, typer.Option(metavar="N", help="Maximum number of concurrent episodes.")
]
EnvConcurrencyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ID=NUMBER",
        help="Maximum number of concurrent episodes of one environment; may be repeated.",
    ),
]
SeedOption = Annotated[
    int, typer.Option(metavar="SEED", help="Seed of the environments and of sampling.")
]
TestSplitOption = Annotated[
    str | None,
    typer.Option(metavar="SPLIT", help="train, validation or test; test by default."),
]
WrapOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WRAPPER",
        help="Wrapper around all environments, such as StepPenalty:amount=0.01; may be "
        "repeated, and the first is innermost.",
    ),
]
GroupRewardOption = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Rewards for the episodes of a task together: tournament:JUDGE, hf-rm:MODEL, "
        "vllm-rm:MODEL@URL or MODULE:FUNCTION; needs --repeats.",
    ),
]
MaxTokensOption = Annotated[
    int, typer.Option(metavar="N", help="Maximum number of tokens per message.")
]
TemperatureOption = Annotated[
    float, typer.Option(metavar="NUMBER", help="Sampling temperature; 0 is greedy decoding.")
]
TopPOption = Annotated[
    float, typer.Option(metavar="NUMBER", help="Nucleus sampling; 1 turns it off.")
]
TopKOption = Annotated[int, typer.Option(metavar="N", help="Top-k sampling; 0 turns it off.")]
MinPOption = Annotated[
    float, typer.Option(metavar="NUMBER", help="Min-p sampling; 0 turns it off.")
]
StopOption = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="Text that ends a message; may be repeated."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Folder for the run; a new one in runs/ by default."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Resume the run in --out.")]
ShardOption = Annotated[
    str | None,
    typer.Option(
        metavar="K/N",
        help="Play the K-th of N equal parts of the run, into --out; textgym merge joins them.",
    ),
]
EvalWorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Play with N processes; more may join them from anywhere with textgym worker.",
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="Time without a sign of life after which a worker is taken for dead.",
    ),
]
BackendOption = Annotated[
    str | None,
    typer.Option(
        metavar="ray[:ADDRESS]",
        help="Play with actors of the Ray cluster at ADDRESS, or of one on this machine.",
    ),
]
BackendSettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--backend-set",
        metavar="NAME=VALUE",
        help="Argument of RayBackend, such as actors=4 or num_gpus=1; may be repeated.",
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Play nothing; print the first prompt as the model gets it."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="TOML file with a run; options on the command line override it."
    ),
]
SaveConfigOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the run as a TOML file.")
]
MaxFailedOption = Annotated[
    float,
    typer.Option(
        metavar="SHARE", help="Exit with 1 if more than this share of the episodes failed."
    ),
]
