"""A second solver of function calls, written apart from the generator: it reads what a model reads.

Tools are read by their descriptions and schemas, never by their names. The request is read by
patterns for each argument.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any

ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_SMALL = "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve"
WORDS = {word: n for n, word in enumerate(_SMALL.split(", "))}
NUMBER = rf"(?:[\d,.]*\d|{'|'.join(WORDS)})"
DAY = r"\w+ \d{1,2}, \d{4}|\d{1,2} \w+ \d{4}|the (?:same )?day .*? part"
TIME = r"\d{1,2}:\d\d(?: [ap]m)?"
NAME = r"[A-Z]\w+ [A-Z]\w+"
LIST = r"[a-z]+(?:, [a-z]+)* and [a-z]+"
VERBS = {
    "book": r"\bbook(?:ed)?\b",
    "send": r"send",
    "set": r"\bset\b",
    "reserve": r"reserve",
    "log": r"\blog\b",
    "create": r"create|please make|i need an? (?:invoice|quote|receipt|voucher)",
    "schedule": r"schedule|into my calendar",
    "ship": r"\bship(?:ped)?\b",
    "rent": r"rent",
}
ARGUMENTS = {
    "origin": r"from ([A-Z]\w+)",
    "destination": r"(?<!\w)to ([A-Z]\w+)",
    "date": rf"(?:on|dated|from) ({DAY})",
    "passengers": rf"for ({NUMBER}) passengers",
    "fare": r"at the (\w+) fare",
    "recipient": rf"(?:to|addressed to) ({NAME})",
    "subject": r"(?:about|concerning) (the [a-z]+ [a-z]+)",
    "priority": r"with (\w+) priority",
    "room": r"in the (?!name)(\w+)",
    "temperature": rf"to ({NUMBER}) degrees",
    "until": rf"until ({TIME})",
    "mode": r"in (\w+) mode",
    "name": rf"in the name of ({NAME})",
    "start": rf"(?:from|starting at) ({TIME})",
    "hours": rf"for ({NUMBER}) hours",
    "distance_km": rf"(?:of|over) ({NUMBER} (?:kilo)?metres)",
    "minutes": rf"(?:in|for|lasting) ({NUMBER}) minutes",
    "effort": r"with (\w+) effort",
    "customer": rf"(?:for|made out to) ({NAME})",
    "amount": rf"(?:an amount of|worth) ({NUMBER})",
    "currency": r"in (euros|dollars|pounds)",
    "person": rf"with ({NAME})",
    "time": rf"at ({TIME})",
    "address": r"\[(.*?)\]",
    "weight_kg": rf"weighing ({NUMBER} (?:kilo)?grams)",
    "contents": rf"(?<!together )with ({LIST})",
    "extras": rf"together with ({LIST})",
    "speed": r"by (\w+) mail",
    "days": rf"for ({NUMBER}) days",
}
FLAGS = {
    "with_bicycle": "with a bicycle",
    "confidential": "in confidence",
    "recurring": "every week",
    "online": "as a video call",
    "insured": "with insurance",
}


def read_calls(row: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that the request of a row needs; none if no tool fits."""
    request = row["question"][-1]["content"]
    parts = [re.sub(r"^\w+ part: ", "", line) for line in request.split("\n")]
    days: list[date | None] = []
    calls = []
    for part in parts:
        tool, arguments = _fitting_tool(part, row["function"], days)
        days.append(date.fromisoformat(arguments["date"]) if "date" in arguments else None)
        if tool is None:
            return []
        calls.append((tool["name"], arguments))
    return calls


def _fitting_tool(part: str, tools: list[Any], days: list[Any]) -> tuple[Any, dict[str, Any]]:
    verb = next(verb for verb, pattern in VERBS.items() if re.search(pattern, part, re.I))
    found: dict[str, Any] = {}
    fitting = []
    for tool in tools:
        does, _, thing = tool["description"].removesuffix(".").partition(" ")
        thing = re.sub(r"^an? ", "", thing)
        if does.lower() != verb or not re.search(rf"\b{thing}\b", part.split(" about ")[0]):
            continue
        found = _stated(part, verb, days)
        properties = tool["parameters"]["properties"]
        if found.keys() <= properties.keys() and all(
            value <= properties[name].get("maximum", value)
            for name, value in found.items()
            if type(value) is int
        ):
            fitting.append(tool)
    assert len(fitting) < 2, (part, fitting)
    return (fitting[0] if fitting else None), found or _stated(part, verb, days)


OF_VERB = {
    "book": "origin destination date passengers fare with_bicycle",
    "send": "recipient subject priority confidential",
    "set": "room temperature until mode",
    "reserve": "name date start hours recurring",
    "log": "distance_km minutes date effort",
    "create": "customer amount date currency",
    "schedule": "person date time minutes online",
    "ship": "recipient weight_kg contents speed",
    "rent": "customer days extras date insured",
}


def _stated(part: str, verb: str, days: list[Any]) -> dict[str, Any]:
    """Return the arguments that a part states."""
    found: dict[str, Any] = {}
    for name in OF_VERB[verb].split():
        if name in FLAGS:
            if FLAGS[name] in part:
                found[name] = True
            continue
        is_address = name in ("recipient", "customer") and "[" in part
        match = re.search(ARGUMENTS["address" if is_address else name], part)
        if match:
            found[name] = _value("address" if is_address else name, match[1], days)
    return found


def _value(name: str, text: str, days: list[Any]) -> Any:
    if name == "date":
        return _day(text, days).isoformat()
    if name in ("until", "start", "time"):
        form = "%I:%M %p" if text.endswith("m") else "%H:%M"
        return datetime.strptime(text, form).strftime("%H:%M")
    if name in ("passengers", "hours", "minutes", "days"):
        return WORDS[text] if text in WORDS else int(text)
    if name in ("distance_km", "weight_kg"):
        number, unit = text.split(" ")
        size = float(number.replace(",", ""))
        return size if unit.startswith("kilo") else size / 1000
    if name in ("temperature", "amount"):
        return float(text)
    if name in ("contents", "extras"):
        return re.findall(r"[a-z]+", text.replace(" and ", ", "))
    if name == "address":
        person, street, city = text.split(", ")
        number, _, street = street.partition(" ")
        return {"name": person, "street": street, "number": int(number), "city": city}
    return text


def _day(text: str, days: list[Any]) -> date:
    if not text.endswith("part"):
        form = "%d %B %Y" if text[0].isdigit() else "%B %d, %Y"
        return datetime.strptime(text, form).date()
    earlier = days[ORDINALS[text.split()[-2]]]
    if "same" in text:
        return earlier
    count = re.search(r"the day (\d+) days after", text)
    return earlier + timedelta(days=int(count[1]) if count else 1)
