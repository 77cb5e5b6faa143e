"""Slots: the details of a request that a user can be asked for, and how people ask for them.

A slot has the words for a detail and the phrases that ask for it. `SLOTS` has those that office
requests share; `slot_of` returns one by its name, or makes one from the name of a detail that is
not among them. `textgym.users.understanding` matches them with what is asked.

Invariants: the patterns match lower-case text as `cues.normalised` returns it, with words
separated by single spaces; repetition in a pattern is bounded, so that matching takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

__all__ = ["SLOTS", "Slot", "slot_of"]

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATES = (
    _DAYS,
    "(?:for|on|be|it) today",
    "tomorrow",
    "(?:this|next) week",
    rf"(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?",
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})",
    r"\d{4}-\d\d-\d\d",
)
_IT = r"(?: (?!(?:which|what|when|where|whom?|how)\b)[\w']+){0,7}"


@dataclass(frozen=True)
class Slot:
    """A detail of a request, and how people ask for it.

    All phrases are regular expressions of whole words in lower case. `don't` is written `do not`,
    and `what's` is written `what is`.

    Args:
        name: The name in code, such as `due_date`.
        label: The detail as the user calls it, with its article: `the due date`.
        nouns: The words for the detail: `due date`, `deadline`.
        questions: Phrases that ask for it: `by when`.
        vague: Words that mean the detail if nothing else in the question does.
        values: What the detail may be. A question that offers values is about their slot.

    Example:
        >>> Slot("budget", "the budget", nouns=("budget",), questions=("how expensive",)).name
        'budget'
    """

    name: str
    label: str
    nouns: tuple[str, ...]
    questions: tuple[str, ...] = ()
    vague: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    @cached_property
    def asking(self) -> re.Pattern[str] | None:
        """The pattern of the questions."""
        return _words(self.questions)

    @cached_property
    def naming(self) -> re.Pattern[str] | None:
        """The pattern of the nouns."""
        return _words(self.nouns)

    @cached_property
    def hinting(self) -> re.Pattern[str] | None:
        """The pattern of the vague words."""
        return _words(self.vague)

    @cached_property
    def offering(self) -> re.Pattern[str] | None:
        """The pattern of the values."""
        return _words(self.values)


def _words(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return the pattern of any of some phrases; longer ones first."""
    if not phrases:
        return None
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")


_WHO = r"(?:who|whom)"
_NAME_OF_SOMEBODY = (
    r"names? of (?:_|(?:the|a|an|your) (?:[\w-]+ )?(?:person|colleague|one|individual|employee"
    "|recipient|addressee|assignee|member|owner))"
)
_NO_SUBJECT = r"(?: (?!subject|heading|headline|topic|title)[\w']+){0,7}"
_SHALL = r"(?:should|shall|will|would|do|does|can|could|must|is|are|am)"

_READY = (
    Slot(
        "day",
        "the day",
        nouns=("days?", "dates?", "weekdays?", "day of the week", "calendar days?"),
        questions=("what (?:day|date)", "which (?:day|date)", "today or tomorrow"),
        vague=("when", "suits? (?:you|them|everybody)", "schedule"),
        values=_DATES,
    ),
    Slot(
        "time",
        "the time",
        nouns=(
            "(?:(?:start|starting|begin|beginning|clock) )?times?(?: of (?:the )?day)?",
            "time slot",
            "hour", "o'clock", "(?:start|beginning) of the (?:meeting|event|call)",
        ),
        questions=(
            rf"when{_IT} (?:start|starts|begin|begins|starting|beginning)", "starting when",
            "how (?:early|late)", "morning or (?:in the )?afternoon", "(?:at|from) what time",
            "(?:start|starts|begin|begins) when",
            r"when(?: exactly)? (?:on |during |in the course of )?(?:that|the|this) day",
            r"when on (?:that )?" + _DAYS,
        ),
        vague=("when", "start", "begin"),
        values=(
            r"\d{1,2}[:.]\d\d(?: ?(?:am|pm|a\.m|p\.m))?", r"\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock)",
            "noon", "midday", "half past \\w+", "(?:in the )?(?:morning|afternoon|evening)",
        ),
    ),
    Slot(
        "duration",
        "the duration",
        nouns=("durations?", "length", "end time", "ending time", "number of (?:minutes|hours)"),
        questions=(
            "how long", "how (?:many|much) (?:minutes|hours|quarters)", rf"how much{_IT} time",
            "how much of (?:the|your|their) (?:calendar|day|diary)",
            "(?:un)?till? (?:when|what time)",
            rf"when{_IT} (?:end|ends|finish|be over|stop)",
            "(?:at )?what time" + _IT + " (?:end|finish)",
            "how short",
        ),
        vague=("last", "end", "long"),
        values=(
            r"\d+(?:\.\d+)?[ -]?(?:min|mins|minutes?|h|hrs?|hours?)", "half an hour",
            "(?:an|one|two|full) hours?",
            "(?:a )?full hour", r"(?:thirty|forty-five|sixty|ninety|fifteen) minutes", "half a day",
            r"\d+ or \d+ minutes",
        ),
    ),
    Slot(
        "participant",
        "the participant",
        nouns=(
            "participants?", "attendees?", "guests?", "invitees?", "other (?:person|people|party)",
            "names? of (?:the |your )?(?:participant|attendee|guest|invitee|person|colleague)s?",
            "(?:participant|attendee|guest|invitee)(?:'s)? names?",
            "colleagues?", "persons?", "people", "somebody", "someone",
        ),
        questions=(
            rf"{_WHO}{_IT} (?:attend|attends|attending|come|comes|coming|join|joins|joining|invite"
            "|invited|meet|meets|meeting|there|with"
            "|participate|participates|part|involved|included|include|add)",
            rf"(?:with|for) {_WHO}", f"{_WHO} is (?:it|this|that)", f"{_WHO} else",
            "whose (?:name|calendar|email)",
            rf"{_WHO} {_SHALL}",
        ),
        vague=(
            "who", "whom", "whose", "invites?", "invited", "invitation", "attend", "emails?",
            "addresse?s?",
        ),
    ),
    Slot(
        "recipient",
        "the recipient",
        nouns=(
            "recipients?", "addressees?", "receivers?", "receiving end", "email address",
            "colleagues?",
            "persons?", "addresse?s?", r"^\W*to(?= ?[?,])", _NAME_OF_SOMEBODY,
        ),
        questions=(
            r"(?:send|sent|forward|forwarded|go|goes|addressed|write|pass on) to(?=[ .]{0,4}\?)",
            f"to {_WHO}", f"for {_WHO}", f"{_WHO}{_IT} to", f"{_WHO}{_IT} for",
            f"{_WHO}{_IT} (?:get|gets|receive|receives|contact"
            "|email|write|notify|inform|reach|message)",
            f"where(?! in (?:the|your) (?:calendar|diary)){_IT} (?:send|go|sent|forward)",
            "whose (?:inbox|mailbox|address|email)",
            f"{_WHO} {_SHALL}"
        ),
        vague=("who", "whom", "whose", "someone", "somebody", "send", "a name"),
    ),
    Slot(
        "subject",
        "the subject",
        nouns=(
            "subjects?", "subject (?:line|field)", "heading", "headline", "title", "topic line",
            "subject of the (?:mail|email|message)",
        ),
        questions=("what is (?:it|the (?:email|mail|message)) about",),
        vague=("topic", "about"),
    ),
    Slot(
        "body",
        "the text of the message",
        nouns=(
            "body", "body of the (?:mail|email|message)", "content", "contents", "text", "wording",
            r"(?<!(?:of|or) (?:the|our) )(?<!(?:of|or) (?:this|your) )message"
            r"(?=\W*(?:$|[,;&/]|and\b))",
            "text of the (?:mail|email|message)", "(?:message|mail|email) text", "words",
            "content of the (?:mail|email|message)",
        ),
        questions=(
            rf"(?:what|how){_NO_SUBJECT} (?:says?|tell|write|worded|phrase|put it"
            "|read|communicate|convey|contain|state|written)",
            rf"what{_IT} (?:let|want) (?:her|him|them)(?: to)? know",
            "(?:what|which)(?: exact)?(?: is)?(?: the)? message",
            r"what (?:do|would|should|shall) (?:i|you|we)(?: \w+){0,3} (?:pass on|inform)",
            r"what information", r"and what(?=\W*$)",
        ),
        vague=("message", "say", "write", "dictate", "worded", "phrase", "words"),
    ),
    Slot(
        "title",
        "the title",
        nouns=(
            "titles?", "names?", "topic", "purpose", "occasion",
            "name of the (?:event|meeting|task|call)", "agenda", "heading", "headline",
        ),
        questions=(
            rf"(?:what|how){_IT} (?:call|called|name|named|title|titled|label|labelled|entitled)",
            r"(?:is|be|was) (?:it|this|the \w+) about",
            r"what is the (?:task|event|new task)",
            "what (?:should|does) the (?:task|entry) (?:say|be)",
            rf"what(?! (?:day|date|time|about)){_IT} about",
        ),
        vague=("called", "about", "task", "label"),
    ),
    Slot(
        "board",
        "the board",
        nouns=("boards?", "project boards?", "name of the board", "team's board"),
        questions=("whose board", "which (?:team|department|project)"),
        vague=("where", "team", "project"),
        values=("front[- ]end", "back[- ]end", "design"),
    ),
    Slot(
        "status",
        "the status",
        nouns=("status", "statuses", "lists?", "columns?", "stages?", "state", "list of the board"),
        questions=("how far",),
        vague=("where", "phase"),
        values=(
            "backlog", "in progress", "in review", "completed", "lead", "qualified", "proposal",
            "won", "lost",
        ),
    ),
    Slot(
        "due_date",
        "the due date",
        nouns=(
            "due dates?", "deadlines?", "due days?", "dates?", "days?", "completion date",
            "target date",
        ),
        questions=(
            "(?:by|until|till|before) (?:when|what (?:date|day)|which (?:date|day))",
            "due(?! (?:date|day))",
            "how soon", "how urgent",
            rf"when{_IT} (?:due|done|ready|finished|complete|completed|need it|by|over)",
            "the latest",
        ),
        vague=("when", "time", "urgent", "how much time", "how long"),
        values=_DATES,
    ),
    Slot(
        "assignee",
        "the assignee",
        nouns=(
            "assignees?", "owners?", "responsible", "person responsible", "in charge",
            "colleagues?", "persons?",
            "team member", "somebody", "someone", "(?:our|your|the) (?:people|team)",
            _NAME_OF_SOMEBODY,
        ),
        questions=(
            f"{_WHO}{_IT} (?:do|does|work|working|handle|handles|own|owns"
            "|take|takes|get|gets|responsible|charge|assign|assigned|to|on|care)",
            f"to {_WHO}", f"for {_WHO}", "whose", f"{_WHO} is", f"{_WHO} {_SHALL}",
        ),
        vague=("who", "whom", "assign", "assigned", "hand", "emails?", "addresse?s?", "a name"),
    ),
    Slot(
        "customer",
        "the customer",
        nouns=(
            "customers?", "clients?", "accounts?", "customer's name", "client's name",
            "name of the (?:customer|client)", "company", "record", "entry", "contact",
        ),
        questions=(
            "(?:which|what|whose)(?: of our| of the)? (?:customers?|clients?|records?"
            "|entry|company|account|firm)",
            f"about {_WHO}", f"for {_WHO} in the (?:customer database|crm)",
            rf"{_WHO}{_IT} about", f"{_WHO} is the (?:customer|client)",
            "whose (?:data|details|file)",
        ),
        vague=("who", "whom", "whose", "names?", "crm"),
    ),
    Slot(
        "metric",
        "the metric",
        nouns=(
            "metrics?", "figures?", "statistics?", "measures?", "quantity", "quantities", "data",
            "numbers?", "values?", "kpi",
        ),
        questions=(
            rf"what{_IT} (?:plot|plotted|chart|charted|show|shown|display|displayed"
            "|measure|measured|on the (?:chart|plot|graph)|see|visualise|visualize|draw)",
            "how many of what",
        ),
        vague=("plot", "chart", "graph", "show"),
        values=(
            "(?:total |number of )?visits", "(?:engaged )?users",
            "(?:average )?session durations?", "(?:traffic )?sources?",
        ),
    ),
    Slot(
        "product",
        "the product interest",
        nouns=("products?", "product (?:interest|line)s?", "interests?", "product of interest"),
        questions=(
            rf"what{_IT} (?:interested in|buy|purchase|want|wants|after|looking for|order)",
            r"what (?:they|he|she) (?:want|wants)(?: to)? (?:buy|purchase)?",
            "interested in(?: what)?",
        ),
        vague=("buy", "purchase"),
        values=("software", "hardware", "services", "consulting", "training"),
    ),
    Slot(
        "new_value",
        "the new value",
        nouns=(
            "new (?:value|one|status|entry|content|setting)", "update", "replacement", "values?",
            "correct value",
        ),
        questions=(
            rf"(?:to )?(?:what|which){_IT} (?:changed? (?:it|that|this)?(?: to)?"
            "|set(?: it| that)?(?: to)?"
            "|replaced?|instead|updated?|enter|put in|become|from now on)",
            "(?:change|set|update|replace) (?:it|that|this) (?:to|with|by) what",
            rf"(?:what|how){_IT} (?:it|that|field|one|entry)(?: like)?"
            " (?:be|say|read|to be|become)",
            rf"(?:what|how){_IT} (?:be|read|say) (?:now|instead|afterwards|in future)",
            "what to change it to", "what is it (?:supposed|going|meant) to be", "what will it be",
            rf"what{_IT} (?:put|write|enter|type)"
            " (?:there|in there|in that field|in the field|here)",
            r"what is (?:right|correct)(?:,? then)?",
        ),
        vague=("changed?", "instead", "should be", "set", "supposed to be"),
    ),
)  # fmt: skip

SLOTS: dict[str, Slot] = {slot.name: slot for slot in _READY}
"""The slots that office requests share, by their names."""


@lru_cache(maxsize=1024)
def slot_of(name: str) -> Slot:
    """Return the slot with a name: one of `SLOTS`, or one that is asked for by its name.

    Example:
        >>> slot_of("due_date").label
        'the due date'
        >>> slot_of("seat_number").label
        'the seat number'
    """
    if name in SLOTS:
        return SLOTS[name]
    words = " ".join(name.replace("_", " ").lower().split())
    return Slot(name, f"the {words}", nouns=(re.escape(words).replace(r"\ ", " "),))
