"""`textgym/Constraints-v0`: write a text that follows instructions about its form."""

from __future__ import annotations

import random
from typing import Any

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.constraints.constraints_rows import (
    GRADING_MODES,
    ConstraintsTask,
    GradingMode,
    check_libraries,
    fact_list_of,
    fields_of,
    grading_mode_of,
    instructions_of,
    prompt_of,
    witness_of,
)
from textgym.envs.constraints.facts import Facts
from textgym.envs.constraints.generator import LEVELS, draw_task
from textgym.envs.constraints.notes import Brief
from textgym.envs.generation import choice, randint
from textgym.errors import OracleError, UnknownNameError, did_you_mean
from textgym.messages import Message, assistant, text_of
from textgym.tasks.task import Task, split_of
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.instructions import MODES, Mode, follows

__all__ = ["Constraints"]

FORM_LEVELS = (0, 1)  # where a text that lacks facts earns a part, in the mode `fraction`
_GUESSES = (
    "Thank you for your message.", "Here is the text that you asked for.", "All are welcome.",
    "We hope to see you soon.", "Please let us know if you have questions.", "It will be great.",
)  # fmt: skip


class Constraints(TextEnv[None]):
    """Write a text that follows instructions about its form, and gives the right facts.

    It measures whether a model follows several formal instructions at once and still gets the
    content right. Facts and form are graded together, so a text that only fits the form earns
    nothing.

    ## Description
    The instructions are the 25 types of IFEval, such as `punctuation:no_comma`, the 58 of IFBench,
    such as `count:word_count_range`, and the 29 that open-instruct adds to IFEval's, such as
    `copy:copying_multiple`. Code checks them. Rows of IFEval and IFBench are read as they are, and
    so are NeMo Gym's `instruction_following` rows, which use IFEval's and open-instruct's types,
    and its `ifbench` rows.

    Generated tasks ask for a short text, such as an invitation, directions or a status update,
    with notes on several things. The text must be about one of them. It must mention this thing's
    facts, and none of the others: facts of the other things, details that were corrected, and
    remarks that are not for readers. Nor may it make up figures. The instructions are drawn around
    a text that follows all of them, so each task can be solved.

    ## Observation
    A user message: the request, the notes, which facts to give, and the instructions. Rows contain
    their own prompt.

    ## Action
    One assistant message. Its whole text is graded, without its reasoning. White space around the
    text counts only in rows without facts, such as IFEval's and IFBench's.

    ## Reward
    With `grading_mode="binary"`, 1 if the text follows all instructions and its facts are right,
    else 0. With `grading_mode="fraction"`, the share of the instructions that it follows if its
    facts are right, else 0 above level 1. The facts are right if the text mentions all required
    ones and none of the forbidden ones, and every figure in it is in a known fact. Rows without
    facts are graded only by the instructions. An empty text follows no instruction. Components:

    - `follow_all`: the text follows all instructions
    - `share`: the share of the instructions that it follows
    - `facts`: the share of the required facts that it mentions; 0 if it mentions a forbidden one,
      or has a figure that no known fact has

    `info["instructions"]` has the verdict on each instruction, such as
    `{"0 punctuation:no_comma": 1.0}`. The number is the index in the row.

    A fact counts as mentioned if it stands in the text as whole words, as the notes write it. Case,
    line breaks, markup within it, invisible characters, and the kind of letters (full-width, bold),
    blanks, quotes and dashes are ignored.

    A forbidden fact also counts in other spellings: without its blanks, within longer words, letter
    by letter, with hyphens or look-alikes in its words (`H4rbour`), with a number in words, and as
    `June 14th`, `2025-06-14`, `18:30`, `half past six`, `12.5 dollars`, `an hour and 12 minutes`,
    `KT 417` or `Silva, Dana`. What is part of a known fact, or may mean one, does not count.
    Translations, ciphers, reversed letters and paraphrases are not seen.

    Figures are prices, times, phone numbers, codes such as `KT-417`, dates such as `14 June`, and
    numbers of minutes, grams and percent.

    ## Partial credit
    With `grading_mode="fraction"`, a text earns a part without all facts if its row has the `level`
    0 or 1, as generated ones have: 0.25 to 0.5 times the share of the instructions, by the share of
    the required facts, or 0 if it has a forbidden fact or a figure of its own. Rows of another
    level, or without one, earn nothing. The best blind policy, half of the prompt, gets 0.02.

    ## Strict and loose
    With `mode="strict"`, a text must follow an instruction as it stands. With `mode="loose"`, it is
    enough if the text follows it without its first line, its last line or both, or without
    asterisks. Facts are looked up in the whole text.

    ## Differences from the references
    Where a verdict of the reference checkers contradicts the description of the instruction, the
    description counts. Windows line breaks are read as line feeds. The verdicts on these texts
    differ:

    | instruction | text | here | reason |
    | --- | --- | --- | --- |
    | any | an empty text | no | it follows nothing |
    | `combination:two_responses` | seven asterisks | no | the separator has six |
    | `detectable_content:number_placeholders` | `[]`, `[1]` | no | they hold no name |
    | `detectable_content:postscript` | `NABS` | no | the periods of `P.S.` are periods |
    | `detectable_format:json_format` | an open code fence | no | JSON has no fence |
    | `detectable_format:number_bullet_lists` | `*One*`, `-- Ann` | none | emphasis, a signature |
    | `language:response_language` | `...` | no | it is in no language |
    | `length_constraints:nth_paragraph_first_word` | `River:`, `*River*` | yes | no marks count |
    | `length_constraints:nth_paragraph_first_word` | a blank part | no paragraph | it is blank |
    | `length_constraints:number_sentences` | `**` after a sentence | none | it is emphasis |
    | `length_constraints:number_sentences` | `।` | ends one | it is the full stop of Hindi |
    | `length_constraints:number_words` | `___` | no word | it has no letters |
    | `length_constraints:number_words` | `हिन्दी` | one word | vowel signs do not split it |
    | `keywords`, all types | `don’t` for `don't` | the same word | it is one apostrophe |
    | `keywords:forbidden_words` | `_hate_` | no | emphasis is outside of a word |
    | `keywords`, all types | invisible characters | none | nobody reads them |
    | words of IFBench's types | `“sea”`, `**sea**`, `—` | `sea`, `sea`, none | marks do not count |
    | `count:conjunctions` | `And`, `and`, `and,` | one | they are one conjunction |
    | `count:keywords_multiple` | `party` for `par` | no | a keyword is a whole word |
    | `custom`, all types | blank lines before | yes | they are outside of the answer |
    | `custom:date_format_list` | `1801-02-29`, `1800-00-00` | no | there are no such days |
    | `custom:european_capitals_sort` | `**Oslo**`, a full stop | yes | marks do not count |
    | `custom:mcq_count_length` | `**Question 1.**` | yes | the same |
    | `format:list` | six dots for `...` | one mark | two marks need a break between them |
    | `format:no_bullets_bullets` | `**One**` | no point | it is emphasis |
    | `format:no_bullets_bullets` | blank lines | yes | they separate nothing |
    | `format:no_bullets_bullets` | `Yes? No!` | no sentence | it is one that ends in `.` |
    | `format:options` | `corn` | yes | `or` within a word separates nothing |
    | `format:output_template` | its parts in another order | no | the form is exact |
    | `format:quotes`, `format:quote_unquote` | `“a ‘b’ c”` | quoted | so are typographic marks |
    | `format:quotes` | `it's` | no quotation mark | it is an apostrophe |
    | `format:sub-bullets` | no bullet points | no | there must be some |
    | `format:sub-bullets` | `**Run**`, `- ` within a line | no point | a point begins a line |
    | `format:title_case` | `**the**` | no | marks do not count |
    | `format:thesis` | `<em></em>` | no | it has no thesis |
    | `ratio:sentence_balance` | no sentence with a mark | no | nothing is balanced |
    | `ratio:sentence_balance` | `Go."`, `Go.)`, `*Go.*` | end in `.` | what closes ends nothing |
    | `ratio:sentence_type` | the same | the same | the same |
    | `repeat:repeat_change` | the request and a blank | no | its first word is the same |
    | `repeat:repeat_span` | the words of the span | yes | public prompts say word indices |
    | `words:consonants` | a dash | no word | it has no letters |
    | `words:last_first` | `cats! cats,` | yes | marks are outside of a word |
    | `words:start_verb` | `Build`, `Conceive`, `Go` | yes | the reference takes them for names |
    | `words:start_verb` | `**Go**` | yes | marks do not count |
    | `copy:copying_multiple` | a request with `******` | can be copied | it separates nothing |
    | `copy:repeat_phrase` | one phrase unchanged | no | each must have one new word |
    | `copy:repeat_phrase` | `goldfish` for `gold` | no | the last word is a whole word |
    | `count:count_increment_word` | `party` for `par` | no | a keyword is a whole word |
    | `keywords:word_once` | `party` for `par` | no | the same |
    | `count:count_unique` | `The sea, the land` | no | case makes no other word |
    | `count:count_unique` | two commas | yes | marks are not words |
    | `count:counting_composition` | `* * *` | divides | it is the divider that is asked for |
    | `count:counting_composition` | a full stop | no word | marks are not words |
    | `count:lowercase_counting`, `letters:letter_counting` | `é` | counts | it is a letter |
    | `detectable_format:bigram_wrapping` | `<<We>> <<sail>>` | no | a pair holds two words |
    | `detectable_format:bigram_wrapping` | `<<We sail>>.` | yes | marks may stand outside |
    | `detectable_format:sentence_hyphens` | `well-known` | yes | words may have hyphens |
    | `detectable_format:square_brackets` | `[Yes],` | yes | marks may stand outside |
    | `detectable_format:square_brackets` | `[]`, `[a]b[c]` | no | each word is in brackets |
    | `first_word`, both types | `“Sea,` | yes | marks are outside of a word |
    | `keywords:exclude_word_harder` | `Sea`, `sea.` | no | they are the word `sea` |
    | `keywords:keyword_specific_position` | `Go. To, the Sea` | third word | marks are not words |
    | `keywords:no_adjacent_consecutive` | `“a” b` | no | marks are not letters |
    | `keywords:no_adjacent_consecutive` | `1 2` | yes | digits are not letters |
    | `keywords:palindrome` | `a`, `-`, `22` | no | a palindrome has three letters or digits |
    | `keywords:palindrome` | `Level.`, a sentence | yes | case, marks and blanks do not count |
    | `keywords:start_end` | `! Sea !` | no | marks are not words |
    | `keywords:word_count_different_numbers` | more or fewer | no | it states an exact number |
    | `last_word`, both types | `well-known` | can be last | a hyphen is part of the word |
    | `new:copy_span_idx` | without the last index | no | the span includes it |
    | `paragraphs:paragraphs` | `****` | divides nothing | the divider has three |

    Other doubtful verdicts are the same here:

    | instruction | text | here | reason |
    | --- | --- | --- | --- |
    | `change_case:english_capital` | `YES` | no | one word does not tell the language |
    | `detectable_format:number_highlighted_sections` | `2*3*4` | yes | Markdown reads emphasis |
    | `copy` and `repeat`, all types | a copy in quotation marks | no | nothing else is allowed |
    | `startend:end_checker` | the phrase in bold | no | nothing follows the phrase |
    | `startend:quotation` | `“Yes.”` | no | the reference asks for straight marks |
    | `keywords:letter_frequency` | `#` as the letter | counted | the newest reference does so |
    | `language:response_language` | an English line before | yes | the main language counts |
    | `length_constraints:number_words` | `don't` | two words | bounds of rows rely on it |
    | `ratio:overlap` | groups of three | of characters | rows rely on it |

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the text follows all instructions and its facts are right |
    | `extracted_answer` | always `""`, because the whole text is graded |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |
    | `answer_sought` | always False, for the same reason |
    | `instructions` | the verdict on each instruction, by its index and id |

    ## Episode end
    After the first message.

    ## Levels
    | level | instructions | things in the notes | the request identifies the thing by |
    | --- | --- | --- | --- |
    | 0 | 1 | no notes: one sentence with a given last word | only with `level=0` |
    | 1 | 1 | 3 | its name, so that the facts are easy to find |
    | 2 | 2 | 3 | its name |
    | 3 | 3 | 4 | one of its details, or as the one with the lowest value |
    | 4 | 4 | 4 | the same; half of the notes have corrections at their end |
    | 5 | 5 | 5 | the same, among more things |
    | 6 | 6 | 5 | the same; one text has to keep six instructions together |

    Generated tasks use types of IFEval and IFBench that can be checked without the extra
    `constraints`. Rows that use other types may need it.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `prompt` | the prompt |
    | `instruction_id_list` | the ids of the instructions |
    | `kwargs` | the arguments of each, an object or null; nulls in it are left out |
    | `grading_mode` | optional, `binary` (the default) or `fraction` |
    | `required`, `known`, `forbidden` | optional, lists of facts |
    | `witness` | optional, a right answer, which the oracle gives |
    | `responses_create_params.input` | NeMo Gym's prompt, in place of `prompt` |
    | `verifier_metadata` | NeMo Gym's object with the fields above, in place of them |

    The indices of `repeat:repeat_span` count words, unless the prompt says `character indices`.

    ## What a score means
    Silence, filler, copies of the prompt or of any part of it, lists of all facts, and answers to
    other tasks get 0 on generated tasks. A text of a fixed form with the right facts and a bit of
    everything that instructions ask for passes at most about one task in ten. Giving the first or
    the last value that the right entry has for each detail is right in about one task in four; from
    level 4 on, half of the tasks have the corrections last, and the last values are right in six
    tasks of ten. A score of 1 means that the model always found the right facts, left out all
    others, and followed every instruction. A single broken instruction or a single missing or wrong
    fact costs the whole task in the binary mode. In the fraction mode, wrong facts still cost all
    of it, and missing ones above level 1. At level 0, the word itself is a right answer.

    Args:
        mode: `strict` or `loose`.
        grading_mode: `binary` or `fraction`. None uses the row's mode, which is `binary` for
            generated tasks.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.

    Raises:
        UnknownNameError: A mode does not exist.
        RowError: A row has an unknown instruction, or arguments that are missing or not valid.
        ExtraMissingError: A row has an instruction that needs the extra `constraints`.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/Constraints-v0")
        >>> row = {"prompt": "Name three fruits without commas, in less than six words.",
        ...        "instruction_id_list": ["punctuation:no_comma",
        ...                                "length_constraints:number_words"],
        ...        "kwargs": [{}, {"relation": "less than", "num_words": 6}]}
        >>> observation, info = env.reset(options={"task": row})
        >>> observation, reward, terminated, truncated, info = env.step("Apple, pear and plum")
        >>> reward, info["instructions"]
        (0.0, {'0 punctuation:no_comma': 0.0, '1 length_constraints:number_words': 1.0})
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("Apple and pear and plum")[1]
        1.0

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/Constraints-v0",
        summary="Write a text that follows instructions about its form.",
        structure=("single-step",),
        capabilities=("meta-data instruction following", "information relevance"),
        domain=("general",),
        task_type="writing",
        verification=("code",),
        levels=LEVELS,
        first_rung=True,
        first_rung_chance=0.0,
        chance=0.0,
        data="generated, .jsonl, .parquet, .csv, hub; IFEval, IFBench, and NeMo Gym's "
        "instruction_following and ifbench rows",
        several_answers=True,
        notes="Generated tasks need no extra. Rows with instructions about sentences, languages, "
        "syllables, emojis or parts of speech need the extra constraints.",
    )

    task: ConstraintsTask

    def __init__(
        self, *, mode: Mode = MODES[0], grading_mode: GradingMode | None = None, **kwargs: Any
    ) -> None:
        for name, value, known in (
            ("mode", mode, MODES),
            ("grading_mode", grading_mode or GRADING_MODES[0], GRADING_MODES),
        ):
            if value not in known:
                hint = did_you_mean(str(value), known)
                raise UnknownNameError(f"there is no {name} {value!r}{hint}")
        self.mode = mode
        self.grading_mode = grading_mode
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a job with its facts, a text that does it, and instructions that this follows."""
        drawn = draw_task(rng, level, self._is_of_split)
        return {
            "prompt": drawn.prompt,
            "instruction_id_list": [id for id, _ in drawn.instructions],
            "kwargs": [arguments for _, arguments in drawn.instructions],
            "required": drawn.required,
            "known": drawn.known,
            "forbidden": drawn.forbidden,
            "witness": drawn.witness,
            "category": drawn.kind,
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return the required facts, or at level 0, where there are none, the arguments."""
        return sorted(row["required"]) or row["kwargs"]

    def _is_of_split(self, brief: Brief) -> bool:
        """Return whether tasks about a brief belong to the split; most draws end here."""
        return split_of(self.canonical({"required": brief.facts})) == self.split

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row of textgym, IFEval, IFBench or NeMo Gym."""
        fields = fields_of(row)
        prompt, tools = prompt_of(fields)
        asked = instructions_of(fields, "\n".join(map(text_of, prompt)))
        mode = self.grading_mode or grading_mode_of(fields)
        check_libraries(asked)
        answer = witness_of(fields)
        facts = Facts(*(fact_list_of(fields, name) for name in ("required", "known", "forbidden")))
        pays_form = mode == "fraction" and row.get("level") in FORM_LEVELS
        return ConstraintsTask(
            row["id"], tuple(prompt), answer, tools, row, tuple(asked), facts, mode, pays_form
        )

    def grade(self) -> Grade:
        """Check the instructions and the facts."""
        task, text = self.task, self._text()
        verdicts = follows(text, task.instructions, self.mode)
        share, all_followed = sum(verdicts) / len(verdicts), all(verdicts)
        right = (facts := task.facts.share_in(text)) == 1.0
        earned = share if task.grading_mode == "fraction" else float(all_followed)
        if not right:
            earned *= (1 + task.facts.share_in(text, if_wrong=-1.0)) / 4 if task.pays_form else 0
        names = (f"{place} {id}" for place, (id, _) in enumerate(task.instructions))
        components = {"follow_all": all_followed, "share": share, "facts": facts}
        info = {"instructions": dict(zip(names, map(float, verdicts), strict=True))}
        return Grade(earned, all_followed and right, components, info=info)

    def _text(self) -> str:
        """Return the text to grade: as it was written, if the row has no facts."""
        last = next(self.replies, None)
        written = text_of(last) if last else ""
        is_plain = not self.task.facts.required and after_reasoning(written) == written
        return written if is_plain else self.answer_text

    def solve(self) -> Message:
        """Send the right answer of the row."""
        if self.task.answer is None:
            raise OracleError(f"no right answer is known for {self.task.id}")
        return assistant(self.task.answer)

    def guess(self, rng: random.Random) -> Message:
        """Send a few polite sentences."""
        return assistant(" ".join(choice(rng, _GUESSES) for _ in range(randint(rng, 3, 20))))
