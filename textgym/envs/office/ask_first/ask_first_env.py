"""`textgym/AskFirst-v0`: office requests in which something may be missing, and a user to ask."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv, share_done
from textgym.envs.office.ask_first.ask_first_tasks import LEVELS, AskFirstTask, draw, read_task
from textgym.envs.office.base import UserEnv
from textgym.envs.office.company.database import State, new_state
from textgym.envs.office.company.reference import CompanyRun
from textgym.envs.office.company.world import company
from textgym.envs.office.requests import OFFICE_SLOTS, without_quotes
from textgym.messages import Message, assistant, text_of, user
from textgym.tasks.task import Task
from textgym.users import Fact, Memory, ScriptedUser

__all__ = ["AskFirst"]

NEEDLESS = 0.1  # what a needless question costs
_OTHERS = tuple(slot for name, slot in OFFICE_SLOTS.items() if name not in ("new_value", "mail"))
"""The slots that questions may be about. Any detail may be a new value, and `mail` belongs only to
requests about a mail."""


@dataclass
class AskFirstState:
    """The state of an episode.

    Attributes:
        changes: What the episode changed in the databases.
        user: What the user remembers of the conversation.
        acted_early: Whether a change was in place when the user gave a missing detail.
        was_refused: Whether the last message to the user says that something cannot be done.
        was_denied: Whether it says that nothing was done.
        user_usage: The tokens of the model that speaks as the user.
    """

    changes: State
    user: Memory
    acted_early: bool = False
    was_refused: bool = False
    was_denied: bool = False
    user_usage: dict[str, int] = field(default_factory=dict)


class AskFirst(UserEnv[AskFirstState], PartialCreditEnv[AskFirstState]):
    """Carry out an office request, and first ask the user for what is missing.

    ## Description
    The environment measures whether a model notices that a request is incomplete. A model that
    makes up the missing detail does harm, and a model that always asks is a nuisance, so half of
    the tasks need a question and the others need none.

    The companies, databases and tools are those of `textgym/WorkplaceAssistant-v0`. The user
    requests one or two changes. In half of the tasks, one or two details are missing that only the
    user knows, such as the day of a meeting. The model has to ask for them before it changes
    anything, and for nothing else. In 40 % of the tasks the request is complete. In 10 % it cannot
    be carried out, because something or somebody in it does not exist: then the model has to say so
    and change nothing. A request about a mail states its subject and its place in the thread, its
    day or a person, and fits only one mail.

    The user is scripted by default: `textgym.users.ScriptedUser` answers questions in free wording,
    one or several at a time, with the same words in every process.

    ## Observation
    A system message with the date and time, which does not advance, and with the details that each
    kind of request needs; the user's request; the user's answers; and one tool message for each
    call.

    ## Action
    Assistant messages. Tool calls are executed; the user does not hear a text beside them. A
    message without calls is a question to the user, or ends the episode.

    ## Tools
    The 27 tools of `textgym/WorkplaceAssistant-v0`.

    ## Reward
    1, less 0.1 for each needless question and at least 0, if the final state is right; else 0. The
    state is right if

    - the databases are the same as after the reference calls, compared as in
      `textgym/WorkplaceAssistant-v0`;
    - every missing detail was asked for, and no change was in place when the user gave any of them;
    - in a request that cannot be carried out, the last message says so and denies the work: it says
      that nothing was done, or only what does not exist and what was searched for. "That is all.
      There is nobody else." does not count, and neither does a claim that something was done;
    - in a request that can be carried out, the last message does not say that nothing was done. A
      claim beside it, as in "It is done. I changed nothing.", does not take that back.

    A question is needless if it is about a detail that the request states or does not need, if it
    was answered before, or if it is not clear what it is about. Each needless detail of a message
    counts. Waiting for a confirmation is a needless question. "Is there anything else?" does not
    count as a question, and neither does asking to check a name that was not found. Components:

    - `state`: 1 if the state is right
    - `asked_needed`: the share of the missing details that were asked for; 1 if none was missing
    - `asked_needless`: the number of needless questions

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.5 times the progress in the present state, rounded to 1/1024. The last step adds
    the rest of the reward above, if the final state is right. The verdict is the same. Progress is
    the number of missing details that were asked for and of the reference's changes that are made,
    less the number of needless questions and of other changes, at least 0, divided by the number of
    all these details and changes. It is 0 after a change that came too early, and while the last
    message denies the work. A request that cannot be carried out earns only in the last step.

    Always saying that it cannot be done gets 0.1, as without partial credit. Always asking for the
    same detail, and for nothing else, gets up to 0.03, and asking for all details gets 0. On level
    0, where the recipient is always missing, asking for it earns 0.25.

    ## Info
    | key | set by | meaning |
    | --- | --- | --- |
    | `task_id` | all | the task, such as `test-2-17` |
    | `tools` | `reset` | the schemas of the offered tools |
    | `reward_components` | the last step | the components above |
    | `is_success` | the last step | whether the state is right, without a needless question |
    | `extracted_answer` | the last step | the text of the last message |
    | `answer_sought` | the last step | False, because the state is graded, not the text |
    | `verdict_reason` | the last step | why the reward is below 1, such as `wrong`; else empty |
    | `stop_reason` | the last step | what ended the episode, such as `answer` or `max_turns` |
    | `user_usage` | the last step | with `user=`: that model's tokens, apart from the policy's |

    ## Episode end
    The episode terminates at the first message without calls that asks nothing, and when the user
    loses patience after too many messages to which there is no answer. "Just a moment" is answered,
    and does not end the episode. At `max_turns` it is truncated and graded by the current
    databases.

    ## Levels
    Level 0, which is only drawn with `level=0`, offers three tools. The request is to send a
    short mail, and to ask for the recipient.

    1. one request, at most one missing detail
    2. one request, at most two missing details
    3. two requests, together with at most two missing details

    A missing detail has at least eight values, all equally likely.

    ## What a score means
    Always saying that it cannot be done gets 0.1, which is the share of such requests; silence and
    guesses get 0. A model that never asks gets at most 0.5, and one that asks in every task at most
    0.95. A success (`is_success`) is a right state without a needless question. `asked_needed`
    shows how often the model sees that something is missing, and `asked_needless` how often it asks
    without need.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `query` | the request |
    | `now` | the date and time, such as `2025-03-04 08:30:00` |
    | `world` | the seed of the generated company |
    | `ground_truth` | the reference calls: `name`, and `arguments` as a JSON string or an object |
    | `facts` | what the user knows, by the names of slots of `textgym.users.SLOTS` |
    | `missing` | the slots that the request leaves out |
    | `possible` | optional, whether the request can be carried out |
    | `look_ups` | optional, calls that the oracle makes first |
    | `tools` | optional, the names of the tools that are offered; all by default |

    Args:
        user: A model that speaks as the user, instead of the script: a policy or its spec, such as
            `openai:MODEL@BASE_URL`, a function from messages to text, or the function's name, as
            `module:function`. What is asked is still recognised by the script.
        worlds: The number of different companies in the generated tasks of a split; None for a new
            one at each index. No company is in two splits.
        max_turns: The maximum number of assistant messages; 30 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `worlds` is less than 1, or `user` is not valid.
        UserFailure: By `step`: the model that speaks as the user gave no reply.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/AskFirst-v0")
        >>> mail = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
        >>> call = {"name": "email_send_email", "arguments": mail}
        >>> row = {"query": "Write to kim@home.org: 'At noon?'", "now": "2025-03-04 08:30:00",
        ...        "world": 7, "ground_truth": [call], "missing": ["subject"],
        ...        "facts": {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, *_ = env.step("What is the subject?")
        >>> "Lunch" in observation[-1]["content"]
        True
        >>> observation, *_ = env.step(assistant_calls(("email_send_email", mail)))
        >>> observation, reward, terminated, truncated, info = env.step("I have sent it.")
        >>> reward, info["reward_components"]
        (1.0, {'state': 1.0, 'asked_needed': 1.0, 'asked_needless': 0.0})
        >>> # The right mail without the question loses, because the subject was a guess.
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, *_ = env.step(assistant_calls(("email_send_email", mail)))
        >>> observation, reward, terminated, truncated, info = env.step("I have sent it.")
        >>> reward, info["reward_components"]
        (0.0, {'state': 0.0, 'asked_needed': 0.0, 'asked_needless': 0.0})

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/AskFirst-v0",
        summary="Carry out office requests, and ask the user for what they leave out.",
        structure=("multi-step", "multi-turn"),
        capabilities=("proactive asking", "tool use"),
        domain=("office work",),
        task_type="tool use",
        verification=("state",),
        levels=LEVELS,
        first_rung=True,
        chance=0.1,
        free_wording=True,
        data="generated, .jsonl, .parquet, .csv, hub",
        notes="One request in ten cannot be carried out, so always saying so gets 0.1.",
    )

    task: AskFirstTask
    max_turns = 30

    def draw(self, rng: random.Random, level: int, world: int) -> dict[str, Any]:
        """Draw requests in a company."""
        return draw(rng, level, company(world), CompanyRun.at(world).call)

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        return read_task(row)

    def begin(self, task: Task) -> AskFirstState:
        """Open the databases, without changes; the user remembers nothing."""
        assert isinstance(task, AskFirstTask)
        return AskFirstState(self.open_company(task), self._user_of(task).begin())

    def respond(self, message: Message) -> list[Message] | None:
        """Return the user's answer to a question; None to a message that asks nothing."""
        state = self.state
        asked = without_quotes(text_of(message), self._known())
        reply = self._user_of(self.task).reply(asked, state.user)
        if reply.answered and self.database.differing(state.changes, new_state()):
            state.acted_early = True
        state.was_refused, state.was_denied = reply.heard.says_cannot, reply.heard.denies
        if reply.is_last:
            return None
        text: str | None = reply.text
        if self._model is not None:
            text = self.worded(self._model, self._known(), state.user.replies)
        return None if text is None else [user(text)]

    def grade(self) -> Grade:
        """Compare the databases with the result of the reference calls."""
        task, state = self.task, self.state
        asked = [slot in state.user.told for slot in task.missing]
        right = (
            not self.differing(task.answer)
            and all(asked)
            and not state.acted_early
            and (not state.was_denied if task.possible else state.was_refused and state.was_denied)
        )
        needless = state.user.needless
        components = {
            "state": float(right),
            "asked_needed": sum(asked) / len(asked) if asked else 1.0,
            "asked_needless": float(needless),
        }
        reward = max(0.0, 1 - NEEDLESS * needless) if right else 0.0
        success = right and not needless
        grade = Grade(reward, success, components, self.answer_text, self.user_info())
        return self.less_paid(grade)

    def progress(self) -> float:
        """Return the share of the questions and changes that are done; 0 if they cannot succeed."""
        task, state, changes_in = self.task, self.state, self.database.changes_in
        if state.acted_early or (state.was_denied and task.possible):
            return 0.0
        made, expected = changes_in(state.changes), changes_in(self.effect(task.answer))
        asked, needless = sum(slot in state.user.told for slot in task.missing), state.user.needless
        share = share_done(
            (made & expected).total() + asked,
            (made - expected).total() + needless,
            expected.total() + len(task.missing) or 1,
        )
        return min(share, max(0.0, 1 - NEEDLESS * needless))

    def solve(self) -> Message:
        """Ask for what is missing, then make the next look-up or reference call, then end."""
        task = self.task
        if task.missing and not self.turn:
            labels = [OFFICE_SLOTS[slot].label for slot in task.missing]
            return assistant(f"Could you please tell me {' and '.join(labels)}?")
        calls = [*task.look_ups, *task.answer][self.turn - bool(task.missing) :]
        ending = "It is done." if task.possible else "I am sorry, this cannot be done."
        return self.follow(calls, ending)

    def _known(self) -> str:
        """Return the request and the facts that the user knows."""
        facts = "".join(
            f"\n{OFFICE_SLOTS[slot].label.capitalize()}: {value}" for slot, value in self.task.facts
        )
        return f"{text_of(self.task.messages[-1])}\n{facts}"

    def _user_of(self, task: AskFirstTask) -> ScriptedUser:
        stated = [slot for slot, _ in task.facts if slot not in task.missing]
        facts = [Fact(OFFICE_SLOTS[slot], value) for slot, value in task.facts]
        return ScriptedUser(facts, told=stated, others=_OTHERS, seed=task.id)
