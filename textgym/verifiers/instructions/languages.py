"""Detecting the language of a text.

langdetect, a part of the extra `constraints`, draws random samples of the text's trigrams. It is
seeded here, so that the same text always gets the same answer. It is imported on first use.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator

from textgym.verifiers.instructions.sentences import needs_constraints

__all__ = ["LANGUAGES", "Language", "detect_language"]

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
