"""The environments, each in a file or folder of its own, and their registration.

A data set with a name is an environment of its own, such as `gsm8k/Math-v0`, which plays its rows.
`gsm8k_published/Math-v0` plays them with a published prompt.
"""

from textgym.registry import register, register_dataset, register_installed

register("textgym/AskFirst-v0", "textgym.envs.office.ask_first:AskFirst")
register("textgym/Calendar-v0", "textgym.envs.calendar:Calendar")
register("textgym/Constraints-v0", "textgym.envs.constraints:Constraints")
register("textgym/Contingency-v0", "textgym.envs.office.contingency:Contingency")
register("textgym/EquivalenceJudge-v0", "textgym.envs.equivalence_judge:EquivalenceJudge")
register("textgym/FunctionCall-v0", "textgym.envs.function_call:FunctionCall")
register("textgym/GuessNumber-v0", "textgym.envs.guess_number:GuessNumber")
register("textgym/Haystack-v0", "textgym.envs.haystack:Haystack")
register("textgym/MCQA-v0", "textgym.envs.mcqa:MCQA")
register("textgym/Math-v0", "textgym.envs.math:Math")
register("textgym/MultiIntent-v0", "textgym.envs.office.multi_intent:MultiIntent")
register("textgym/MultiStep-v0", "textgym.envs.multi_step:MultiStep")
register("textgym/Pictures-v0", "textgym.envs.pictures:Pictures")
register("textgym/Program-v0", "textgym.envs.program:Program")
register("textgym/RedefinedRules-v0", "textgym.envs.redefined_rules:RedefinedRules")
register("textgym/RewardModel-v0", "textgym.envs.reward_model:RewardModel")
register("textgym/Search-v0", "textgym.envs.search:Search")
register("textgym/SessionState-v0", "textgym.envs.session_state:SessionState")
register("textgym/SingleToolCall-v0", "textgym.envs.single_tool_call:SingleToolCall")
register("textgym/StructuredOutput-v0", "textgym.envs.structured_output:StructuredOutput")
register("textgym/WorkplaceAssistant-v0", "textgym.envs.office.workplace:WorkplaceAssistant")
_PUBLISHED = (
    "aime_24 aime_25 amc_23 arc gpqa gsm8k math math_500 minerva_math mmlu mmlu_pro olympiad_bench"
)
register_dataset("ifbench", "textgym/Constraints-v0", mode="loose")
for _env, _names in {
    "textgym/Constraints-v0": "ifeval",
    "textgym/EquivalenceJudge-v0": "bbh hotpotqa",
    "textgym/MCQA-v0": "agieval arc gpqa mmlu mmlu_pro nemotron_mcqa",
    "textgym/Math-v0": "aime_24 aime_25 amc_23 dapo_17k gsm8k gsm_plus math math_500 minerva_math "
    "olympiad_bench open_math_reasoning",
    "textgym/WorkplaceAssistant-v0": "workbench workplace_assistant",
}.items():
    for _name in _names.split():
        register_dataset(_name, _env)
        if _name in _PUBLISHED.split():
            register_dataset(f"{_name}_published", _env)
register_installed()  # the environments of other packages
