"""CPU per episode beside the package `gem-llm`: one answer, and six tool calls one by one.

The same questions are in memory on both sides. GEM's environments validate no action, keep no
state that could be restored, and return texts. Its wrapper `ObservationWrapper` joins the history
to one text, as textgym returns the whole conversation; its data set is a list here, because reading
rows of `datasets` takes longer than all else. Needs the package `gem-llm` 0.1, which may be
installed without its dependencies.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, table, write_rows
from turns import SEVEN_TURNS

from textgym.messages import assistant

ANSWER = "Two of them are too large, so it is \\boxed{B}."
MCQA, MULTI_STEP = "textgym/MCQA-v0", "textgym/MultiStep-v0"
MAX_RATIO = 2.0
ROWS = 200
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


def cpu_per_episode(env: Any, actions: Iterable[Any], episodes: int) -> Callable[[], float]:
    """Return a case: the microseconds of CPU per episode of an environment."""
    actions = list(actions)

    def case() -> float:
        begun = time.process_time()
        for _ in range(episodes):
            env.reset()
            for action in actions:
                env.step(action)
        return (time.process_time() - begun) / episodes * 1e6

    env.reset(seed=0)
    return case


def gem_questions(questions: list[dict[str, str]]) -> Any:
    """Return GEM's environment of questions, whose answer is in a box."""
    qa_env = importlib.import_module("gem.envs.qa_env")
    parsing = importlib.import_module("gem.utils.parsing")
    env = qa_env.QaEnv.__new__(qa_env.QaEnv)
    env.dataset, env.seed, env.idx, env.epoch = _Rows(questions), 0, 0, 0
    env.question_key, env.answer_key = "question", "answer"
    env.extractor = parsing.extract_last_boxed_answer
    return env


class _Rows(list[dict[str, str]]):
    """Rows that are shuffled as a data set."""

    def shuffle(self, seed: int) -> _Rows:
        """Return the rows themselves: the order does not matter here."""
        return self


def gem_tools(questions: list[dict[str, str]], *, with_history: bool) -> Any:
    """Return GEM's environment with the two tools of MultiStep."""
    base = importlib.import_module("gem.tools.base_tool")
    tools = importlib.import_module("gem.tools.tool_env_wrapper")
    wrappers = importlib.import_module("gem.wrappers.observation_wrapper")

    def execute_action(self: Any, action: str) -> tuple[bool, bool, str, str]:
        found = _CALL.search(action)
        if not found:
            return False, True, "", ""
        call = json.loads(found[1])
        if call["name"] == "get_synonym_value":
            result: Any = {"synonym_value": sum(map(ord, call["arguments"]["synonym"]))}
        else:
            result = {"success": True}
        return True, False, json.dumps(result), action[: found.end()]

    methods = {"execute_action": execute_action, "instruction_string": lambda self: "Use tools."}
    tool = type("Tools", (base.BaseTool,), methods)()
    env = tools.ToolEnvWrapper(gem_questions(questions), [tool])
    if not with_history:
        return env
    return wrappers.ObservationWrapper(env, include_chat_template=False)


def as_text(message: Any) -> str:
    """Return an assistant message as the text that a model writes."""
    if not message.get("tool_calls"):
        return ANSWER
    (call,) = message["tool_calls"]
    function = call["function"]
    arguments = json.loads(function["arguments"])
    written = json.dumps({"name": function["name"], "arguments": arguments})
    return f"<tool_call>{written}</tool_call>"


def main() -> None:
    """Measure, and print both tables."""
    quick = asked_quick(__doc__)
    if importlib.util.find_spec("gem") is None:
        print("the package gem-llm is not installed: there is nothing to compare with")
        return
    rounds, episodes = (3, 200) if quick else (9, 2000)
    with tempfile.TemporaryDirectory() as folder:
        single, multi = (
            gymnasium.make(id, dataset=write_rows(folder, ROWS, id)) for id in (MCQA, MULTI_STEP)
        )
    source: Any = single.unwrapped
    tasks = [source.get_task(index) for index in range(ROWS)]
    questions = [
        {"question": str(task.messages[0]["content"]), "answer": str(task.answer)} for task in tasks
    ]
    texts = list(map(as_text, SEVEN_TURNS))
    gem, ours = "gem.envs.qa_env.QaEnv", MCQA
    figures = measure(
        {
            gem: cpu_per_episode(gem_questions(questions), [ANSWER], episodes),
            ours: cpu_per_episode(single, [assistant(ANSWER)], episodes),
        },
        rounds,
    )
    print(table("CPU microseconds, one answer", figures))
    print(aim(*_ratio(figures, ours, gem), MAX_RATIO, ""))
    gem, ours = "ToolEnvWrapper, with history", MULTI_STEP
    figures = measure(
        {
            "ToolEnvWrapper, the last text": cpu_per_episode(
                gem_tools(questions, with_history=False), texts, episodes // 10
            ),
            gem: cpu_per_episode(gem_tools(questions, with_history=True), texts, episodes // 10),
            ours: cpu_per_episode(multi, SEVEN_TURNS, episodes // 10),
        },
        rounds,
    )
    print(table("CPU microseconds, six tool calls", figures))
    print(aim(*_ratio(figures, ours, gem), MAX_RATIO, ""))


def _ratio(figures: Any, ours: str, theirs: str) -> tuple[str, float]:
    ratio = statistics.median(figures[ours]) / statistics.median(figures[theirs])
    return f"{ours} relative to {theirs}", ratio


if __name__ == "__main__":
    main()
