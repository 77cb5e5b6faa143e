"""What a message says about the work: that it was done, was not done, or cannot be done.

All functions read text as `cues.normalised` returns it.

Invariant: repetition in a pattern is bounded, so that matching takes linear time.
"""

from __future__ import annotations

import re

from textgym.users.cues import CLAUSES, any_of

__all__ = ["denies", "is_report", "says_cannot", "says_done"]

_DO = (
    "(?:do|done|able|carry|carried|complete|completed|fulfil|fulfill|fulfilled|possible|find|found"
    "|book|booked|create|send|sent|update|updated|delete|deleted|change|changed|process|make|made"
    "|help|exist|perform|performed|proceed|move|moved|assign|add|forward|reply|schedule|offer"
    "|access|locate|located|identify|identified|retrieve|retrieved|trace|spot|reschedule|reassign"
    "|extend|postpone|invite)"
)
_NO_LOSS = (
    "(?:wait|complain|resist|fail|hurt|leave|agree|go wrong|help but|be (?:easier|faster|better"
    "|happier|simpler)|have (?:done|been))\\b"
)
"""What follows `can not` where all went well."""
_NO_MATTER = (
    "(?:problems?|worr(?:y|ies)|trouble|doubts?|conflicts?|errors?|issues?|objections?|matter"
    "|difficult(?:y|ies)|delays?|longer|sooner|other|others|further|more|additional|else|need"
    "|changes?|updates?|edits?|modifications?|actions?|alterations?|overlaps?|idea)\\b"
)
"""What follows `no` where nothing is missing."""
_SOURCE = "(?:directory|crm|inbox|mailbox|database|system|records?|search|look-?up|query)"
_CANNOT = any_of(
    rf"(?:can|could|may|was|am|is|are|were|be)(?: \w+)? not(?: \w+){{0,2}} {_DO}",
    "(?:could|can|does|do) not (?:be|exist)",
    "unable|impossible|not (?:be )?(?:possible|feasible)|no such|not something i can do|no can do",
    rf"{_SOURCE}(?: [\w'-]+){{0,6}} (?:has|had|knows|shows|lists|yields|yielded|gave)"
    rf" (?:no|zero|an empty)|{_SOURCE}(?: [\w'-]+){{0,6}} failed|{_SOURCE} (?:is|was) missing",
    "not known to|(?:do|does|did) not know"
    "|(?:find|see|saw|locate) (?:no|none|nothing|nobody|neither)",
    rf"(?:can|could)(?: \w+)? not (?!{_NO_LOSS})\w+",
    "(?:has|have|had|contains?|lists?|shows?|includes?|holds?|did not (?:get|receive|send)"
    rf"|(?:i|we|you) (?:sent|got|wrote)) (?:no|any|nobody) (?!{_NO_MATTER})\w+",
    "there (?:appears?|seems?) to be (?:no|none|nobody|nothing)",
    r"not an? (?:[\w'-]+ ){1,2}(?:that )?(?:i|we) can (?:find|see|locate)",
    "not been able to|refuse to|not to exist|unsuccessful",
    rf"failed to {_DO}",
    r"(?:do|does|did) not(?: \w+)? (?:exist|appear|have (?:a|any|the|such|access))",
    r"(?:do|does|did) not(?: \w+)? (?:see|find)",
    "(?:do|does) not (?:seem to (?:be|exist|have)|list|contain|include|show|hold"
    "|work (?:here|at|for))|(?:have|has) not(?: got)? an?y?"
    "|(?:no|zero|0) (?:results?|match(?:es)?|hits?|entries|records?)"
    "|(?:is|are) unknown|nowhere|absent from|missing (?:in|from)|not existing|(?:i|we) not find",
    r"(?:i|we) can not(?=\W*$)",
    r"neither (?:[\w'-]+ ){1,12}(?:exists?|has|contains?|(?:was|were|could be|can be) found)",
    r"no (?:[\w'-]+ ){1,6}(?:is )?(?:on file|there|in (?:the|your|our))",
    "none (?:has|have|is|are|was|were|of)",
    "there (?:is|are|was|were) (?:no|not|nobody|none)",
    rf"(?:no|nobody|none) (?!{_NO_MATTER})(?:[\w'.-]+ ){{1,12}}"
    r"(?:exists?|is (?:scheduled|listed|stored|registered)|(?:was |were )?found|called|named"
    r"|match\w*|(?:by|with|of) (?:that|this) name)",
    r"no (?:[\w'-]+ ){1,8}(?:was|were|could be) (?:found|returned)",
    r"no (?:\w+ ){1,4}(?:turned up|came up|has (?:that|this) name)",
    "not (?:found|available|on file|(?:in|on|part of) (?:it|the|our|your|any|this)|among|listed"
    "|registered|there|here|present|doable|one of|on record|any(?:body|one|where)|some(?:body|one)"
    "|an? (?!(?:problem|issue|big|must|secret|single|thing)\\b)\\w+)",
    "beyond (?:what|my)",
    "nobody (?:called|named|with|by)|nobody (?:in the directory|here) is (?:called|named)",
    "(?:has|have|had|contains?|shows?) no (?:entry|entries|record|match(?:es)?|such|one|customer"
    "|colleague)|lists? (?:no|nobody)|without (?:success|luck|result)",
    "(?:returns|returned|received|found|gave|got|brought(?: up)?|turned up) (?:no|none|nothing"
    "|nobody|zero|an empty)|(?:came back|came up|is|was|were|are) empty",
)
"""What says that something cannot be done, or is not there."""

_WORK_DONE = (
    "(?:done|carr(?:y|ied) (?:it |this |that )?out|completed?|fulfil+(?:ed)?|book(?:ed)?|created?"
    "|sen[dt]|updated?|changed?|made?|make|performed?|process(?:ed)?|moved?|(?:re)?assign(?:ed)?|add(?:ed)?|forward(?:ed)?"
    "|reply|replied|(?:re)?scheduled?|executed?|finish(?:ed)?|handled?|do|edited|proceed(?:ed)?"
    "|(?:go|gone|went) (?:ahead|out)"
    "|modified|altered|touched|saved|entered|set|deleted|answered|put|passed|pass(?:ed)? on|edits?"
    "|registered|arranged)"
)
_PAST = (
    "(?:done|carried out|completed|fulfilled|booked|created|sent|updated|changed|made|performed"
    "|processed|moved|(?:re)?assigned|added|forwarded|(?:re)?scheduled|executed|edited|modified"
    "|altered|touched|saved|entered|set|deleted|answered|put|passed on|registered|arranged"
    "|applied|taken)"
)
_AS_BEFORE = (
    "(?:unchanged|untouched|unaltered|unmodified|undone|unset|the same"
    "|(?:as|the way) (?:it|they) (?:is|are|was|were)|as (?:is|before))"
)
_FULFILLED = "(?:carried out|completed|fulfil+ed|executed|performed)"
_REQUEST = (
    "(?:this|that|it|your request|the request|what you asked(?: for)?|anything(?! else)"
    "|any of (?:it|this|that))"
)
_DOING = (
    "(?:changing|doing|moving|sending|making|updating|touching|altering|modifying|writing|taking"
    "|booking|creating|scheduling)"
)
_DENIES = any_of(
    rf"(?:{_REQUEST}|which|they|both) (?:can|could) (?:\w+ )?not be {_WORK_DONE}",
    rf"(?:can|could) not (?:{_WORK_DONE}|help|(?:help|go through|comply|proceed) with)"
    rf" {_REQUEST}",
    rf"(?:unable|not(?: been)? able|not possible|impossible|failed|refuse|decline|not|forbidden)"
    rf" (?:for me )?to {_WORK_DONE} {_REQUEST}",
    rf"(?:unable|not(?: been)? able|failed) to {_WORK_DONE}",
    "(?:will|would) not be possible|not something i can do|no can do|(?:this|that|it) did not work",
    r"(?:took no|not taken? any|no) action(?= was| has| taken|\W*$)",
    "(?:databases?|everything|all|calendar|data|records?) (?:is|are|was|were|remains?|stays?)"
    "(?: all)? (?:unchanged|untouched)",
    "(?:did|does|do) not (?:go through|succeed|allow|permit|let)|nothing i (?:can|could) (?:\\w+)"
    rf"|held off(?: on)? {_DOING} (?:the|your|it|this|that|anything)",
    rf"(?:^|[.!;:] )(?:can|could|did) not {_WORK_DONE}(?! anything else| any other| more)",
    "unable to (?:comply|proceed|continue|help)",
    rf"(?:i|we)(?: therefore| thus)? (?:did|do|will|would|shall)(?: \w+)? not {_WORK_DONE}"
    "(?! anything else| any other| more)",
    rf"not to {_WORK_DONE} any|request (?:was |is )?(?:denied|rejected)",
    r"(?:(?:was|were|am|been|is|are|has|have|had|request)(?: \w+)? |^|(?<=[.!;:] ))"
    rf"(?:not|never)(?: yet)?(?: been)? {_WORK_DONE}(?! to\b| anything else| any other| more)",
    rf"{_REQUEST} (?:is|was) (?:not possible|not feasible|impossible)(?! (?:earlier|sooner))",
    "^(?:not possible|impossible)|not feasible to",
    rf"(?:^|[.!;] )(?:nothing {_WORK_DONE}|no changes? made(?! to))",
    rf"no (?!(?:other|further|more|additional)\b)(?:[\w'-]+ ){{1,6}}"
    rf"(?:(?:was|were|is|got|has been|have been) )?{_PAST}(?! to\b)",
    rf"[\w'_-]{{2,30}} not (?:yet |been ){{0,2}}{_PAST}(?! to\b| anything else| any other| more)",
    rf"(?<!rest )(?:is|are|was|were|remains?|remained|stays?|stayed) (?:all )?{_AS_BEFORE}",
    rf"(?<!rest )[\w-]{{1,30}}:? (?:unchanged|untouched|unaltered)(?=\W*$)|(?:leave|leaving|left) "
    rf"(?!(?:the )?(?:rest|other)\b)(?:\w+ ){{0,3}}(?:{_AS_BEFORE}|alone)",
    r"(?:changes?(?: made)?|actions?(?: taken)?|updates?)\W{1,3}none|(?:did|has) not happen(?:ed)?",
    r"(?:request|attempt|booking|forwarding|update|change|move|search) (?:failed|fails)",
    rf"(?:nothing|no changes?|none of (?:it|this|that))(?: at all)?(?: (?:was|were|has|have|is|been"
    rf"|got|could be)){{1,2}} {_WORK_DONE}",
    rf"(?:i|we)(?: have)? (?:\w+ )?{_WORK_DONE} (?:nothing(?! else| more| other)"
    "|none of|no (?!other|further|more|additional)\\w+(?! to (?:any|the) other| beyond| besides))",
    "i did nothing(?! else| more)|(?:request|attempt) failed|as (?:it|they) (?:was|were) before",
    "nothing (?:happened|has happened|to (?:change|do))",
    "(?:have to|must) (?:decline|refuse)|(?:gave|give|given) up",
    "without (?:doing|changing|sending|moving|booking|making|adding) any(?:thing)?",
)
"""What says that nothing was done, unless the text says too that something was."""

_NO_CHANGE = (
    "(?:no|zero|not (?:a|one)(?: single)?) (?:changes?|updates?|modifications?|edits?|actions?"
    "|steps?|thing|row|entry|record)"
)
_VERY = "(?: (?:really|actually|in fact|at all|ever|yet|so far|still|ultimately|even|whatsoever))?"
_DENIES_ALL = any_of(
    rf"(?:nothing|none of (?:it|this|that)|{_NO_CHANGE}){_VERY}(?: (?:was|were|has|have|had|is|been"
    rf"|got)){{1,2}}{_VERY} (?:{_WORK_DONE}|taken|written|applied)",
    rf"(?:{_WORK_DONE}|did|took|taken|{_DOING}) (?:nothing|{_NO_CHANGE})",
    rf"(?:i|we) (?:(?:did|have|had|do)(?: \w+)? not|never){_VERY} (?:{_WORK_DONE}|did|took|taken?)"
    r" (?:a thing|one thing|a single \w+"
    "|any ?(?:thing|changes?|updates?|modifications?|edits?|actions?|steps?))",
    rf"(?:refrained|abstained) from {_DOING} any(?:thing| changes?)",
    rf"there (?:was|were|is|are|has been|have been) {_NO_CHANGE}",
    r"(?:^|with |: )(?:no|zero) changes?(?: made| at all| whatsoever)?(?=\W*$)",
    "(?:left|kept|leaving|keeping) (?:everything|it all|all of it|all|things|the databases?"
    r"|the data)(?: \w+)? (?:as (?:it|they) (?:is|are|was|were)|unchanged|untouched|alone)",
    "(?:everything|it all|the databases?|the data|the system|nothing)(?: all)? (?:is|are|was|were"
    r"|remains?|remained|stays?|stayed)(?: \w+)? (?:unchanged|untouched|unmodified|different"
    "|(?:just |exactly )?(?:as|like|what) (?:it|they) (?:was|were)|as before|the same|changed)",
    r"(?:not(?: been)? able|unable|failed) to (?:do|carry out|complete|fulfil+|execute) (?:it|this"
    "|that|so|(?:your|the) request)",
    r"(?:this|that|it|(?:your|the) request) (?:is|was|proved|turned out to be) (?:impossible"
    r"|not possible)(?=\W*$)",
    "nothing(?: has| ever| actually)? happened",
    "there (?:was|is) nothing (?:to|for me to) (?:do|change)",
    r"(?:your|the) (?:request|operation)s?(?: \w+)? (?:was|were|has|have|is|are|can|could)"
    rf"(?: \w+)? not(?: yet)?(?: be| been)? {_WORK_DONE}",
    r"(?:your|the) (?:request|operation)(?: has| was)? (?:failed|denied|rejected|refused)",
    rf"(?:this|that|it) (?:can|could|was|is|has)(?: \w+)? not (?:be |been )?(?:done|{_FULFILLED})",
    rf"(?:i|we) (?:did|do|have|had|can|could)(?: \w+)? not{_VERY} (?:do|done|carr(?:y|ied)(?: out)?"
    "|fulfil+(?:ed)?|completed?) (?:it|this|that|so|(?:your|the) request|what you)",
)
"""What says that nothing at all was done, even beside a claim that it was."""

_ELSE = any_of(
    "else|others?|otherwise|more|further|additional|extra|besides?|beyond|apart|aside|except"
    "|rest|unless|until|before (?:you|your|i|we|that|this|the)|earlier|sooner|at first|only the"
)
"""What limits a sentence to a part of the work."""

_BUT = any_of(
    "but|than|only|twice|again|wrong|unnecessar(?:y|ily)|by mistake|without|which|so that"
    "|that (?:you|was|were|is|should|did)",
    r"(?:nothing|changes?|updates?|modifications?|anything|thing)(?: (?:was|were|has|have|been"
    "|made|changed|done)){0,3} (?:about|of|on|in|to|at|for|from|regarding|concerning|with)"
    r" (?!(?:the |your )?(?:databases?|data|systems?|tools?|all|fact|end|do|change)\b)",
)
"""What does so behind the denial."""

_SMALL_TALK = re.compile(
    r"\W*(?:(?:i am |we are |very |so |really |my |oh |hi|hello|dear \w+|thanks?(?: you)?"
    r"|unfortunately|sorry|apolog\w+|regret\w*|for|request|this|that|the|about|inconvenience|afraid"
    r"|please|have a nice day|i would|love|like|glad|happy|to help|best regards|regards)[ ,]*)"
    r"{1,8}\W*$"
)
"""A sentence that says nothing of the work."""

_DONE = (
    "(?:done|booked|sent|moved|changed|updated|created|added|forwarded|replied|answered|assigned"
    "|reassigned|rescheduled|corrected|completed|entered|scheduled|handed over|pushed|extended"
    "|shifted|postponed|put|stored|saved|made|gave|given|set(?: up)?|wrote|written|invited|removed"
    "|deleted|altered|modified|edited|adjusted|registered|placed|arranged|recorded|submitted)"
)
_PREAMBLE = re.compile(
    r"\W*(?:(?:but|and|so|then|first|after|however|unfortunately|sorry|hello|hi)\b,? ?){0,3}"
    r"(?:(?:(?:i|we)(?: have| had| just| also){0,2} )?"
    "(?:searched|searching|looked|looking|checked|checking|queried|tried"
    "|(?:went|gone) (?:through|over))"
    r"|(?:the|your|our|all) (?:[\w'-]+ ){1,4}(?:was|were|has been|have been) (?:searched|checked)"
    "|you (?:ask|asked|want|wanted|requested|mention|mentioned)|(?:please )?(?:check|verify) the"
    "|you (?:may|might|could) (?:want|wish|like|try|check)"
    r"|(?:i|we) (?:only )?(?:found|see) (?:[\w'-]+ ){0,3}(?:only|similar|named|called)"
    r"|the (?:closest|nearest|most similar))\b"
    r"(?!.{0,600}\b(?:now|(?:and|then)(?: i| then| have){0,2} "
    "(?!searched|looked|checked|queried|tried)"
    r"(?:\w{2,12}ed|wrote|set|gave|made|put|told|let|sent|did))\b)"
)
"""The beginning of a clause about a search, or about what was asked for, and not about a change."""

_OTHER = any_of("else|others?|another|earlier|sooner|older|newer|second")
"""What keeps a refusal from being about what was asked for: `there is nobody else`."""

_IS_DONE = any_of(
    rf"(?:is|are|was|were|been|have|has)(?: (?:now|just|already|all|both|also)){{0,2}} {_DONE}",
    rf"i (?:(?:now|just|already|also) )?{_DONE}",
    rf"(?:and|then) {_DONE} \w+|(?:is|are|starts?|begins?|runs?|has|have)(?: \w+){{0,2}} now",
    r"(?<!for )(?<!right )(?<!by )(?<!until )now(?=\W*$)",
    "(?:all|everything) (?:done|set)|taken care of|went out|all sorted",
    rf"(?:^|[.!;] ){_DONE} (?:to|the|your|an?|it)"
    r"|[\w'-]{1,30} (?:changed|updated|moved|reassigned|rescheduled|set) to",
    r"(?<!\w )(?<!\w)(?:done|sent|booked|sorted|finished)(?= ?[.!,:\u2013-]|$)",
)
"""What says that something was done, unless the clause denies it."""
_IS_NOT = any_of(
    "not|no|nothing|none|nobody|never|neither|nor|unable|before|unless|until|if|once",
    "can|could|would|will|should",
)
"""What keeps a clause from saying that something was done."""

_SENTENCES = re.compile(r"(?<=[.!?;])\s|\n")
_SO = re.compile(
    r",?(?= (?:so|and|then|therefore|hence|thus|although|though|even though) )"
    r"|,(?= (?:i|we|it|the|a|as) )"
    r"|(?<=\w)(?:,? because|, since) .*"
)
_HEDGE = re.compile(
    r"^\W*(?:and |but |so )?(?:if|unless|whether)\b"
    r"|\b(?:maybe|perhaps|possibly|(?:may|might) (?:not )?be)\b"
)
"""What keeps a clause from saying that something is so."""
_WHY = re.compile(r"\W*(?:why|what happened)\W*:\W*")
_LABEL = re.compile(r"\W{0,6}[\w'-]{1,20}(?: [\w'-]{1,20}){0,3} {0,3}:\W{0,6}")
_APPEAL = re.compile(
    r"\?\s*$|\b(?:please|your (?:message|request)|need|(?:can|could|would|will|did|have) you"
    r"|you (?:gave|give|named|mentioned|said|stated|specified)"
    r"|know|tell|until|yet|still|unclear"
    r"|(?:work|find|figure|make) out"
    r"|(?:do|did) not (?:have|see) (?:the|an?)(?!.*\b(?:exist|called|named|name\b)))\b"
)
"""What a report about the work lacks."""
_NEGATION = any_of(
    "not|no|none|nobody|nothing|neither|nor|never|unable|impossible|without|missing|absent|unknown"
    r"|fail\w*|unsuccessful\w*|zero|empty|nowhere"
)
_WORD = re.compile(r"\w")


def says_cannot(text: str) -> bool:
    """Return whether a text says that something cannot be done, or is not there."""
    return any(
        _CANNOT.search(clause) and not _HEDGE.search(clause) for clause in CLAUSES.split(text)
    )


def is_report(clause: str) -> bool:
    """Return whether a clause reports a refusal or a denial, and asks nothing of the user."""
    reports = _WHY.fullmatch(clause) or _CANNOT.search(clause) or _DENIES.search(clause)
    return reports is not None and not _APPEAL.search(clause)


def says_done(text: str) -> bool:
    """Return whether a text says that something was done.

    Example:
        >>> says_done("the mail was sent."), says_done("the mail was not sent.")
        (True, False)
    """
    return any(
        _IS_DONE.search(clause) and not _IS_NOT.search(clause)
        for part in CLAUSES.split(text)
        for clause in _SO.split(part)
    )


def denies(text: str) -> bool:
    """Return whether a text says that nothing was done, or only that something cannot be done.

    In a text that says that something was done, only a sentence that denies all of it counts.
    Beside a refusal, a text may say what was searched for. A statement that there is no other one
    is not a refusal.

    Example:
        >>> denies("it is done. i changed nothing."), denies("it is done. i changed nothing else.")
        (True, False)
    """
    for sentence in _SENTENCES.split(text):
        denial = _DENIES_ALL.search(sentence)
        if denial and not (_ELSE.search(sentence) or _BUT.search(sentence, denial.start())):
            return True
    if says_done(text):
        return False
    if _DENIES.search(text):
        return True
    refuses = False
    for clause in CLAUSES.split(text):
        if says_cannot(clause):
            refuses = refuses or not _OTHER.search(clause)
        elif _WORD.search(clause) and not any(
            (
                _SMALL_TALK.match(clause),
                _LABEL.fullmatch(clause),
                _PREAMBLE.match(clause),
                _NEGATION.search(clause),
            )
        ):
            return False
    return refuses
