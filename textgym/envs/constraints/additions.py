"""Drawing instructions that add something to a text, or change it as a whole."""

from __future__ import annotations

import itertools

from textgym.envs.constraints.witness import Arguments, WitnessDraft, shapes
from textgym.envs.generation import choice, listing, randint, sample

_POSTSCRIPTS = (
    "Keep this message for later.", "Do not forget to smile.", "We mean every word of it.",
    "A second look at the calendar never hurts.", "This will not be sent twice.",
)  # fmt: skip
_END_PHRASES = (
    "Is there anything else you need?",
    "That is all there is to say.",
    "See you on the other side.",
    "Over and out from the whole team.",
    "And now it is up to you.",
    "Take it or leave it.",
    "Follow the yellow arrows.",
    "Let us know what you think.",
    "Nothing more to add from our side.",
    "Good things come to those who read.",
)
_PLACEHOLDERS = (
    "your name", "phone number", "address", "signature", "today", "department", "comment",
    "date of birth", "city", "member number",
)  # fmt: skip
PALINDROMES = (
    "level", "radar", "civic", "kayak", "refer", "rotor", "madam", "tenet", "stats", "solos",
    "sagas", "rotator", "deified", "racecar", "reviver", "repaper",
)  # fmt: skip
NAMES = (
    "Emma", "Liam", "Sophia", "Olivia", "Noah", "Lucas", "Isabella", "Mason", "Ethan", "Charlotte",
    "Amelia", "Benjamin", "Daniel", "Chloe", "Samuel", "Matthew", "Owen", "Abigail", "Gabriel",
    "Jacob", "Nathan", "Victoria", "Elijah", "Nicholas", "Hannah", "Penelope", "Thomas", "Nora",
    "Andrew", "Joseph", "Claire", "Ryan",
)  # fmt: skip
KEYWORDS = (
    "walrus", "cactus", "blossom", "pepper", "compass", "dragonfly", "tulip", "feather", "magnet",
    "honey", "ivory", "jigsaw", "teapot", "lagoon", "marble", "nutmeg", "oyster", "pebble",
    "quilt", "button", "saddle", "thunder", "silk", "walnut", "yarn", "zephyr",
)  # fmt: skip
_KEYWORD_SENTENCES = (
    "The poster shows {}.", "Somebody said the words {} and nobody knew why.",
    "The password of the week has to do with {}.", "Think of {} for a moment.",
    "On the back of the sheet you see {}.", "In the margin somebody drew {}.",
    "The last line of the song is about {}.", "A child asked us about {}.",
)  # fmt: skip
_COUNTS = (1, 2, 3, 5, 7)  # of the keywords of count:keywords_multiple
_CONJUNCTIONS = (
    "It was late but nobody left.", "Stay for a while or come back tomorrow.",
    "It looked hopeless yet it worked.", "There was no time so we hurried.",
    "We went on for we had promised it.", "Nobody complained nor did anyone ask.",
)  # fmt: skip
_QUOTED = (
    "for short", "the big one", "our pride", "a small miracle", "old faithful", "the usual thing",
)  # fmt: skip


@shapes("punctuation:no_comma", "", "comma")
def _no_comma(draft: WitnessDraft) -> Arguments:
    draft.changes.append(lambda text: text.replace(",", ""))
    return {}


@shapes("detectable_format:title", "line")
def _title(draft: WitnessDraft) -> Arguments:
    draft.before.append(f"<<{draft.brief.subject}>>")
    return {}


@shapes("detectable_content:postscript", "line")
def _postscript(draft: WitnessDraft) -> Arguments:
    marker = choice(draft.rng, ("P.S.", "P.P.S"))
    draft.after.insert(0, f"{marker} {choice(draft.rng, _POSTSCRIPTS)}")
    return {"postscript_marker": marker}


@shapes("startend:end_checker", "phrase")
def _end_checker(draft: WitnessDraft) -> Arguments:
    phrase = choice(draft.rng, _END_PHRASES)
    draft.after.append(phrase)
    return {"end_phrase": phrase}


@shapes("startend:quotation", "wrap", "wrap quote start")
def _quotation(draft: WitnessDraft) -> Arguments:
    draft.wrap = '"{}"'.format
    return {}


@shapes("combination:repeat_prompt", "line start comma", "start")
def _repeat_prompt(draft: WitnessDraft) -> Arguments:
    draft.before.insert(0, draft.brief.request)
    return {"prompt_to_repeat": draft.brief.request}


@shapes("detectable_content:number_placeholders", "brackets")
def _number_placeholders(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 2, 5)
    names = [f"[{name}]" for name in sample(draft.rng, _PLACEHOLDERS, count)]
    draft.add(f"Please reply with {listing(names)}.")
    return {"num_placeholders": count}


@shapes("detectable_format:number_highlighted_sections", "star", "star")
def _number_highlighted_sections(draft: WitnessDraft) -> Arguments:
    facts = [fact for _, fact in draft.brief.required]
    count = randint(draft.rng, 2, len(facts))

    def highlight(text: str) -> str:
        for fact in facts[:count]:
            text = text.replace(fact, f"*{fact}*", 1)
        return text

    draft.changes.append(highlight)
    return {"num_highlights": count}


@shapes("words:palindrome", "", "squeezed")
def _palindrome(draft: WitnessDraft) -> Arguments:
    words = sample(draft.rng, PALINDROMES, randint(draft.rng, 11, 13))
    draft.add(f"Our words of the week are {listing(words)}.")
    return {}


@shapes("count:punctuation", "comma")
def _punctuation(draft: WitnessDraft) -> Arguments:
    draft.add(choice(draft.rng, (
        "What a plan?! Bring the usual: paper; pens, too. Is that all? It is!",
        "Who would have thought?! Note this: read first; ask later, please. Agreed? Good!",
        "Too good to be true?! Think again: we checked; twice, in fact. Any doubts? None!",
    )))  # fmt: skip
    return {}


@shapes("format:parentheses", "brackets")
def _parentheses(draft: WitnessDraft) -> Arguments:
    draft.add(choice(draft.rng, (
        "Ask at the desk (on the left [behind the door {by the plant (the tall one [in red])}]).",
        "The small print (see below [or above {if you hold it (as some do [for fun])}]) is short.",
        "Somebody will help you (our porter [or his brother {or a friend (of either [or both])}]).",
    )))  # fmt: skip
    return {}


@shapes("format:quotes", "quote", "quote")
def _quotes(draft: WitnessDraft) -> Arguments:
    draft.add(choice(draft.rng, (
        "He said: \"They told me 'The sign reads \"Welcome\" in red' once.\" We believed him.",
        "She wrote: \"My aunt always said 'Call it \"practice\" and go on' to me.\" We liked that.",
        "One guest noted: \"The guide whispered 'They named it \"home\" once' to us.\" It stuck.",
    )))  # fmt: skip
    return {}


@shapes("format:quote_unquote", "quote", "quote")
def _quote_unquote(draft: WitnessDraft) -> Arguments:
    first, second = sample(draft.rng, _QUOTED, 2)
    draft.add(f'Some call it "{first}" because that is what it is to them.')
    draft.add(f'Others say "{second}" which means much the same.')
    return {}


@shapes("count:person_names", "", "squeezed")
def _person_names(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 3, 8)
    draft.add(f"With us are {listing(sample(draft.rng, NAMES, count))}.")
    return {"N": count}


@shapes("count:conjunctions", "", "squeezed")
def _conjunctions(draft: WitnessDraft) -> Arguments:
    count = randint(draft.rng, 4, 6)
    for sentence in sample(draft.rng, _CONJUNCTIONS, count):
        draft.add(sentence)
    return {"small_n": count}


@shapes("count:keywords_multiple", "counted", "squeezed counted")
def _keywords_multiple(draft: WitnessDraft) -> Arguments:
    keywords = sample(draft.rng, KEYWORDS, len(_COUNTS))
    sentences = sample(draft.rng, _KEYWORD_SENTENCES, _COUNTS[-1])
    for place, sentence in enumerate(sentences):
        left = [word for word, count in zip(keywords, _COUNTS, strict=True) if count > place]
        draft.add(sentence.format(listing(sample(draft.rng, left, len(left)))))
    return {f"keyword{number}": word for number, word in zip(itertools.count(1), keywords)}


@shapes("keywords:existence", "counted")
def _existence(draft: WitnessDraft) -> Arguments:
    keywords = sample(draft.rng, KEYWORDS, randint(draft.rng, 2, 4))
    sentences = sample(draft.rng, _KEYWORD_SENTENCES, len(keywords))
    for word, sentence in zip(keywords, sentences, strict=True):
        draft.add(sentence.format(word))
    return {"keywords": keywords}
