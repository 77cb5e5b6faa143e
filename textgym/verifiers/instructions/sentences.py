"""Splitting English text into sentences, and sentences into words.

The algorithm is Punkt (Kiss and Strunk, 2006) as nltk has it, with the abbreviations and the
frequent openers of sentences given here, so that no trained model is needed. nltk is a part of the
extra `constraints` and is imported on first use. Both functions take time linear in the text. The
sentences and words of recent texts are kept, since several instructions ask for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeVar

from textgym.errors import ExtraMissingError, install_advice

__all__ = ["CLOSING", "EMPHASIS", "needs_constraints", "sentences_of", "split_words", "word_tokens"]

ValueT = TypeVar("ValueT")

_ABBREVIATIONS = """
    mr mrs ms messrs dr prof rev hon capt lt sgt cpl maj adm gov sen rep reps sr jr st
    ph.d m.d b.a m.a b.sc m.sc d.c a.m p.m u.s u.k u.n e.u u.s.a n.y l.a
    inc ltd co corp bros ave blvd vs etc e.g i.e cf approx dept
    jan feb apr aug sept sep oct nov dec tue tues thu thurs fri
    ariz calif colo conn fla kan mich minn neb okla tenn tex va vt wis wyo
"""
"""Words that a period follows within a sentence, without that period."""

_OPENERS = """
    a an the this that these those i you he she it we they my your his her its our their
    who whom whose what which when where why how there here now then today
    and but or nor so yet for if because although though while whereas since unless until
    after before once as when whenever wherever however therefore thus hence moreover furthermore
    meanwhile nevertheless nonetheless otherwise instead indeed also still even perhaps maybe
    in on at by from with without within of to under over through during among between despite
    is are was were am be been being do does did has have had can could will would shall should
    may might must let not no yes one two three some many most more all any both each every few
    several such another other others first second third next last finally just only
    everyone someone nobody nothing something everything anyone
    remember consider think imagine take make keep use find go get see
"""
"""Lower-case words that begin a sentence where they stand capitalised after an abbreviation."""

CLOSING = "])}>\"'»”’"
"""What may stand between a full stop and the end of its sentence."""

EMPHASIS = "*_`~"
"""The marks of Markdown's emphasis."""


def needs_constraints(what: str) -> ExtraMissingError:
    """Return the error for a library of the extra `constraints` that is not installed.

    Args:
        what: What needs the library, such as `splitting into sentences`.
    """
    return ExtraMissingError(f"{what} needs {install_advice('constraints')}")


@cache
def _sentence_splitter() -> Any:
    try:
        from nltk import redos
        from nltk.tokenize.punkt import (
            PunktLanguageVars,
            PunktParameters,
            PunktSentenceTokenizer,
        )
    except ImportError:
        raise needs_constraints("splitting text into sentences") from None

    class Language(PunktLanguageVars):  # type: ignore[misc]
        # typographic quotation marks and underscores do not begin words either
        _re_word_start = PunktLanguageVars._re_word_start.replace("[^", "[^“„‘«_", 1)

    # nltk limits the time of each expression, which a long text exceeds on a busy machine. These
    # two are applied to whole texts. They take linear time, so they need no limit.
    language = Language()
    language._re_period_context = redos.compile(language.period_context_re(), timeout=None)
    language._re_word_tokenizer = redos.compile(language._word_tokenizer_re(), timeout=None)

    parameters = PunktParameters()
    parameters.abbrev_types.update(_ABBREVIATIONS.split())
    parameters.sent_starters.update(_OPENERS.split())
    splitter = PunktSentenceTokenizer(parameters, lang_vars=language)
    # long texts that repeat themselves ask this of the same few characters again and again
    splitter.text_contains_sentbreak = _remembered(
        splitter.text_contains_sentbreak, count=4096, longest=100
    )
    return splitter


@cache
def _word_splitter() -> Any:
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer
    except ImportError:
        raise needs_constraints("splitting sentences into words") from None
    return NLTKWordTokenizer()


def _remembered(
    function: Callable[[str], ValueT], count: int = 64, longest: int = 20_000
) -> Callable[[str], ValueT]:
    """Keep a function's values of so many recent texts, if these are not too long."""
    recent = lru_cache(maxsize=count)(function)
    return lambda text: recent(text) if len(text) <= longest else function(text)


def sentences_of(text: str) -> list[str]:
    r"""Split a text into its sentences, without the whitespace between them.

    A line break alone ends no sentence, and marks of emphasis alone are none.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> sentences_of('Dr. Lee left at 5 p.m. on Friday. "Why?" asked Ann.\n')
        ['Dr. Lee left at 5 p.m. on Friday.', '"Why?"', 'asked Ann.']
    """
    return [sentence for sentence in _recent_sentences(text) if sentence.strip(EMPHASIS)]


_recent_sentences = _remembered(lambda text: tuple(_sentence_splitter().tokenize(text)))


def split_words(sentence: str) -> tuple[str, ...]:
    """Split one sentence into words and punctuation marks as the Penn Treebank does.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> split_words("They don't mind.")
        ('They', 'do', "n't", 'mind', '.')
    """
    return tuple(_word_splitter().tokenize(sentence))


def word_tokens(text: str) -> list[str]:
    """Split a text into sentences, and these into words and punctuation marks.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> word_tokens("They don't mind. Do you?")
        ['They', 'do', "n't", 'mind', '.', 'Do', 'you', '?']
    """
    return list(_recent_words(text))


_recent_words = _remembered(
    lambda text: split_words(" ".join(map(_part_full_stop, _recent_sentences(text))))
)


def _part_full_stop(sentence: str) -> str:
    """Put a space before the full stop at the end of a sentence.

    The splitter of words parts a full stop from its word at the end of a text alone, and takes a
    sentence at a time many times longer than all at once.
    """
    body = sentence.rstrip().rstrip(CLOSING)
    if not body.endswith(".") or body.endswith(".."):
        return sentence
    return f"{body[:-1]} .{sentence[len(body) :]}"
