"""Judges: how they are named, asked and read, and how those that misbehave are handled."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.concurrency import event_loops as background
from textgym.errors import (
    ContextFullError,
    JudgeFailure,
    PolicyFailure,
    UnknownNameError,
    UsageError,
)
from textgym.verifiers.judge import compare_both_ways, make_judge
from textgym.verifiers.judge.judges import ModelJudge, RuleJudge
from textgym.verifiers.judge.prompt import JudgePrompt, marked

YES, NO = "[[A=B]]", "[[A!=B]]"
ASKED = ("What is 2 + 2?", "4", "four")


def say_yes(messages: list[Any]) -> str:
    return YES


async def say_yes_later(messages: list[Any]) -> str:
    await asyncio.sleep(0)
    return YES


class Says(textgym.Policy):
    """A policy that always says the same."""

    name = "says"

    def __init__(self, content: Any, error: Exception | None = None) -> None:
        self.content = content
        self.error = error
        self.seeds: list[int | None] = []

    async def act(self, messages, tools, *, prior=None, seed=None):  # type: ignore[no-untyped-def]
        self.seeds.append(seed)
        if self.error:
            raise self.error
        return textgym.Action({"role": "assistant", "content": self.content})


class Object:
    async def __call__(self, messages: list[Any]) -> str:
        return YES


A_POLICY = Says(YES)


# Names.


def test_rule_compares_texts_and_numbers() -> None:
    judge = make_judge()
    assert isinstance(judge, RuleJudge)
    assert judge.compare("?", "1,000", "1000.0").equal
    assert not judge.compare("?", "1000", "100").equal


@pytest.mark.parametrize("spec", ["rule", f"{__name__}:say_yes", f"{__name__}:A_POLICY"])
def test_equal_specs_are_one_object(spec: str) -> None:
    assert make_judge(spec) is make_judge(spec)
    assert make_judge(spec).name == spec


def test_equal_callables_are_one_object_while_it_is_used() -> None:
    judge = make_judge(say_yes)
    assert make_judge(say_yes) is judge
    assert make_judge(say_yes, judge_timeout=5) is not judge


def test_policy_specs_make_policies() -> None:
    pytest.importorskip("aiohttp")
    judge = make_judge("openai:m@http://127.0.0.1:9/v1", judge_timeout=1)
    assert (judge.name, judge.blocking) == ("openai:m@http://127.0.0.1:9/v1", True)


@pytest.mark.parametrize(
    ("judge", "error", "match"),
    [
        ("ruel", UnknownNameError, "did you mean 'rule'"),
        ("", UnknownNameError, "no judge ''"),
        ("oracle", UnknownNameError, "no judge 'oracle'"),
        ("no_such_module:judge", UnknownNameError, "there is no module"),
        (f"{__name__}:nothing", UnknownNameError, "has no 'nothing'"),
        (f"{__name__}:YES", UsageError, "neither a policy nor a callable"),
        (f"{__name__}:Says", UsageError, "neither a policy nor a callable"),
        (".x:y", UsageError, "cannot import module '.x'"),
        (5, UsageError, "not a int"),
        (None, UsageError, "not a NoneType"),
    ],
)
def test_unknown_or_wrong_judge_is_refused(judge: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match) as caught:
        make_judge(judge)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("judge", "sampling", "match"),
    [
        ("rule", {"temperature": 1.0}, "judge_sampling needs a judge"),
        (say_yes, {"temperature": 1.0}, "judge_sampling needs a judge"),
        ("openai:m@http://127.0.0.1:9/v1", 5, "settings by name"),
        ("openai:m@http://127.0.0.1:9/v1", {"heat": 1}, "no sampling setting 'heat'"),
    ],
)
def test_wrong_sampling_is_refused(judge: Any, sampling: Any, match: str) -> None:
    pytest.importorskip("aiohttp")
    with pytest.raises(UsageError, match=match):
        make_judge(judge, judge_sampling=sampling)


# Asking.


@pytest.mark.parametrize(
    "judge",
    [
        say_yes,
        say_yes_later,
        Object(),
        lambda messages: say_yes_later(messages),
        Says(YES),
        Says([{"type": "text", "text": "[[A"}, {"type": "text", "text": "=B]]"}]),
        Says(f"<think>{NO}</think>{YES}"),
        f"{__name__}:say_yes_later",
        f"{__name__}:A_POLICY",
    ],
    ids=["function", "coroutine function", "object", "returns an awaitable", "policy", "parts",
         "reasoning", "spec", "spec of a policy"],
)  # fmt: skip
def test_any_policy_or_callable_can_judge(judge: Any) -> None:
    assert make_judge(judge).compare(*ASKED).equal


def test_judge_works_inside_a_running_event_loop() -> None:
    async def main() -> bool:
        return make_judge(say_yes_later).compare(*ASKED).equal

    assert asyncio.run(main())


def test_judge_is_asked_on_the_background_loop() -> None:
    seen = []

    async def judge(messages: list[Any]) -> str:
        seen.append(threading.current_thread().name)
        return YES

    make_judge(judge).compare(*ASKED)
    assert seen == ["textgym-background"]


def test_background_loop_does_not_wait_for_itself() -> None:
    async def judge(messages: list[Any]) -> str:
        make_judge(say_yes).compare("another question", "a", "b")
        return YES

    with pytest.raises(JudgeFailure, match="cannot wait for the background loop"):
        make_judge(judge).compare(*ASKED)


def test_verdict_is_kept_by_content() -> None:
    asked = []
    judge = make_judge(lambda messages: asked.append(messages) or YES)
    first = judge.compare(*ASKED)
    assert judge.compare(*ASKED) is first
    assert len(asked) == 1
    for other in (("2?", "4", "four"), ("What is 2 + 2?", "5", "four"), (*ASKED[:2], "five")):
        judge.compare(*other)
    judge.compare(*ASKED, draw=1)
    judge.compare(*ASKED, swap=True)
    assert len(asked) == 6


def test_failure_is_not_kept() -> None:
    replies = ["", "", NO]
    judge = make_judge(lambda messages: replies.pop(0))
    with pytest.raises(JudgeFailure):
        judge.compare(*ASKED)
    assert not judge.compare(*ASKED).equal


def test_concurrent_equal_comparisons_are_asked_once() -> None:
    asked, go = [], threading.Event()

    def slow(messages: list[Any]) -> str:
        asked.append(1)
        go.wait(300)
        return YES

    judge = make_judge(slow)
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(judge.compare, *ASKED) for _ in range(8)]
        while not asked:
            time.sleep(0.001)
        go.set()
        assert all(item.result().equal for item in waiting)
    assert len(asked) == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_concurrency_stays_within_the_limit(limit: int) -> None:
    under_way, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(limit, timeout=20)

    def count(messages: list[Any]) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait()
        with lock:
            under_way -= 1
        return NO

    judge = make_judge(count, judge_endpoint_max_concurrency=limit)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: judge.compare("?", "a", str(n)), range(12)))
    assert most == limit


def test_second_attempt_has_another_seed() -> None:
    policy = Says("I cannot tell.")
    with pytest.raises(JudgeFailure):
        make_judge(policy).compare(*ASKED)
    assert len(set(policy.seeds)) == 2
    with pytest.raises(JudgeFailure):
        make_judge(policy).compare(*ASKED)
    assert policy.seeds[:2] == policy.seeds[2:], "the same comparison has the same seeds"


def test_judge_that_mutates_its_messages_changes_nothing() -> None:
    seen = []

    def spoil(messages: list[Any]) -> str:
        seen.append(messages[0]["content"])
        messages[0]["content"] = ""
        messages.clear()
        return "" if len(seen) == 1 else YES

    assert make_judge(spoil).compare(*ASKED).equal
    assert seen[1].startswith(seen[0])


def test_yes_is_asked_again_in_the_other_order() -> None:
    shown = []
    judge = make_judge(
        lambda messages: shown.append(messages[0]["content"].splitlines()[1::3]) or YES,
        judge_prompt_template="{expected_answer}\n{generated_answer}",
    )
    assert [verdict.equal for verdict in compare_both_ways(judge, *ASKED)] == [True, True]
    assert shown == [["4", "four"], ["four", "4"]]
    no = make_judge(lambda messages: NO)
    assert [verdict.equal for verdict in compare_both_ways(no, *ASKED)] == [False]


def _asks(queue: Any) -> None:
    queue.put(make_judge(f"{__name__}:say_yes_later").compare(*ASKED, draw=os.getpid()).equal)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_judge_works_in_a_forked_process_and_after_it() -> None:
    judge = make_judge(f"{__name__}:say_yes_later")
    assert judge.compare(*ASKED).equal
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()
    child = context.Process(target=_asks, args=(queue,))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert queue.get() is True
    assert judge.compare(*ASKED, draw=2).equal


# Failures.


def raising(error: BaseException) -> Callable[[list[Any]], str]:
    def judge(messages: list[Any]) -> str:
        raise error

    return judge


def raising_later(error: BaseException) -> Callable[[list[Any]], Any]:
    async def judge(messages: list[Any]) -> str:
        raise error

    return judge


@pytest.mark.parametrize("make", [raising, raising_later])
@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("refused\nat length"),
        TimeoutError("its own"),
        asyncio.CancelledError(),
        SystemExit(3),
        KeyboardInterrupt(),
        RecursionError(),
        MemoryError(),
        PolicyFailure("the server is down"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_judge_that_raises_is_a_failure(make: Any, error: BaseException) -> None:
    judge = make_judge(make(error))
    with pytest.raises(JudgeFailure, match=type(error).__name__) as caught:
        judge.compare(*ASKED)
    assert "\n" not in str(caught.value)
    assert caught.value.boundary == "judge"
    assert make_judge(say_yes).compare(*ASKED).equal, "the others are judged as before"


def test_stop_iteration_is_a_failure() -> None:
    with pytest.raises(JudgeFailure, match="StopIteration"):
        make_judge(lambda messages: next(iter([]))).compare(*ASKED)


async def _sleeps(messages: list[Any]) -> str:
    await asyncio.sleep(60)
    return YES


@pytest.mark.parametrize(
    "judge", [_sleeps, lambda messages: time.sleep(1) or YES], ids=["coroutine", "function"]
)
def test_slow_judge_is_a_failure(judge: Any) -> None:
    with pytest.raises(JudgeFailure, match=r"no reply within 0\.05 s"):
        make_judge(judge, judge_timeout=0.05).compare(*ASKED)


@pytest.mark.parametrize("reply", [None, 1, b"[[A=B]]", [YES], {"content": YES}])
def test_reply_that_is_not_text_is_a_failure(reply: Any) -> None:
    with pytest.raises(JudgeFailure, match="instead of text"):
        make_judge(lambda messages: reply).compare(*ASKED)


def test_policy_failure_becomes_a_judge_failure() -> None:
    with pytest.raises(JudgeFailure, match="PolicyFailure: down"):
        make_judge(Says("", PolicyFailure("down"))).compare(*ASKED)


def test_usage_error_of_a_policy_is_a_failure() -> None:
    with pytest.raises(JudgeFailure, match="UsageError: wrong key"):
        make_judge(Says("", UsageError("wrong key"))).compare(*ASKED)


class Narrow(textgym.Policy):
    """A judge whose context holds a number of bytes."""

    name = "narrow"

    def __init__(self, room: int) -> None:
        self.room = room

    async def act(self, messages, tools, *, prior=None, seed=None):  # type: ignore[no-untyped-def]
        if len(str(messages[-1]["content"]).encode()) > self.room:
            raise ContextFullError("full")
        return textgym.Action({"role": "assistant", "content": NO})


@pytest.mark.parametrize(
    "question", ["?", "a question of more characters than the answer " * 10], ids=["short", "long"]
)
@pytest.mark.parametrize("swap", [False, True])
def test_answer_that_does_not_fit_is_not_equal(question: str, swap: bool) -> None:
    verdict = make_judge(Narrow(2500)).compare(question, "4", "\U0001f600" * 400, swap=swap)
    assert (verdict.equal, verdict.too_long) == (False, True)


@pytest.mark.parametrize("generated", ["", " \n\t", "<think>It is 4.</think>", "four</think>\n"])
def test_an_empty_answer_is_not_equal_and_no_model_is_asked(generated: str) -> None:
    policy = Says(YES)
    assert not make_judge(policy).compare("What is 2 + 2?", "4", generated).equal
    assert policy.seeds == []


def test_task_that_does_not_fit_is_a_failure() -> None:
    judge = make_judge(Narrow(2500))
    with pytest.raises(JudgeFailure, match="cannot hold the task"):
        judge.compare("a question that fills the context " * 100, "4", "5")


def test_server_that_is_down_is_a_failure() -> None:
    pytest.importorskip("aiohttp")
    from textgym.policies.openai.policy import OpenAIPolicy

    policy = OpenAIPolicy("m", "http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(JudgeFailure, match="connection refused"):
        make_judge(policy).compare(*ASKED)


def test_interrupted_wait_cancels_the_work() -> None:
    ended = threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    class Broken(Exception):
        pass

    class Future:
        def result(self) -> None:
            raise Broken

        def cancel(self) -> None:
            real.cancel()

    submit = asyncio.run_coroutine_threadsafe

    def tampered(coroutine: Any, loop: Any) -> Any:
        nonlocal real
        real = submit(coroutine, loop)
        submit(asyncio.sleep(0), loop).result()  # by now the work has begun
        return Future()

    real: Any = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "run_coroutine_threadsafe", tampered)
        with pytest.raises(Broken):
            background.run(work())
    assert ended.wait(300)


# Prompts.


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_contains_its_own_marks(text: str) -> None:
    said = JudgePrompt("{expected_answer}{generated_answer}").messages("?", "4", text)[0]["content"]
    assert isinstance(said, str)
    first = said.partition("\n")[0]
    assert re.fullmatch(r"<text [0-9a-f]{8}>", first)
    code = first[6:-1]
    assert said == marked("4", code) + marked(text, code)
    assert code not in text


@given(st.text(alphabet=st.characters(exclude_categories=())), st.text(), st.text())
def test_any_text_can_be_shown(question: str, expected: str, generated: str) -> None:
    for template in (None, "{{{question}}} {expected_answer}{generated_answer}"):
        said = JudgePrompt(template).messages(question, expected, generated)[-1]["content"]
        assert isinstance(said, str)
        for text in (question, expected, generated):
            assert re.search(rf"<text (\w+)>\n{re.escape(text)}\n</text \1>", said)


def test_placeholders_and_braces_in_texts_are_not_expanded() -> None:
    prompt = JudgePrompt("{{{question}}}{expected_answer}{generated_answer}")
    said = prompt.messages("{expected_answer}", "{0}", "{{x}} }{")[0]["content"]
    assert isinstance(said, str)
    code = said[7:15]
    texts = marked("{expected_answer}", code), marked("{0}", code), marked("{{x}} }{", code)
    assert said == "{{{}}}{}{}".format(*texts)


def test_system_message_and_labels_are_shown() -> None:
    prompt = JudgePrompt(
        system_message="Be strict.", equal_label="{same}", not_equal_label="{other}"
    )
    system, user = prompt.messages(*ASKED)
    assert system == {"role": "system", "content": "Be strict."}
    assert "{same}" in user["content"]
    assert "{other}" in user["content"]


def test_labels_have_the_code_of_the_marks() -> None:
    said = JudgePrompt(equal_label="Yes", not_equal_label="No").messages(*ASKED)[0]["content"]
    code = re.findall(r"<text (\w+)>", said)[0]
    assert said.count(code) == 8
    assert f"Yes {code} if they mean the same, or No {code} if they do not" in said


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(("What is 2 + 3?", "4", "four"), id="question"),
        pytest.param(("What is 2 + 2?", "5", "four"), id="expected"),
        pytest.param(("What is 2 + 2?", "4", "five"), id="generated"),
        pytest.param(("What is 2 + 2?", "four", "4"), id="order"),
    ],
)
def test_code_depends_on_every_text_and_their_order(texts: tuple[str, str, str]) -> None:
    codes = [
        re.findall(r"<text (\w+)>", JudgePrompt().messages(*shown)[0]["content"])[0]
        for shown in (ASKED, texts)
    ]
    assert len(set(codes)) == 2


def test_custom_template_places_the_labels_with_their_code() -> None:
    both = "{expected_answer}{generated_answer}"
    plain = JudgePrompt(f"{both} [[A=B]] or [[A!=B]]?").messages(*ASKED)[0]["content"]
    assert plain.endswith(" [[A=B]] or [[A!=B]]?")
    coded = JudgePrompt(f"{both} {{equal_label}} or {{not_equal_label}}?").messages(*ASKED)
    assert re.search(r" (\[\[A=B]]) (\w{8}) or \[\[A!=B]] \2\?$", str(coded[0]["content"]))


@pytest.mark.parametrize(
    ("template", "labels"),
    [
        pytest.param(None, r"Yes \w{8} or No \w{8}", id="textgym's"),
        pytest.param("{expected_answer}{generated_answer}", "Yes or No", id="without the labels"),
        pytest.param("{expected_answer}{generated_answer}{equal_label}{not_equal_label}",
                     r"Yes \w{8} or No \w{8}", id="with the labels"),
    ],
)  # fmt: skip
def test_second_attempt_asks_for_the_label_alone(template: str | None, labels: str) -> None:
    prompt = JudgePrompt(template, equal_label="Yes", not_equal_label="No")
    first, again = (prompt.messages(*ASKED, again=again)[0]["content"] for again in (False, True))
    assert again.startswith(first)
    rest = again.removeprefix(first)
    assert re.fullmatch(
        f"\n\nReply with one of these two labels and with nothing else: {labels}", rest
    )


def test_kept_verdicts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textgym.verifiers.judge.judges._MAX_KEPT", 3)
    judge = make_judge(lambda messages: NO)
    assert isinstance(judge, ModelJudge)
    for number in range(10):
        judge.compare("?", "4", str(number))
    assert len(judge._verdicts) == 3


def test_rule_judge_reads_the_form_that_the_question_names() -> None:
    question = "What is the capital of France? End with a line that says Answer: and its name."
    judge = RuleJudge()
    assert judge.compare(question, "Paris", "\\boxed{Rome}\nAnswer: Paris").equal
    assert judge.compare(question, "Paris", "Answer: Paris\n\\boxed{Rome}").equal
    assert not judge.compare(question, "Paris", "\\boxed{Paris}\nAnswer: Rome").equal
    assert not judge.compare(question, "Paris", "<answer>Paris</answer>\nAnswer: Rome").equal
    boxed = r"What is the capital of France? Use \boxed{}."
    assert judge.compare(boxed, "Paris", "\\boxed{Paris}\nAnswer: Rome").equal
    assert not judge.compare(boxed, "Paris", "\\boxed{Rome}\nAnswer: Paris").equal
