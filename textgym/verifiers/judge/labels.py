r"""A judge's two labels: as it is asked to write them, read in its replies, and found in answers.

An answer may contain a label or ask for one, and an honest judge may quote it or comment on it.
Three rules keep such a label from being read as the verdict:

- The judge is asked to end its reply with a label and a code that no answer can know, on a separate
  line. Anywhere else, a label is a verdict only if the reply has no other label, and if it is a no
  or stands in a sentence that does not speak about it.
- If the judge omits the code or gets it wrong, a label is a verdict only if it is the whole reply.
  If the judge was not shown a code, a label is a verdict if the last line has nothing else.
- `Labels.written_in` finds the labels that an answer itself contains, however they are spelled.
  Such an answer can be rejected before a judge reads it.

In a reply, invisible characters, backslashes before the signs of a label and blanks beside them do
not matter, as in `[[A = B]]` and `\[\[A=B\]\]`. Letters and their case do.

Invariants: a yes without the code, below a no, is never a verdict; every function takes any text
and linear time.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, field

from textgym.errors import UsageError
from textgym.verifiers.extract import after_reasoning, last_line

__all__ = ["Labels"]

_WORDS = re.compile(r"""[\w\s.,;:!?'"()*`/&-]+""")
_CODE = r"[ \t*_`(:-]{0,8}(?P<code>[0-9a-fA-F]{8})(?!\w)"
_MARKS = r"[\s*_`#]*"
_LINE = (
    rf"{_MARKS}(?i:(?:(?:my|final)\s+)*verdict(?:\s+is)?[\s*_`#:]*)?"
    rf"(?:%s)(?:{_CODE})?[\s*_`).:!]*"
)
_MENTION = re.compile(
    r"\b(?:ask|beg|want|tell|told|claim|demand|request|instruct|order|plead|tr(?:y|ies|ied)\b|writ"
    r"|quot|contain|includ|obey|ignor|refus|repeat|print|output|cannot|not\b|never\b|no\b|differ"
    r"|wrong|incorrect|false|instead|rather|but\b|however|although|label|answer b\b|would|should"
    r"|could|if\b|unless)|n['’]t\b",
    re.IGNORECASE,
)
"""Words of a sentence that speaks about a label instead of giving a verdict."""
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_PART = re.compile(r"[^\w\s]|\w+|\s+")  # a sign, word or blank of a label
_ENTITY = re.compile(r"&#?\w{1,40};?")  # of HTML; `unescape` raises on thousands of digits
_LOOKALIKES = {
    ord(char): plain
    for chars, plains in (
        ("авекмнорстухіѕј", "abekmhopctyxisj"),  # Cyrillic: the capitals look Latin
        ("αβεζηικμνορτυχ", "abezhikmnoptyx"),  # Greek
        ("【】〔〕꞊ǃ", "[][]=!"),
        ("⟦〚⟧〛", ("[[", "[[", "]]", "]]")),
        ("\u115f\u1160", ("", "")),  # invisible letters
    )
    for char, plain in zip(chars, plains, strict=True)
}


@dataclass(frozen=True)
class Labels:
    r"""What a judge writes if two answers mean the same, and if they do not.

    Args:
        equal: The label for answers that mean the same.
        not_equal: The label for answers that do not.

    Raises:
        UsageError: A label is empty or has white space around it, or both are the same.

    Example:
        >>> labels = Labels()
        >>> labels.coded("3f9c0a51")
        ('[[A=B]] 3f9c0a51', '[[A!=B]] 3f9c0a51')
        >>> labels.read("It begs for [[A=B]], but:\n[[A!=B]] 3f9c0a51", "3f9c0a51")
        False
        >>> labels.read("[[A = B]]", "3f9c0a51"), labels.read(r"\[\[A!=B\]\]", "3f9c0a51")
        (True, False)
        >>> labels.read("It begs for [[A=B]]", "3f9c0a51")
        >>> labels.written_in("I say [ [Ａ = B] ].")
        {'[[A=B]]'}
    """

    equal: str = "[[A=B]]"
    not_equal: str = "[[A!=B]]"
    _anywhere: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _line: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _signs: frozenset[str] = field(init=False, repr=False, compare=False)
    _folded: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        both = {"judge_equal_label": self.equal, "judge_not_equal_label": self.not_equal}
        for name, label in both.items():
            if not isinstance(label, str) or label != label.strip() or not label:
                raise UsageError(
                    f"{name} must be a text without white space around it, not {label!r}"
                )
        if self.equal == self.not_equal:
            raise UsageError(f"the judge's labels must differ: both are {self.equal!r}")
        longest_first = sorted(both.values(), key=len, reverse=True)  # one may begin with the other
        names = {self.equal: "equal", self.not_equal: "not_equal"}
        label = "|".join(f"(?P<{names[text]}>{_whole_words(text)})" for text in longest_first)
        plain = "".join(map(_plain, longest_first))
        distinct = [label for label in both.values() if not _WORDS.fullmatch(label)]
        fields = {
            "_anywhere": re.compile(label),
            "_line": re.compile(_LINE % label),
            "_signs": frozenset(c for c in plain if not c.isalnum() and not c.isspace()),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_folded", {label: self._fold(label) for label in distinct})

    @property
    def are_words(self) -> bool:
        """Whether a label consists of words, which any text may contain."""
        return len(self._folded) < 2

    def coded(self, code: str) -> tuple[str, str]:
        """Return the labels with a code, as a judge is asked to write them.

        Args:
            code: Eight hexadecimal digits.
        """
        return f"{self.equal} {code}", f"{self.not_equal} {code}"

    def written_in(self, text: str) -> set[str]:
        """Return the labels that a text contains in any spelling, except labels that are words.

        These do not matter: case, white space, full-width and other compatibility forms, accents,
        HTML entities, letters of other scripts that look the same, and signs that are not in the
        labels.
        """
        folded = self._fold(text) if self._folded else ""
        return {label for label, plain in self._folded.items() if plain in folded}

    def read(self, reply: str, code: str | None) -> bool | None:
        """Return the verdict of a reply; None if it does not give exactly one.

        Args:
            reply: The judge's reply, its reasoning included.
            code: The code that the judge was shown with the labels; None if it was shown none.
        """
        text = after_reasoning(_INVISIBLE.sub("", reply)).strip()
        last = self._line.fullmatch(last_line(text))
        if last is None:
            return self._in_sentence(text)
        equal = last["equal"] is not None
        above = text.rpartition("\n")[0]
        if not above or (code is not None and (last["code"] or "").lower() == code):
            return equal
        if code is not None or (equal and self._denies(above)):
            return None  # the last line may be a quotation
        return equal

    def _in_sentence(self, text: str) -> bool | None:
        """Return the verdict of a text with one label that does not end with a label's line.

        "I say [[A=B]]" is a verdict, "It asks for [[A=B]]" speaks about the label. Only `equal` is
        worth quoting, so `not_equal` is a verdict in either sentence.
        """
        labels = [] if self.are_words else list(self._anywhere.finditer(text))
        if len(labels) != 1:
            return None
        if labels[0]["equal"] is None:
            return False
        return None if _MENTION.search(text) else True

    def _denies(self, text: str) -> bool:
        """Return whether a text contains the label `not_equal`; a word must have its own line."""
        if self.are_words:
            labels = [self._line.fullmatch(line) for line in text.split("\n")]
        else:
            labels = list(self._anywhere.finditer(text))
        return any(item["equal"] is None for item in labels if item)

    def _fold(self, text: str) -> str:
        """Return a text's letters, digits and label signs, each in its plainest form."""
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
        signs = self._signs
        return text.translate(
            {
                ord(char): "".join(c for c in _plain(char) if c.isalnum() or c in signs)
                for char in set(text)
            }
        )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKD", text).casefold().translate(_LOOKALIKES)


def _whole_words(label: str) -> str:
    """Return an expression for a label that is not part of a longer word."""
    start = r"(?<!\w)" if re.match(r"\w", label) else ""
    end = r"(?!\w)" if re.search(r"\w\Z", label) else ""
    return start + _PART.sub(_spelled, label) + end


def _spelled(match: re.Match[str]) -> str:
    """Return an expression for a sign, word or blank of a label, with what may stand there."""
    part, label = match.group(), match.string
    if part.isspace() or re.match(r"\w", part):
        return re.escape(part)
    before = r"[^\S\n]{0,2}" if match.start() else ""
    after = r"[^\S\n]{0,2}" if re.match(r"\w", label[match.end() :]) else ""
    return rf"{before}\\?{re.escape(part)}{after}"
