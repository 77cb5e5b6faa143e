"""Sentences, words, Markdown marks and the language of a text, as the checks read them.

English text is split into sentences by Punkt (Kiss and Strunk, 2006) as implemented in nltk, with
the abbreviations and frequent first words of sentences given here, so that no trained model is
needed. langdetect, which detects languages, draws random samples of the text's trigrams. It is
seeded here, so that the same text always gets the same answer. Both libraries are part of the extra
`constraints` and are imported on first use. Every function takes linear time. The sentences and
tokens of recent texts are cached, since several instructions need them.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

from textgym.errors import ExtraMissingError, install_advice

__all__ = [
    "CLOSING",
    "EMPHASIS",
    "LANGUAGES",
    "MARKS",
    "QUOTATION_MARKS",
    "Language",
    "bare_words",
    "bullet_mark",
    "count_word",
    "detect_language",
    "lower_words",
    "needs_constraints",
    "normalized",
    "split_at_asterisks",
    "split_sentences",
    "split_words",
    "without_emphasis",
    "word_tokens",
    "words_by_sentence",
    "words_without_punctuation",
]

ValueT = TypeVar("ValueT")

_ABBREVIATIONS = """
    mr mrs ms messrs dr prof rev hon capt lt sgt cpl maj adm gov sen rep reps sr jr st
    ph.d m.d b.a m.a b.sc m.sc d.c a.m p.m u.s u.k u.n e.u u.s.a n.y l.a
    inc ltd co corp bros ave blvd vs etc e.g i.e cf approx dept
    jan feb apr aug sept sep oct nov dec tue tues thu thurs fri
    ariz calif colo conn fla kan mich minn neb okla tenn tex va vt wis wyo
"""
"""Words that end with a period within a sentence, without that period."""

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
"""Words that begin a sentence if they are capitalised after an abbreviation."""

CLOSING = "])}>\"'»”’"
"""The marks that may follow a full stop at the end of a sentence."""

EMPHASIS = "*_`~"
"""The marks of Markdown's emphasis."""

QUOTATION_MARKS = "“”„‘’‚«»‹›"
"""The typographic quotation marks; ’ is also an apostrophe."""

MARKS = string.punctuation + QUOTATION_MARKS + "…–—"
"""The punctuation marks that may surround a word."""

_DROP_EMPHASIS = str.maketrans(EMPHASIS, " " * len(EMPHASIS))
_NORMALIZE = str.maketrans("’", "'", "\u00ad\u200b\u200c\u200d\u2060\ufeff")
_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation + QUOTATION_MARKS + "…")
_ITALIC_START = re.compile(r"\*[^\s*][^*]*\*")
_RULE = re.compile(r"(?:\*\s*+){3,}+|(?:-\s*+){3,}+")
_DIVIDERS = {n: re.compile(rf"(?<!\*)\*{{{n}}}(?!\*)") for n in (3, 6)}


def needs_constraints(what: str) -> ExtraMissingError:
    """Return the error for a library of the extra `constraints` that is not installed.

    Args:
        what: What needs the library, such as `splitting text into sentences`.
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
        # typographic quotation marks and underscores do not begin words
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
    # long repetitive texts call this with the same few characters again and again
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
    """Return the function with a cache of its recent values for texts that are not too long."""
    recent = lru_cache(maxsize=count)(function)
    return lambda text: recent(text) if len(text) <= longest else function(text)


def split_sentences(text: str) -> list[str]:
    r"""Split a text into its sentences, without the whitespace between them.

    A line break does not end a sentence. Marks of emphasis without words are not a sentence.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> split_sentences('Dr. Lee left at 5 p.m. on Friday. "Why?" asked Ann.\n')
        ['Dr. Lee left at 5 p.m. on Friday.', '"Why?"', 'asked Ann.']
    """
    return [sentence for sentence in _recent_sentences(text) if sentence.strip(EMPHASIS)]


_recent_sentences = _remembered(lambda text: tuple(_sentence_splitter().tokenize(text)))


def split_words(sentence: str) -> tuple[str, ...]:
    """Split a sentence into words and punctuation marks as in the Penn Treebank.

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
    lambda text: split_words(" ".join(map(_detach_full_stop, _recent_sentences(text))))
)


def _detach_full_stop(sentence: str) -> str:
    """Put a space before the full stop at the end of a sentence.

    The word splitter detaches a full stop only at the end of its text. Splitting each sentence by
    itself would take many times longer.
    """
    body = sentence.rstrip().rstrip(CLOSING)
    if not body.endswith(".") or body.endswith(".."):
        return sentence
    return f"{body[:-1]} .{sentence[len(body) :]}"


def words_without_punctuation(text: str) -> list[str]:
    """Remove punctuation, and split at whitespace. Dashes within words are kept.

    Example:
        >>> words_without_punctuation("“It’s” well-known - yes — 3–5!")
        ['Its', 'wellknown', 'yes', '3–5']
    """
    return [word for word in text.translate(_DROP_PUNCTUATION).split() if word.strip("–—")]


def bare_words(text: str) -> list[str]:
    """Split at whitespace, and remove the punctuation around each word.

    Example:
        >>> bare_words("“It's” well-known — **yes!**")
        ["It's", 'well-known', 'yes']
    """
    words = (word.strip(MARKS) for word in text.split())
    return [word for word in words if word]


def lower_words(text: str) -> list[str]:
    """Return the `bare_words` of a text in lower case.

    Example:
        >>> lower_words("“It's” well-known - YES!")
        ["it's", 'well-known', 'yes']
    """
    return bare_words(text.lower())


def words_by_sentence(text: str) -> list[list[str]]:
    """Return the `lower_words` of each sentence that has any.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> words_by_sentence("Really?! Yes, it's me.")
        [['really'], ['yes', "it's", 'me']]
    """
    return [words for sentence in split_sentences(text) if (words := lower_words(sentence))]


def normalized(text: str) -> str:
    """Return a text with straight apostrophes and without invisible characters.

    Example:
        >>> normalized("It’s")
        "It's"
    """
    return text.translate(_NORMALIZE)


def count_word(text: str, word: str) -> int:
    """Count the places where a text has a word, not as a part of a longer word, in any case.

    Both are normalized. Underscores around the word are emphasis.

    Example:
        >>> count_word("Cat, _cat_’s concatenate", "cat")
        2
    """
    whole = rf"(?<!\w)_*{re.escape(normalized(word))}_*(?!\w)"
    return len(re.findall(whole, normalized(text), re.IGNORECASE))


def without_emphasis(text: str) -> str:
    """Return a text with straight apostrophes, and blanks for the marks of emphasis.

    Example:
        >>> without_emphasis("**It’s** me")
        "  It's   me"
    """
    return text.replace("’", "'").translate(_DROP_EMPHASIS)


def bullet_mark(line: str) -> str:
    """Return the mark of a bullet point, `*` or `-`; "" if the line is not a bullet point.

    Rules, signatures, and lines that begin with emphasis are not bullet points.

    Example:
        >>> lines = ("* **A**: b", "  - c", "**A**", "*A*: b", "---", "a * b")
        >>> [bullet_mark(line) for line in lines]
        ['*', '-', '', '', '', '']
    """
    line = line.strip()
    if line.startswith(("**", "--")) or _RULE.fullmatch(line) or _ITALIC_START.match(line):
        return ""
    return line[:1] if line.startswith(("*", "-")) else ""


def split_at_asterisks(text: str, number: int) -> list[str]:
    """Split a text at the runs of exactly 3 or 6 asterisks.

    A run may also open or close the text. Blank parts become empty texts, except before the first
    run and after the last one.

    Example:
        >>> split_at_asterisks("*** One *** Two **** *** *** Three", 3)
        ['One', 'Two ****', '', 'Three']
    """
    parts = [part.strip() for part in _DIVIDERS[number].split(text)]
    start = 0 if parts[0] else 1
    return parts[start:] if parts[-1] else parts[start:-1]


LANGUAGES = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "kn": "Kannada", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mr": "Marathi",
    "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "so": "Somali", "sq": "Albanian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""The languages that can be detected, by their ISO 639-1 code."""

_MAX_LENGTH = 20_000
_VOTES = 10
_SURE = 0.99


def _known(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"{code!r} is not one of {', '.join(LANGUAGES)}")
    return code


Language = Annotated[str, AfterValidator(_known)]
"""A code of `LANGUAGES`."""


@lru_cache(maxsize=256)
def detect_language(text: str) -> str | None:
    """Return the code of a text's main language; None if the text has too few letters.

    The answer for one or two words is a guess. Only the beginning of a long text is read.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> detect_language("Das Wetter ist heute sehr schön."), detect_language("1 + 1 = 2")
        ('de', None)
    """
    code, share = _guess(text, seed=0)
    if share > _SURE:
        return code
    votes = Counter(_guess(text, seed)[0] for seed in range(_VOTES))
    return votes.most_common(1)[0][0]


def _guess(text: str, seed: int) -> tuple[str | None, float]:
    """Return the most frequent language among the samples of a seed, and its share."""
    factory = _detectors()
    from langdetect.lang_detect_exception import LangDetectException

    detector = factory.create()
    detector.seed = seed
    detector.append(text[:_MAX_LENGTH])
    try:
        languages = detector.get_probabilities()
    except LangDetectException:  # there are no letters
        return None, 1.0
    if not languages:
        return None, 0.0
    return languages[0].lang.partition("-")[0], languages[0].prob


@cache
def _detectors() -> Any:
    """Return a factory of detectors. It is not langdetect's own, which has a global seed."""
    try:
        from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
    except ImportError:
        raise needs_constraints("detecting languages") from None
    detectors = DetectorFactory()
    detectors.load_profile(PROFILES_DIRECTORY)
    return detectors
