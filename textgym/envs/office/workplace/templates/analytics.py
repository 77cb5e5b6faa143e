"""Templates about the visits of the website."""

from __future__ import annotations

from datetime import date

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft
from textgym.envs.office.workplace.templates.template import ANALYTICS, template

VALUES = {
    "total visits": "total_visits",
    "average session duration": "session_duration_seconds",
    "engaged users": "user_engaged",
    "direct visits": "visits_direct",
    "visits by referral": "visits_referral",
    "visits from search engines": "visits_search_engine",
    "visits from social media": "visits_social_media",
}
TOOLS = {
    "total visits": "total_visits_count",
    "average session duration": "get_average_session_duration",
    "engaged users": "engaged_users_count",
}
KINDS = {"bar chart": "bar", "line chart": "line", "scatter plot": "scatter"}
PLOTS = {**KINDS, "histogram": "histogram"}


def days_of(draft: CompanyDraft, since: date, until: date) -> dict[str, str]:
    """Return the slots of a period."""
    return {"since": draft.day(since), "until": draft.day(until)}


def by_source(draft: CompanyDraft, since: date, until: date) -> dict[str, float]:
    """Look up the number of visits from each source in a period."""
    return {
        source: sum(
            draft.visits("traffic_source_count", since, until, traffic_source=source).values()
        )
        for source in words.SOURCES
    }


def value_of(source: str) -> str:
    """Return the value to plot for a source."""
    return f"visits_{source.replace(' ', '_')}"


def on(figures: dict[str, float], day: date) -> float:
    """Return the value of a day; 0 if it is missing."""
    return {date[:10]: figure for date, figure in figures.items()}.get(day.isoformat(), 0)


@template(
    1,
    ANALYTICS,
    "Make a {kind} of {value} from {since} to {until}",
    "Please plot {value} between {since} and {until} as a {kind}",
    "I would like to see {value} for the days {since} to {until} in a {kind}",
)
def _plot_period(draft: CompanyDraft) -> dict[str, str]:
    value, kind = draft.choice(tuple(VALUES)), draft.choice(tuple(PLOTS))
    since, until = draft.period(3, 25)
    draft.plot(VALUES[value], PLOTS[kind], since, until)
    return {"value": value, "kind": kind, **days_of(draft, since, until)}


@template(
    1,
    ANALYTICS,
    "Show me how {value} were distributed on {day}, as a histogram",
    "Please make a histogram of {value} for the one day {day}",
    "Can you plot a histogram of the {value} on {day}?",
)
def _distribution_of_day(draft: CompanyDraft) -> dict[str, str]:
    value = draft.choice(tuple(value for value in VALUES if value != "average session duration"))
    day = draft.past_day()
    draft.plot(VALUES[value], "histogram", day, day)
    return {"value": value, "day": draft.day(day)}


@template(
    2,
    ANALYTICS,
    "Make a {kind} of {one} and another of {other}, both from {since} to {until}",
    "Plot {one} and {other} separately as a {kind} each, for {since} to {until}",
    "I need two plots for the time from {since} to {until}: a {kind} of {one}, and a {kind} of"
    " {other}",
)
def _two_plots(draft: CompanyDraft) -> dict[str, str]:
    first, second = draft.choice(tuple(VALUES)), draft.choice(tuple(VALUES))
    draft.need(first != second)
    kind, (since, until) = draft.choice(tuple(PLOTS)), draft.period(3, 25)
    draft.plot(VALUES[first], PLOTS[kind], since, until)
    draft.plot(VALUES[second], PLOTS[kind], since, until)
    return {"one": first, "other": second, "kind": kind, **days_of(draft, since, until)}


@template(
    2,
    ANALYTICS,
    "On which day from {since} to {until} did we have the {most} visits? Make a histogram of the"
    " total visits of that single day.",
    "Find the day with the {most} visits between {since} and {until}, both included, and plot the"
    " distribution of total visits on that day as a histogram",
    "Please plot total visits as a histogram, only for the day with the {most} visits in the period"
    " {since} to {until}",
)
def _extreme_day(draft: CompanyDraft) -> dict[str, str]:
    (since, until), most = draft.period(4, 9), draft.choice(("most", "fewest"))
    figures = draft.visits("total_visits_count", since, until)
    day = date.fromisoformat(draft.top(figures, lowest=most == "fewest")[:10])
    draft.plot("total_visits", "histogram", day, day)
    return {"most": most, **days_of(draft, since, until)}


@template(
    3,
    ANALYTICS,
    "Plot the visits from whichever traffic source brought the {most} visits from {since} to"
    " {until}, as a {kind} over these days",
    "Which traffic source had the {most} visits between {since} and {until}? Make a {kind} of its"
    " visits over that time.",
    "Make a {kind}, for {since} to {until}, of the traffic source that had the {most} visits in"
    " that period",
)
def _extreme_source(draft: CompanyDraft) -> dict[str, str]:
    (since, until), kind = draft.period(4, 14), draft.choice(tuple(KINDS))
    most = draft.choice(("most", "fewest"))
    source = draft.top(by_source(draft, since, until), lowest=most == "fewest")
    draft.plot(value_of(source), KINDS[kind], since, until)
    return {"most": most, "kind": kind, **days_of(draft, since, until)}


@template(
    3,
    ANALYTICS,
    "Which day had more {value}, {one} or {other}? Make a histogram of total visits for that day.",
    "Compare {value} on {one} and on {other}, and plot the distribution of total visits as a"
    " histogram for the day with the higher figure",
    "Take whichever of {one} and {other} has the higher figure of {value}, and make a histogram of"
    " the total visits of that day alone",
)
def _better_of_two_days(draft: CompanyDraft) -> dict[str, str]:
    value, first, second = draft.choice(("total visits", "engaged users")), *draft.period(2, 12)
    figures = {day: on(draft.visits(TOOLS[value], day, day), day) for day in (first, second)}
    best = draft.top(figures)
    draft.plot("total_visits", "histogram", best, best)
    return {"value": value, "one": draft.day(second), "other": draft.day(first)}


@template(
    4,
    ANALYTICS,
    "If {value} on {until} were higher than on {since}, make a line chart of {value} from the one"
    " day to the other. If they were not, make a bar chart of it over the same days.",
    "Did {value} grow between {since} and {until}, taking just these two days? Plot {value} from"
    " the first to the second: as a line chart if so, as a bar chart if not.",
    "Compare {value} of {until} with those of {since}: higher means a line chart of {value} over"
    " the period between them (both days included), anything else a bar chart of the same",
)
def _line_if_grown(draft: CompanyDraft) -> dict[str, str]:
    value, (since, until) = draft.choice(("total visits", "engaged users")), draft.period(3, 20)
    figures = [on(draft.visits(TOOLS[value], day, day), day) for day in (since, until)]
    kind = "line" if figures[1] > figures[0] else "bar"
    draft.plot(VALUES[value], kind, since, until)
    return {"value": value, **days_of(draft, since, until)}


@template(
    4,
    ANALYTICS,
    "Was there a day from {since} to {until} with more than {limit} visits in total? If so, plot"
    " total visits over these days as a {kind}.",
    "Please check if we ever had more than {limit} visits on a day between {since} and {until}. If"
    " we did, make a {kind} of total visits for that time, otherwise leave it.",
    "Only if total visits were above {limit} on some day from {since} to {until}, make a {kind} of"
    " total visits from the first to the last of these days",
    may_do_nothing=True,
)
def _plot_if_ever_above(draft: CompanyDraft) -> dict[str, str]:
    (since, until), kind = draft.period(3, 14), draft.choice(tuple(KINDS))
    limit = draft.randint(12, 18)
    if max(draft.visits("total_visits_count", since, until).values()) > limit:
        draft.plot("total_visits", KINDS[kind], since, until)
    return {"limit": str(limit), "kind": kind, **days_of(draft, since, until)}


@template(
    4,
    ANALYTICS,
    "From {since} to {until}, did we get more visits from {one} or from {other}? Make a {kind} of"
    " the stronger of the two for these days.",
    "Compare the visits that came by {one} with those by {other} between {since} and {until}, and"
    " plot whichever had more in all as a {kind} over that period",
    "Of the traffic sources {one} and {other}, plot the one with more visits in total from {since}"
    " to {until}, over the same days, as a {kind}",
)
def _stronger_source(draft: CompanyDraft) -> dict[str, str]:
    first, second = draft.choice(words.SOURCES), draft.choice(words.SOURCES)
    draft.need(first != second)
    (since, until), kind = draft.period(3, 14), draft.choice(tuple(KINDS))
    best = draft.top(
        {
            source: sum(
                draft.visits("traffic_source_count", since, until, traffic_source=source).values()
            )
            for source in (first, second)
        }
    )
    draft.plot(value_of(best), KINDS[kind], since, until)
    return {"one": first, "other": second, "kind": kind, **days_of(draft, since, until)}


@template(
    5,
    ANALYTICS,
    "For each traffic source that brought more than {limit} visits in all from {since} to {until},"
    " make a {kind} of its visits over these days. Add a {kind} of engaged users for the same"
    " days.",
    "Plot engaged users from {since} to {until} as a {kind}, and likewise the visits of every"
    " traffic source that has more than {limit} visits in total in that period",
    "I need a {kind} of engaged users between {since} and {until}, plus one {kind} for each of the"
    " traffic sources with over {limit} visits altogether in that time",
)
def _strong_sources(draft: CompanyDraft) -> dict[str, str]:
    (since, until), kind = draft.period(4, 14), draft.choice(tuple(KINDS))
    totals = by_source(draft, since, until)
    limit = int(sum(totals.values()) / len(totals))
    strong = [source for source in words.SOURCES if totals[source] > limit]
    draft.need(strong)
    draft.plot("user_engaged", KINDS[kind], since, until)
    for source in strong:
        draft.plot(value_of(source), KINDS[kind], since, until)
    return {"limit": str(limit), "kind": kind, **days_of(draft, since, until)}


@template(
    5,
    ANALYTICS,
    "For every day from {since} to {until} with fewer than {limit} visits, make a histogram of the"
    " total visits of just that day",
    "Find all days between {since} and {until} (both included) on which we had fewer than {limit}"
    " visits, and plot a histogram of total visits for each of them by itself",
    "Days with fewer than {limit} visits worry me. Give me, for each one from {since} to {until},"
    " a histogram of total visits that covers that day alone.",
)
def _quiet_days(draft: CompanyDraft) -> dict[str, str]:
    (since, until), limit = draft.period(8, 20), draft.randint(6, 9)
    figures = draft.visits("total_visits_count", since, until)
    for text, figure in sorted(figures.items()):
        if figure < limit:
            day = date.fromisoformat(text[:10])
            draft.plot("total_visits", "histogram", day, day)
    draft.need(len(draft.writes) > 1)
    return {"limit": str(limit), **days_of(draft, since, until)}
