"""NeMo Gym: its resources servers as environments, and textgym's environments as such a server.

- `server_env`: the environment, and the class of each server.
- `client`: a session with a server.
- `responses`: conversations in the format of the Responses API.
- `server`: `textgym serve --as nemo-gym ID`.
- `rows`: tasks as NeMo Gym's rows.

`getattr` of this module with the name of a server gives its class.
"""

from typing import Any

__all__ = ["SERVERS"]

SERVERS = (
    "aalcr", "abstention", "arc_agi", "arena_judge", "asr_with_pc", "bbq", "bigcodebench",
    "bird_sql", "bunsenbench_chemistry_mcq", "calendar", "circle_click", "circle_count",
    "citation_if", "code_fim", "code_gen", "competitive_coding_challenges", "equivalence_llm_judge",
    "equivalence_rule", "ether0", "evalplus", "example_multi_step", "example_session_state_mgmt",
    "example_single_tool_call", "example_tool_call_multireward", "format_verification",
    "frontierscience_judge", "genrm_compare", "google_search", "gpqa_diamond", "graphwalks",
    "gui_coordinate", "hotpotqa_qa", "ifbench", "iheval", "imo_gradingbench",
    "imo_proofbench_judge", "indirect_prompt_injection", "instruction_following", "inverse_if",
    "jailbreak_detection", "lc_niah", "litmus_agent", "longmemeval", "longmt_eval",
    "math_advanced_calculations", "math_formal_lean", "math_proof_judgement",
    "math_with_autograder", "math_with_code", "math_with_judge", "mcqa", "mrcr", "multichallenge",
    "newton_bench", "ns_tools", "nvarc", "omniscience", "over_refusal_detection", "physics_judge",
    "polymath", "proof_genselect", "proof_judge", "proof_verification", "ragtruth",
    "reasoning_gym", "rolemrc", "ruler", "ruler2", "simpleqa", "spartqa", "spider2_lite",
    "string_match", "structeval", "structured_outputs", "swerl_gen", "swerl_llm_judge",
    "tavily_search", "terminus_judge", "text_to_sql", "ugphysics_judge", "verifif",
    "vlm_eval_kit", "wmt_translation", "workplace_assistant", "xlam_fc", "xstest",
)  # fmt: skip
"""The resources servers of NeMo Gym that its `simple_agent` uses. Others fit any of these names."""


def __getattr__(name: str) -> Any:
    if name not in SERVERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from textgym.integrations.nemo_gym.server_env import class_of

    return class_of(name)
