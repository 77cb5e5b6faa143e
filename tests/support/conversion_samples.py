"""Records of each data set with a name, of the schema of its source, and how they are converted."""

from __future__ import annotations

from typing import Any

from textgym.names import import_object
from textgym.tasks.named import named_dataset

Record = dict[str, Any]

ASKED = {
    "responses_create_params": {"input": [{"role": "user", "content": "A metal? A: O, B: Zn"}]}
}
CALL = {"name": "calendar_delete_event", "arguments": '{"event_id": "00000005"}'}
PARAGRAPHS = {
    "title": ["Oslo", "Rome"],
    "sentences": [["It is cold.", " It snows."], ["It is hot."]],
}

SAMPLES: dict[str, list[Record]] = {
    "agieval": [
        {"passage": "Zinc.", "question": "A metal?", "options": ["(A)O", "(B) Zn"], "label": "B"},
        {"passage": None, "question": "A gas?", "options": ["(x + 1)", "neon"], "label": ["B"]},
        {"query": "Q: A gas? Answer Choices: (A)Zn (B)neon\nA: Among A through B, the answer is",
         "choices": ["(A)Zn", "(B)neon"], "gold": [1]},
    ],
    "aime_24": [
        {"id": 60, "problem": "Add 20 and 5.", "answer": "025", "year": "2024"},
        {"id": 61, "question": "Add 1 and 1.", "answer": "2",
         "url": "https://example.org/2024_AIME_I_Problems/Problem_2"},
    ],
    "aime_25": [
        {"problem_idx": 1, "problem": "Add 35 and 35.", "answer": 70},
        {"id": "7", "problem": "Add 0 and 0.", "answer": "000"},
    ],
    "amc_23": [
        {"id": 0, "problem": "Add 13 and 14.", "answer": 27.0},
        {"id": None, "question": "Take 2 from 1.", "answer": "-1.0"},
        {"question": "Halve 1.", "answer": "\\frac{1}{2}"},
    ],
    "arc": [
        {"id": "Mercury_1", "question": "A metal?", "answerKey": "B",
         "choices": {"text": ["O", "Zn", "N"], "label": ["A", "B", "C"]}},
        {"id": "NYSEDREGENTS_2", "question": "A gas?", "answerKey": "4",
         "choices": {"text": ["Zn", "Fe", "Cu", "N"], "label": ["1", "2", "3", "4"]}},
    ],
    "bbh": [
        {"input": "not ( True ) is", "target": "False"},
        {"input": "A metal?\nOptions:\n(A) neon\n(B) zinc", "target": "(B)"},
        {"input": "Sort the words: List: syndrome therefrom", "target": "syndrome therefrom"},
    ],
    "dapo_17k": [
        {"data_source": "math_dapo", "ability": "MATH", "extra_info": {"index": "9a-1"},
         "prompt": [{"role": "user", "content": 'Add 30 and 4. End with "Answer: $Answer".'}],
         "reward_model": {"ground_truth": "34", "style": "rule-lighteval/MATH_v2"}},
        {"prompt": "Add 3 and 4.", "reward_model": {"ground_truth": "7"}},
    ],
    "gpqa": [
        {"Question": f" Which metal is number {place}?\n", "Correct Answer": "zinc\n",
         "Incorrect Answer 1": "neon", "Incorrect Answer 2": "argon", "Incorrect Answer 3": "xenon",
         "High-level domain": "Chemistry", "Record ID": f"rec{place}",
         "Writer's Difficulty Estimate": "Hard graduate level (could be hard)" if place else None}
        for place in range(3)
    ],
    "gsm8k": [
        {"question": "Two plus two?", "answer": "2 + 2 = <<2+2=4>>4\n#### 4"},
        {"question": "A million?", "answer": "So.\n#### -1,000,000"},
    ],
    "gsm_plus": [
        {"question": "Two plus two?", "solution": "4", "answer": "4",
         "perturbation_type": "digit expansion"},
        {"question": "A quarter?", "solution": "1/4", "answer": "1/4",
         "perturbation_type": "integer-decimal-fraction conversion"},
    ],
    "hotpotqa": [
        {"id": "5a8b", "question": "Where does it snow?", "answer": "in Oslo", "type": "bridge",
         "level": "hard", "context": PARAGRAPHS},
        {"_id": "5a8c", "question": "Is Rome hot?", "answer": "yes", "type": "comparison",
         "context": [["Rome", ["It is hot."]]]},
    ],
    "ifbench": [
        {"key": "0", "prompt": "Write with the word sun once, sea twice, and so on.",
         "instruction_id_list": ["count:keywords_multiple"],
         "kwargs": [{"N": None, "keyword1": "sun", "keyword2": "sea", "keyword3": "air",
                     "keyword4": "ice", "keyword5": "oak"}]},
    ],
    "ifeval": [
        {"key": 1000, "prompt": "Write six words or more without commas.",
         "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
         "kwargs": [{"num_words": None, "relation": None},
                    {"num_words": 6, "relation": "at least"}]},
        {"key": 1001, "prompt": "Write without commas.", "kwargs": [None],
         "instruction_id_list": ["punctuation:no_comma"]},
    ],
    "math": [
        {"problem": "Halve 1.", "solution": "\\boxed{1} or \\boxed{\\frac{1}{2}}",
         "level": "Level 3", "type": "Algebra"},
        {"problem": "Add 1 and 1.", "solution": "$\\boxed{2}$", "level": "Level ?",
         "type": "Geometry"},
    ],
    "math_500": [
        {"problem": "Name it.", "solution": "So $\\boxed{(3,4]}$", "answer": "(3,4]", "level": 4,
         "subject": "Precalculus", "unique_id": "test/precalculus/807.json"},
    ],
    "minerva_math": [
        {"problem": "How far?", "solution": "So \\boxed{1.6} cm.", "type": "Astronomy", "idx": 0},
        {"question": "How long?", "answer": "3e12"},
    ],
    "mmlu": [
        {"question": "2 + 2?", "subject": "sums", "choices": ["1", "2", "3", "4"], "answer": 3},
        {"question": "A prime?", "subject": "sums", "choices": ["9", "9", "7", "8"], "answer": 2},
    ],
    "mmlu_pro": [
        {"question_id": 70, "question": "A metal?", "category": "chemistry", "answer": "C",
         "answer_index": 2, "options": ["N", "O", "Zn", "N/A", "N/A"], "src": "x"},
        {"question_id": 71, "question": "Too much?", "category": "law", "answer": "B",
         "options": ["x", "N/A"]},
    ],
    "nemotron_mcqa": [
        {**ASKED, "options": [{"A": "O", "B": None}, {"A": None, "B": "Zn"}], "uuid": "3c26",
         "expected_answer": "B", "grading_mode": "strict_single_letter_boxed"},
        {**ASKED, "options": [{"A": "O"}, {"B": "Zn"}], "expected_answer": "B",
         "template_metadata": {"output_regex": r"boxed\{+([A-B])\}+"}},
    ],
    "olympiad_bench": [
        {"id": 1606, "question": "Which angles?", "final_answer": ["$90^{\\circ}$,$60^{\\circ}$"],
         "answer_type": "Numerical", "subfield": "Geometry", "error": None, "unit": None},
        {"id": 1607, "question": "Which $k$?", "final_answer": ["$k=1$"], "subfield": "Algebra",
         "answer_type": "Numerical", "error": ""},
    ],
    "open_math_reasoning": [
        {"problem": "Add 1 and 1.", "expected_answer": "2", "problem_type": "has_answer_extracted",
         "problem_source": "aops_c4_high_school_math"},
        {"problem": "Halve 1.", "expected_answer": "$\\frac12$",
         "problem_type": "has_answer_extracted"},
    ],
    "workbench": [
        {"query": "Cancel the stand-up", "base_template": "Cancel {}", "domains": "['calendar']",
         "answer": "['calendar.delete_event.func(event_id=\"00000005\")']"},
        {"query": "Write to Jo", "base_template": "Write to {}", "domains": "['email', 'crm']",
         "answer": "['email.delete_email.func(email_id=\"00000003\")']"},
    ],
    "workplace_assistant": [
        {"id": 0, **ASKED, "ground_truth": [CALL], "category": "workplace_assistant_calendar"},
        {**ASKED, "verifier_metadata": {"ground_truth": [CALL], "category": "calendar"}},
    ],
}  # fmt: skip

RIGHT = {  # where the environment knows no right answer
    "ifbench": ["sun sea sea air air air" + " ice" * 5 + " oak" * 7],
    "ifeval": ["We went home by the sea", "We went"],
}
WRONG = {"ifbench": "No.", "ifeval": "No, no."}


def converted(name: str, record: Record) -> Record | str:
    """Convert a record that is the seventh of the test split."""
    row: Record | str = import_object(named_dataset(name).convert)(record, 7, "test")
    return row
