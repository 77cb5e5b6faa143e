"""`textgym/StructuredOutput-v0`: a record in prose, as a document that follows a schema."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.structured_output.answers import invent, write_document
from textgym.envs.structured_output.generator import draw_task
from textgym.envs.structured_output.leaves import leaf_share, share_read
from textgym.envs.structured_output.structured_output_rows import (
    StructuredTask,
    format_problem,
    read_structured_row,
)
from textgym.errors import OracleError, ToolError
from textgym.messages import Message, assistant, assistant_calls, text_of
from textgym.tasks.task import Task
from textgym.verifiers.documents import DocumentError, read_document, read_json
from textgym.verifiers.documents.document import MAX_LENGTH, check_depth
from textgym.verifiers.exact import equal_json
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.json_schema import fits

__all__ = ["StructuredOutput"]

MAX_SHOWN = 1_000  # characters of the answer in info


class StructuredOutput(PartialCreditEnv[None]):
    """Read a record in prose, and give it as a document that follows a schema.

    ## Description
    A text describes a record, such as a booking or an invoice, and things that do not belong in the
    record, such as the price of last year. A JSON Schema defines the fields and their units. The
    model writes the record as JSON, YAML, TOML, CSV or XML, or as the arguments of a tool. Few
    values can be copied: the text says "forty-five per cent" where the schema wants 0.45. NeMo
    Gym's `structured_outputs` rows are supported.

    ## Observation
    A user message: the text, what is wanted, the schema, and a rule for the format. If the answer
    is a tool call, the schema is in the tool and not in the message. NeMo Gym rows contain their
    own prompt.

    ## Action
    One assistant message. Its text is graded, and its reasoning is ignored. If the answer is a tool
    call, the call is graded, and the text is ignored.

    ## Tools
    A task with the format `tool` offers one tool, with a name and arguments of its own. A call of
    the tool ends the episode. Other tasks offer no tools.

    ## Reward
    1 if the document is the record, else 0. Every key and every value must be right. A document
    that fits the schema but has other values earns 0. Components: `parsed` (the text is one
    document), `valid` (it also fits the schema) and `leaf_share` (the share of correct values,
    which superfluous values lower). `info["problem"]` says what is wrong.

    - The text must be one document. One code fence around it, of backticks or tildes, is accepted.
      Any other text, a second document and duplicate keys are not. JSON is read strictly: a line
      break or a tab within a string is an error, although many models write them.
    - Strings are compared by character: a typographic hyphen in a code is wrong, because the
      document is for programs.
    - A string is not a number. JSON has one type of number, so 5.0 is 5. NaN and infinity are not
      accepted. The order of keys does not matter, the order of items does.
    - YAML is read as version 1.2: `No` is a string, and so is a date. Anchors, aliases, tags and
      merge keys are not accepted.
    - Dates of TOML are read as strings in ISO 8601.
    - CSV has a header line. A flat object is one line below it, and an array has a line for each
      item. Cells are converted to the types of the schema. An empty cell is null if the schema
      allows null.
    - XML has the root element that the prompt names. Properties are elements, and items of arrays
      are elements `<item>`. Texts are stripped and converted to the types of the schema.
      Attributes, document types and entities are not accepted.
    - A document has at most 100,000 characters and 100 levels.

    ## Partial credit
    With `partial_credit=True`, a document that is not the record earns up to 0.5, as component
    `progress`: 0.5 times the right values minus the wrong and superfluous ones, at least 0, divided
    by the number of the record's values. A value is right if the record has it at the same path,
    so the items of an array must be in their places. Right values that can be guessed are not
    counted: null, true, false, zero, what is empty, and all that stands in the schema, such as the
    values of an enum. A text that is not one document earns nothing, and neither does an answer to
    a row without a `record`. `is_success` does not change.

    The best policy that does not read the text copies a name from it into the first string of the
    schema, and gets 0.004. Filling the schema with its own values, or with random words and numbers
    of the text, gets 0.

    ## What a score means
    A score is the share of records without any mistake. Silence, a copy of the prompt and invented
    records earn 0. So does the best policy that does not read the text. 1.0 means that all records
    were right and every document followed its schema. One wrong value of twenty loses the task, so
    compare `leaf_share` to see how much was read. A low `valid` or `parsed` shows that the format
    is the difficulty, not the reading.

    ## Episode end
    The episode terminates at the first message without tool calls, or at a call of the offered
    tool. A call of any other tool returns an error, and the model has one more turn.

    ## Levels
    - 0: JSON with one string, which the only sentence of the text contains; only drawn with
      `level=0`

    1. a flat object
    2. an object within it, and at times a list of strings
    3. also enums that the text paraphrases, patterns, bounds and values that may be null
    4. also dates, alternatives (`oneOf`), references (`$ref`) and arrays of objects
    5. two records of the same kind with almost the same name; only one is wanted

    From level 2 on, CSV is a table of flat objects.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `text` | the prose |
    | `schema` | the JSON Schema, draft 2020-12 |
    | `record` | the correct answer, which fits the schema |
    | `format` | `json`, `yaml`, `toml`, `csv`, `xml` or `tool` |
    | `wanted` | what is wanted; by default "the record" |
    | `name` | the name of the tool or of the root element of XML; by default `record` |
    | `category` | in generated rows, the kind of record |

    Rows of NeMo Gym have no `record`. As in the original, only the validity of an answer is graded,
    so an invented document wins. Components: `parsed` and `valid`.

    | field | meaning |
    | --- | --- |
    | `responses_create_params` | the prompt (`input`) and `tools`; by default made of the schema |
    | `schema_str` | the JSON Schema as a string; a broken one accepts no answer |
    | `schema_type` | `json` (the default), `yaml`, `toml`, `csv` or `xml` |
    | `response_mode` | `tool_call` if a call is graded; by default the text is |
    | `tool_name` | the tool that must be called; by default any |
    | `tool_payload_key` | the argument that holds the answer; by default all arguments are it |

    The original's rules are kept, even if they are debatable. Every property in `properties` is
    required, and no others are allowed, except within the branches of `oneOf`. `format` and
    arguments beside the payload are not checked. A code fence is not accepted. YAML is read as
    version 1.1, in which `No` is false. The last of duplicate keys counts. One verdict differs: the
    original accepts any single line as CSV, but here a header without lines below it must name the
    properties.

    Args:
        xml_coerce_types: Whether the texts of XML in answers to rows of NeMo Gym are converted to
            the types of the schema.
        partial_credit: Whether right values earn rewards if others are wrong or missing; False by
            default.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/StructuredOutput-v0")
        >>> schema = {"type": "object", "properties": {"nights": {"type": "integer"}}}
        >>> row = {"text": "Ann stays for twelve nights.", "schema": schema, "format": "yaml",
        ...        "record": {"nights": 12}}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("nights: 2")
        >>> reward, info["reward_components"], info["problem"]
        (0.0, {'parsed': 1.0, 'valid': 1.0, 'leaf_share': 0.0}, 'it has other values')
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("nights: 12")[1:4]
        (1.0, True, False)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/StructuredOutput-v0",
        summary="Records in prose, as JSON, YAML, TOML, CSV, XML or a tool call by a schema.",
        structure=("single-step",),
        capabilities=("schema adherence", "information relevance"),
        domain=("general",),
        task_type="information extraction",
        verification=("JSON Schema", "exact match"),
        levels=(1, 2, 3, 4, 5),
        first_rung=True,
        chance=0.0,
        data="generated, .jsonl, .parquet, .csv, hub; NeMo Gym structured_outputs rows",
        notes="Rows of NeMo Gym have no record: any valid document wins, also an invented one.",
    )

    task: StructuredTask

    max_turns = 2

    def __init__(self, *, xml_coerce_types: bool = True, **kwargs: Any) -> None:
        self.xml_coerce_types = xml_coerce_types
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a record, its prose, its schema and the format of the answer."""
        return draw_task(rng, level)

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the record."""
        return row["record"]

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read one of textgym's flat rows, or one of NeMo Gym's."""
        return read_structured_row(row)

    def call_offered_tool(self, name: str, arguments: Any) -> str:
        """End the episode."""
        if self.task.format != "tool":
            raise ToolError("the answer must be a text, not a call")
        self.finish()
        return "received"

    def grade(self) -> Grade:
        """Read the answer, and compare it with the schema and the record."""
        task = self.task
        try:
            value = self._answer()
        except DocumentError as error:
            components = {"parsed": 0.0, "valid": 0.0}
            if task.has_record:
                components["leaf_share"] = 0.0
            return Grade(0.0, False, components, "", {"problem": str(error)})
        equal = task.has_record and equal_json(task.answer, value)
        valid = equal or fits(value, task.schema)
        right = equal if task.has_record else valid
        components = {"parsed": 1.0, "valid": float(valid)}
        if task.has_record:
            components["leaf_share"] = leaf_share(task.answer, value)
        wrong = "it has other values" if valid else "it does not fit the schema"
        info = {"problem": "" if right else wrong}
        return self.less_paid(Grade(float(right), right, components, _shown(value), info))

    def progress(self) -> float:
        """Return the share of the record's values that the document has; 0 without a record."""
        if not self.task.has_record:
            return 0.0
        try:
            value = self._answer()
        except DocumentError:
            return 0.0
        return share_read(self.task.answer, value, self.task.schema)

    def _answer(self) -> Any:
        """Return the value of the answer.

        Raises:
            DocumentError: There is none, or more than one.
        """
        task = self.task
        if task.format == "tool":
            return _payload(self._call_arguments(), task.payload_key)
        if task.has_record:
            return read_document(self.answer_text, task.format, task.schema, task.name)
        texts = [after_reasoning(text_of(reply)) for reply in self.replies]
        schema = task.schema if task.format != "xml" or self.xml_coerce_types else True
        return read_document("".join(reversed(texts)), task.format, schema, lenient=True)

    def _call_arguments(self) -> Any:
        """Return the arguments of the call. Calls of unknown tools count only in NeMo Gym.

        Raises:
            DocumentError: There is no call or more than one, it is of another tool, or its
                arguments are not JSON.
        """
        task = self.task
        calls = [
            call["function"]
            for reply in self.replies
            for call in reply.get("tool_calls") or ()
            if not task.has_record or call["function"]["name"] == task.name
        ]
        if len(calls) != 1:
            raise DocumentError(f"there must be one call of the tool, not {len(calls)}")
        if task.name not in ("", calls[0]["name"]):
            raise DocumentError(f"the call is of {calls[0]['name'][:100]!r}")
        arguments = calls[0].get("arguments")
        if isinstance(arguments, Mapping):
            return check_depth(dict(arguments))
        text = arguments or ""
        if len(text) > MAX_LENGTH:
            raise DocumentError(f"there are more than {MAX_LENGTH} characters")
        return read_json(text, lenient=not task.has_record)

    def solve(self) -> Message:
        """Return the record or, for a row of NeMo Gym, an invented value that fits the schema."""
        if self.task.has_record:
            return self._message(self.task.answer)
        value = invent(random.Random(0), self.task.schema)
        if not fits(value, self.task.schema) or format_problem(value, self.task.format):
            raise OracleError(f"{self.task.id} has no record, and no answer could be invented")
        return self._message(value)

    def guess(self, rng: random.Random) -> Message:
        """Return an invented value that fits the schema."""
        value = invent(rng, self.task.schema)
        return self._message({} if format_problem(value, self.task.format) else value)

    def _message(self, value: Any) -> Message:
        task, name = self.task, self.task.name
        if task.format == "tool":
            tools = task.tools or ()
            arguments = {task.payload_key: value} if task.payload_key else value
            return assistant_calls((name or tools[0]["function"]["name"], arguments))
        if task.format == "xml" and not name:  # in NeMo Gym, the root is the only property
            name, value = next(iter(value.items()), ("root", None))
        return assistant(write_document(value, task.format, name))


def _payload(arguments: Any, key: str) -> Any:
    if not key:
        return arguments
    if not isinstance(arguments, Mapping) or key not in arguments:
        raise DocumentError(f"the argument {key!r} is missing")
    return arguments[key]


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, default=str)[:MAX_SHOWN]
    except (TypeError, ValueError, RecursionError):
        return ""
