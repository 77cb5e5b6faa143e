"""What a scripted user says: the parts of each kind of reply, and how they are joined.

Invariants: the same parts of a seed give the same words in every process; every kind of reply has
dozens of wordings; only answers and corrections have a value in them, and it is never changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from textgym.tasks.task import hash_int

__all__ = ["answers", "correction", "say"]

_PARTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "agree": ((
        "", "", "", "", "Sure.", "Of course.", "Ah, right.", "Oh, sorry.", "Good question.",
        "Ah, yes.",
        "Right, I forgot.", "Yes, sorry.", "Good point.", "Oh, of course.",
    ),),
    "repeat": ((
        "As I said,", "As I wrote,", "Like I said,", "I did say that:", "I've already told you:",
        "That was in my message:", "Again:", "I think I mentioned it:", "As mentioned,",
        "You have that already:", "Once more,", "I told you before:",
    ),),
    "no_preference": (
        ("", "", "Hm.", "Oh.", "Honestly,", "Well,"),
        (
            "{label} doesn't matter to me", "I have no wishes about {label}",
            "I don't mind about {label}",
            "{label} is not something I care about", "leave {label} to the defaults",
            "I have nothing to say about {label}", "I have no preference for {label}",
            "there is nothing special about {label}", "{label} plays no role here",
        ),
        (".",),
    ),
    "unclear": (
        ("Sorry,", "Hm,", "I'm sorry,", "Excuse me,", "Pardon,", "Um,"),
        (
            "what do you need to know", "what exactly do you want to know",
            "what are you asking for",
            "I'm not sure what you're asking; what do you need", "which detail do you need",
            "could you say more precisely what you need to know", "which point do you mean",
            "I don't follow; what is it that you need to know",
        ),
        ("?",),
    ),
    "anything_else": (
        ("No,", "Nope,", "No, no,", "I don't think so,", "Not that I know of,", "Not really,"),
        (
            "that's all", "nothing else", "nothing more", "nothing comes to mind", "that was it",
            "I have nothing to add", "there's nothing to add", "that's everything from me",
        ),
        (".", ".", ", thanks.", "; ask me if you need something in particular."),
    ),
    "check": (
        ("Hm.", "Let me see.", "I've looked.", "I checked.", "Well.", "Strange."),
        (
            "It is as I wrote it.", "That's how I have it here.", "I have no other name for it.",
            "That is the name I know.", "I wrote it as I know it.", "It's the only one I know of.",
            "I can't tell you more than I wrote.", "As far as I know, it's right.",
        ),
    ),
    "go_ahead": (
        ("Yes,", "Sure,", "Of course,", "By all means,", "OK,", "Fine,"),
        (
            "go ahead, as I asked for it", "do it the way I asked", "please do what I asked for",
            "just go by my request", "please carry on with what I asked",
            "go ahead with my request",
            "do as I said", "my request stands",
        ),
        (".",),
    ),
    "greeting": (
        ("Hi.", "Hello.", "Hello!", "Hi!", "Hey.", "Hi there."),
        (
            "You have my request above.", "It's about what I just asked for.",
            "I wrote what I need: please see above.", "Can you do what I asked for?",
            "My request is the one above.", "Please look at my request.",
            "It's all about my request.",
            "Could you take care of my request?",
        ),
    ),
    "continue": (
        ("OK,", "Fine,", "All right,", "Good,", "Sounds good,", "Right,"),
        (
            "please go on", "go on then", "carry on", "I'm waiting", "let me know when it's done",
            "please continue", "tell me when you are done", "then please do it",
        ),
        (".",),
    ),
    "thanks": (
        ("Great,", "Good,", "Perfect,", "OK,", "All right,", "Fine,", "Lovely,"),
        (
            "thank you", "thanks", "thanks a lot", "thanks for your help", "thank you very much",
            "many thanks", "that's all then, thanks", "thanks, that was all",
        ),
        (".", ".", "!"),
    ),
    "pity": (
        ("Oh.", "I see.", "Hm.", "Ah.", "What a pity.", "Too bad."),
        (
            "Thanks for telling me.", "Thanks for checking.", "Then we'll leave it.",
            "All right, never mind.", "OK, then I'll see what I do.", "Thank you anyway.",
            "Fine, I'll think of something else.", "Thanks for letting me know.",
        ),
    ),
    "leave": (
        ("Look,", "Sorry,", "I'm afraid", "OK,", "Well,", "Listen,"),
        (
            "I have to go now", "this takes too long for me", "I've no more time for questions",
            "we're going round in circles", "I'll leave it there", "I need to get back to work",
            "I'd rather stop here", "I can't spend more time on this",
        ),
        (".", "; do what you can.", ". Goodbye."),
    ),
}  # fmt: skip
"""The parts of each kind of reply, which are drawn one by one and joined."""

_ALONE = (
    "{value}", "{value}, please", "it's {value}", "that would be {value}", "I'd say {value}",
    "let's go with {value}", "please use {value}", "let's say {value}", "I was thinking of {value}",
    "make it {value}", "{label} is {value}", "{label}: {value}", "as for {label}, {value}",
    "{value}, I think", "I had {value} in mind", "I'd like {value}", "it should be {value}",
)  # fmt: skip
_AMONG = (
    "{label} is {value}", "{label} should be {value}", "{label}: {value}",
    "as for {label}, {value}",
    "{label} would be {value}", "for {label}, {value}", "{label}, let's say, is {value}",
    "for {label} please take {value}",
)  # fmt: skip
_CORRECTIONS = (
    (
        "Sorry,", "Oh, sorry,", "Wait,", "One moment,", "Ah, I made a mistake:", "Hold on,",
        "I must correct myself:",
    ),
    (
        "{label} should be {value} after all", "I meant {value} for {label}",
        "{label} is {value}, not what I said before", "please change {label} to {value}",
        "{label} has to be {value} now", "{label} must be {value} instead",
        "I'd rather have {value} for {label}", "make that {value} for {label}",
    ),
)  # fmt: skip


def say(kind: str, *seed: object, label: str = "") -> str:
    """Return a text of a kind that has no value in it.

    Example:
        >>> say("unclear", 7) == say("unclear", 7)
        True
    """
    parts = [_pick(options, kind, place, *seed) for place, options in enumerate(_PARTS[kind])]
    return _sentence(_joined(parts).format(label=label))


def answers(told: Sequence[tuple[str, str]], is_repeated: bool, *seed: object) -> str:
    """Return a text that states values.

    Args:
        told: The label of each slot and its value in words.
        is_repeated: Whether the user has stated them before.
        seed: What the words are drawn from.

    Example:
        >>> "Thursday" in answers([("the day", "Thursday")], False, 7)
        True
    """
    forms = _ALONE if len(told) == 1 else _AMONG
    opener = say("repeat" if is_repeated else "agree", *seed)
    sentences = []
    for place, (label, value) in enumerate(told):
        form = _pick(forms, "answer", place, *seed)
        text = form.replace("{label}", label).replace("{value}", value)
        follows_comma = opener.endswith((",", ":")) and not place
        sentences.append(_closed(text) if follows_comma else _sentence(_closed(text), value))
    return _joined([opener, " ".join(sentences)])


def correction(label: str, value: str, *seed: object) -> str:
    """Return a text that takes back a value and states another.

    Example:
        >>> "Thursday" in correction("the day", "Thursday", 7)
        True
    """
    opener, form = (
        _pick(options, "correction", place, *seed) for place, options in enumerate(_CORRECTIONS)
    )
    return f"{opener} {_closed(form.replace('{label}', label).replace('{value}', value))}"


def _pick(options: Sequence[str], *seed: object) -> str:
    return options[hash_int(*seed) % len(options)]


def _joined(parts: Sequence[str]) -> str:
    """Join parts with spaces, and punctuation without."""
    text = ""
    for part in parts:
        text += part if not text or not part or part[0] in ".,;?!" else f" {part}"
    return text


def _sentence(text: str, value: str = "\0") -> str:
    """Return a text that begins with a capital, unless it begins with a value."""
    return text if text.startswith(value) else text[:1].upper() + text[1:]


def _closed(text: str) -> str:
    """Return a text with a full stop, unless it ends a sentence already."""
    return text if text.rstrip("\"'\u201d\u2019)")[-1:] in {".", "!", "?"} else f"{text}."
