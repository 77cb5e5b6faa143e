"""`textgym/Search-v0`: questions about an invented archive, answered with search and open."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeGuard

from pydantic import Field

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.generation import check_worlds, choice, draw_world
from textgym.envs.search.world import Archive, archive, draw_first_question, draw_question
from textgym.errors import RowError, StateError, ToolError, UsageError
from textgym.messages import Message, assistant, assistant_calls, system, text_of, user
from textgym.tasks.task import Task
from textgym.tools import tool
from textgym.verifiers.exact import equal_text, plain_marks
from textgym.verifiers.extract import last_answer

__all__ = ["Search"]

SIZES = {1: 200, 2: 800, 3: 2000, 4: 5000}  # documents, by level
PAGE_SIZE = 5
MAX_PAGE = 1000
SNIPPET = 120  # characters
UNKNOWN = "unknown"
_RANGE = f"from {SIZES[1]} to {SIZES[4]}"
WEIGHTS = {"answer": 0.5, "sources": 0.3, "few_steps": 0.2}
_ID = re.compile(r"(?<![^\W_])D-\d{4}(?![^\W_])", re.IGNORECASE)
_MARKS = r"(?:[^\w\n]|_)*"  # Markdown; within a line, so that reading takes linear time
_SOURCES = re.compile(rf"^{_MARKS}sources?{_MARKS}:(.*)$", re.IGNORECASE | re.MULTILINE)
_OPENING = """\
You answer questions about the archive of a small country. The archive has {size} documents, each \
with an id such as D-0412. The tool `search` finds documents that have words of a query, and \
`open` shows a whole document. Nothing that is asked is known from elsewhere. What held only until \
some year does not hold any more.

Open every document that you rely on. End with a message whose last two lines are

Answer: the name, word or number that is asked for
Sources: the ids of the documents that tell the steps to it, and no others, with commas

If no document tells what is asked for, the answer is `unknown`, and the last source is the \
document in which it should stand."""


@dataclass(frozen=True, slots=True)
class SearchTask(Task):
    """A task whose answer is a text, or None if no document states it.

    Attributes:
        sources: The ids of the documents that state the steps.
        world: The seed of the archive.
        size: The number of documents.
        wanted: The answer that a message must state.
    """

    sources: tuple[str, ...] = ()
    world: int = 0
    size: int = 0
    wanted: str = UNKNOWN


@dataclass
class SearchState:
    """The state of an episode.

    Attributes:
        opened: The ids of the documents that were opened.
        calls: The number of calls.
    """

    opened: list[str] = field(default_factory=list)
    calls: int = 0


class Search(PartialCreditEnv[SearchState]):
    r"""Find the answer to a question in an archive, and cite the documents that state it.

    It measures search over several steps: whether a model follows a chain of relations with tools,
    cites exactly the documents that support its answer, and says so where none does.

    ## Description
    An invented country has people, towns, workshops and ships, each with a document that states its
    relations to others. A question follows one to four relations: "Who is the teacher of the
    captain of the Nimelis Gull?". Documents also state what held earlier, and have remarks that
    mention other names. In 12 % of the tasks no document states what is asked for. Countries,
    documents and questions come from a generator, so nothing can be known beforehand.

    ## Observation
    A system message, the question, and one tool message for each call.

    ## Action
    Assistant messages. Tool calls are executed. The first message without calls ends the episode;
    its last lines are `Answer: …` and `Sources: …`.

    ## Tools
    - `search(query, page)`: the documents that have words of the query, ranked by BM25, five on a
      page, each with its id, its title and the beginning of its text
    - `open(id)`: a document

    ## Reward
    1 if the answer and the sources are right, else 0. The answer is the text behind the last
    `Answer:`; it must be the name, word or number, or `unknown` if no document states it. Case,
    Markdown, quotes and a full stop are ignored. The sources are the ids behind the last
    `Sources:`. They must be the ids of the documents of the chain, in any order, and all must have
    been opened. Components:

    - `answer`: the answer is right
    - `sources`: the sources are right
    - `few_steps`: the calls that the shortest way needs, divided by the calls made, at most 1;
      0 unless the answer and the sources are right

    With `shaped=True`, the reward is 0.5 for the answer, 0.3 for the sources and 0.2 times
    `few_steps`. Always answering `unknown` then gets 0.06. On level 1, opening and citing the first
    result for the name in the question and answering `unknown` gets 0.38, without reading anything.

    ## Partial credit
    With `partial_credit=True`, steps also earn rewards for progress, as component `progress`. Their
    sum is always 0.5 times the progress in the present state, rounded to 1/1024. The last step adds
    the rest of 1 for a success. The verdict is the same. The steps are to open each source that the
    question does not name, and to state the answer when all sources were opened. Progress is the
    share of these steps that are done, times the share of sources among the opened documents. So
    the document that the question names earns nothing, and documents opened in vain cost a part.

    The best policy that reads no relation opens the first result for the name in the question, then
    for a random name in that document, and answers `unknown`. It gets 0.06, and 0.02 without
    partial credit. Opening all documents gets 0.001.

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, `search` and `open` |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the answer and the sources are right |
    | `extracted_answer` | the text behind the last `Answer:` |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    The episode terminates at the first message without calls. At `max_turns` it is truncated.

    ## Levels
    | level | relations | documents |
    | --- | --- | --- |
    | 0 | 0 | 200 |
    | 1 | 1 | 200 |
    | 2 | 2 | 800 |
    | 3 | 3 | 2,000 |
    | 4 | 4 | 5,000 |

    Level 0, which is only drawn with `level=0`, asks for the name in the title of a document, and
    states the document's id.

    ## What a score means
    Silence and guesses earn 0, because what was not opened cannot be cited. A policy that searches
    for the name in the question, opens the first document, cites it and answers `unknown` gets
    0.12 on level 1 and nothing above it.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `question` | the question |
    | `answer` | the answer; null if no document states it |
    | `sources` | the ids of the documents that state the steps |
    | `world` | the seed of the generated archive |
    | `size` | the number of its documents, from 200 to 5,000 |

    Args:
        documents: The number of documents, from 200 to 5,000; None for the level's.
        shaped: Whether the answer, the sources and few steps earn shares of the reward; False by
            default.
        worlds: The number of different archives in the generated tasks of a split; None for a new
            one at each index. No archive is in two splits.
        max_turns: The maximum number of assistant messages; 20 by default.
        partial_credit: Whether steps earn rewards for progress; False by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `documents`, `shaped` or `worlds` is not valid, or `shaped` and `partial_credit`
            are both true.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> env = gymnasium.make("textgym/Search-v0", split="test", level=1)
        >>> observation, info = env.reset(options={"index": 0})
        >>> observation[-1]["content"]
        'I would like to know the founder of Saladton.'
        >>> observation, *_ = env.step(assistant_calls(("search", {"query": "Saladton"})))
        >>> observation[-1]["content"].split("\n")[1][:24]
        'D-8877: Saladton, a town'
        >>> ended = False
        >>> while not ended:
        ...     observation, reward, ended, truncated, info = env.step(env.unwrapped.solve())
        >>> print(observation[-1]["content"])
        Answer: Quilorda Melestad
        Sources: D-8877
        >>> reward, info["reward_components"]["sources"]
        (1.0, 1.0)
        >>> observation, info = env.reset(options={"index": 0})
        >>> unread = "Answer: Quilorda Melestad\nSources: D-8877"  # not opened
        >>> env.step(unread)[1]
        0.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Search-v0",
        summary="Find answers in a generated archive with search, and cite the documents.",
        structure=("multi-step",),
        capabilities=("information relevance", "information dependency", "tool use"),
        domain=("an invented country",),
        task_type="question answering",
        verification=("exact match", "citations"),
        levels=tuple(SIZES),
        first_rung=True,
        data="generated, .jsonl, .parquet, .csv, hub",
        unchecked_calls=("search",),
        accepts=("markdown", "quotes", "full stop", "any case"),
    )

    task: SearchTask

    def __init__(
        self,
        *,
        documents: int | None = None,
        shaped: bool = False,
        worlds: int | None = 4,
        **kwargs: Any,
    ) -> None:
        if documents is not None and not _is_size(documents):
            raise UsageError(f"documents must be an integer {_RANGE}, or None, not {documents!r}")
        if not isinstance(shaped, bool):
            raise UsageError(f"shaped must be true or false, not {shaped!r}")
        if shaped and kwargs.get("partial_credit"):
            raise UsageError("shaped and partial_credit exclude each other: pass one of them")
        check_worlds(worlds)
        self.documents, self.shaped, self.worlds = documents, shaped, worlds
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw an archive of the split, and a question about it."""
        seed = draw_world(rng, self.split, self.worlds)
        size = self.documents or SIZES[max(1, level)]
        made = archive(seed, size)
        question = draw_question(rng, made, level) if level else draw_first_question(rng, made)
        return {
            "question": question.text,
            "answer": question.answer,
            "sources": question.sources,
            "world": seed,
            "size": size,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the archive, because all its tasks belong to one split."""
        return {"world": row["world"]}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        question, answer, world = row.get("question"), row.get("answer"), row.get("world")
        if not isinstance(question, str) or not question.strip():
            raise RowError("question", "is missing or empty")
        if type(world) is not int:
            raise RowError("world", f"must be an integer, not {world!r:.100}")
        size = row.get("size")
        if not _is_size(size):
            raise RowError("size", f"must be an integer {_RANGE}, not {size!r:.100}")
        if answer is not None and not (isinstance(answer, str) and answer.strip()):
            raise RowError("answer", f"must be a text or null, not {answer!r:.100}")
        sources = _sources(row.get("sources"), archive(world, size))
        prompt = (system(_OPENING.format(size=f"{size:,}")), user(question))
        wanted = UNKNOWN if answer is None else answer
        return SearchTask(row["id"], prompt, answer, None, row, sources, world, size, wanted)

    def begin(self, task: Task) -> SearchState:
        """Begin with nothing opened."""
        assert isinstance(task, SearchTask)
        self.archive = archive(task.world, task.size)
        return SearchState()

    def check_state(self) -> None:
        """Check that the opened documents exist."""
        for id in self.state.opened:
            if id not in self.archive.documents:
                raise StateError(f"state: there is no document {id!r}")

    @tool
    def search(self, query: str, page: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 1) -> str:
        """Find the documents that have words of a query, the best matches first.

        Args:
            query: Some words, such as a name.
            page: The page of results, from 1. A page has 5 results.
        """
        self.state.calls += 1
        ranking = self.archive.index.search(query)
        if not ranking:
            raise ToolError("no document has a word of the query")
        pages = -(-len(ranking) // PAGE_SIZE)
        if page > pages:
            raise ToolError(f"there are only {pages} pages of results")
        shown = ranking[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        return "\n".join([f"page {page} of {pages}", *map(self._summary, shown)])

    @tool
    def open(self, id: str) -> str:
        """Show a document.

        Args:
            id: The id of the document, such as D-0412.
        """
        self.state.calls += 1
        document = self.archive.documents.get(plain_marks(id).strip().upper())
        if document is None:
            raise ToolError(f"there is no document {id[:100]!r}; an id is like D-0412")
        if document.id not in self.state.opened:
            self.state.opened.append(document.id)
        return f"{document.id}: {document.title}\n{document.text}"

    def _summary(self, id: str) -> str:
        document = self.archive.documents[id]
        return f"{id}: {document.title}: {document.text[:SNIPPET]}…"

    def grade(self) -> Grade:
        """Compare the answer and the sources with the task's."""
        task, state, text = self.task, self.state, plain_marks(self.answer_text)
        stated = last_answer(text) or ""
        cited = _SOURCES.findall(text)
        ids = set(map(str.upper, _ID.findall(cited[-1]))) if cited else set()
        answer = equal_text(task.wanted, stated)
        sources = ids == set(task.sources) and ids <= set(state.opened)
        right = answer and sources
        shortest = len(self._shortest())
        components = {
            "answer": float(answer),
            "sources": float(sources),
            "few_steps": min(1.0, shortest / max(1, state.calls)) if right else 0.0,
        }
        shaped = sum(weight * components[name] for name, weight in WEIGHTS.items())
        grade = Grade(shaped if self.shaped else float(right), right, components, stated)
        return self.less_paid(grade)

    def progress(self) -> float:
        """Return the share of the steps that are done, less what was opened in vain."""
        task, opened, names = self.task, set(self.state.opened), self.archive.names
        question = text_of(task.messages[-1]).lower()
        named = {
            id for id in task.sources if id.lower() in question or names[id].lower() in question
        }
        right = opened.intersection(task.sources)
        done = len(right - named)
        if len(right) == len(set(task.sources)):
            done += equal_text(task.wanted, last_answer(plain_marks(self.answer_text)) or "")
        steps = len(set(task.sources) - named) + 1
        return done / steps * len(right) / (len(opened) or 1)

    def solve(self) -> Message:
        """Search for the next thing unless its id is known, open its document, and then answer."""
        task, turn = self.task, self.turn
        calls = self._shortest()[turn:]
        if calls:
            fits = len(calls) < self.max_turns - turn
            return assistant_calls(*calls[:1] if fits else calls)
        return assistant(f"Answer: {task.wanted}\nSources: {', '.join(task.sources)}")

    def _shortest(self) -> list[tuple[str, dict[str, str]]]:
        """Return the fewest calls: searches for documents with unknown ids, and openings."""
        question, calls = text_of(self.task.messages[-1]), []
        for id in self.task.sources:
            if id not in question:
                calls.append(("search", {"query": self.archive.names[id]}))
            calls.append(("open", {"id": id}))
        return calls

    def guess(self, rng: random.Random) -> Message:
        """Name some thing of the archive, and cite some document."""
        name, id = choice(rng, list(self.archive.things)), choice(rng, list(self.archive.documents))
        return assistant(f"Answer: {name}\nSources: {id}")


def _is_size(size: object) -> TypeGuard[int]:
    return type(size) is int and SIZES[1] <= size <= SIZES[4]


def _sources(ids: Any, archive: Archive) -> tuple[str, ...]:
    if not isinstance(ids, (list, tuple)) or not ids:
        raise RowError("sources", f"must be a list of ids that is not empty, not {ids!r:.100}")
    for id in ids:
        if not isinstance(id, str) or id not in archive.documents:
            raise RowError("sources", f"has {id!r:.100}, which is not a document of the archive")
    return tuple(ids)
