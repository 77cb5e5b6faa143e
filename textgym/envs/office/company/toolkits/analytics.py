"""Analytics: the visits to the company's website, and plots of them."""

from __future__ import annotations

from typing import Any

from textgym.envs.office.tool_arguments import (
    Text,
    Toolkit,
    date_text,
    lies_between,
    not_found,
    one_of,
    require,
)
from textgym.tools import tool
from textgym.verifiers.state import Row

__all__ = ["AnalyticsTools"]

_VALUES = (
    "total_visits", "session_duration_seconds", "user_engaged", "visits_direct",
    "visits_referral", "visits_search_engine", "visits_social_media",
)  # fmt: skip
_SOURCES = ("direct", "referral", "search engine", "social media")
_PLOTS = ("bar", "line", "scatter", "histogram")


class AnalyticsTools(Toolkit):
    """Counts visits by day, and plots them."""

    @tool
    def analytics_get_visitor_information_by_id(
        self, visitor_id: Text = ""
    ) -> list[dict[str, Any]]:
        """Read all visits of a visitor.

        Args:
            visitor_id: The visitor's id.
        """
        require(visitor_id=visitor_id)
        rows = self.database.records["analytics"].groups("visitor_id").get(visitor_id, [])
        if not rows:
            raise not_found("visitor", visitor_id)
        return [{**row, "user_engaged": _engaged(row)} for row in rows]

    @tool
    def analytics_create_plot(
        self,
        time_min: Text = "",
        time_max: Text = "",
        value_to_plot: Text = "",
        plot_type: Text = "",
    ) -> str:
        """Plot a value by day, and return the path of the image.

        Args:
            time_min: The first day, as YYYY-MM-DD.
            time_max: The last day, as YYYY-MM-DD.
            value_to_plot: 'total_visits', 'session_duration_seconds', 'user_engaged',
                'visits_direct', 'visits_referral', 'visits_search_engine' or
                'visits_social_media'.
            plot_type: 'bar', 'line', 'scatter' or 'histogram'.
        """
        require(time_min=time_min, time_max=time_max)
        one_of("value_to_plot", value_to_plot, _VALUES)
        one_of("plot_type", plot_type, _PLOTS)
        first, last = _day("time_min", time_min), _day("time_max", time_max)
        path = f"plots/{first}_{last}_{value_to_plot}_{plot_type}.png"
        self.table("plots").add({"file_path": path})
        return path

    @tool
    def analytics_total_visits_count(
        self, time_min: Text = "", time_max: Text = ""
    ) -> dict[str, int]:
        """Count the visits of each day.

        Args:
            time_min: The first day, as YYYY-MM-DD.
            time_max: The last day, as YYYY-MM-DD.
        """
        return {day: len(rows) for day, rows in self._by_day(time_min, time_max).items()}

    @tool
    def analytics_engaged_users_count(
        self, time_min: Text = "", time_max: Text = ""
    ) -> dict[str, int]:
        """Count the engaged visitors of each day.

        Args:
            time_min: The first day, as YYYY-MM-DD.
            time_max: The last day, as YYYY-MM-DD.
        """
        days = self._by_day(time_min, time_max)
        return {day: sum(map(_engaged, rows)) for day, rows in days.items()}

    @tool
    def analytics_traffic_source_count(
        self, time_min: Text = "", time_max: Text = "", traffic_source: Text = ""
    ) -> dict[str, int]:
        """Count the visits of each day that came from one source.

        Args:
            time_min: The first day, as YYYY-MM-DD.
            time_max: The last day, as YYYY-MM-DD.
            traffic_source: 'direct', 'referral', 'search engine' or 'social media'. If omitted, all
                visits are counted.
        """
        if traffic_source:
            one_of("traffic_source", traffic_source, _SOURCES)
        days = self._by_day(time_min, time_max)
        return {
            day: sum(not traffic_source or row["traffic_source"] == traffic_source for row in rows)
            for day, rows in days.items()
        }

    @tool
    def analytics_get_average_session_duration(
        self, time_min: Text = "", time_max: Text = ""
    ) -> dict[str, float]:
        """Return the average length of a visit in seconds, for each day.

        Args:
            time_min: The first day, as YYYY-MM-DD.
            time_max: The last day, as YYYY-MM-DD.
        """
        days = self._by_day(time_min, time_max)
        return {
            day: sum(float(row["session_duration_seconds"] or 0) for row in rows) / len(rows)
            for day, rows in days.items()
        }

    def _by_day(self, time_min: str, time_max: str) -> dict[str, list[Row]]:
        days = self.database.records["analytics"].groups("date_of_visit")
        first, last = _day("time_min", time_min), _day("time_max", time_max)
        return {day: days[day] for day in days if day and lies_between(day, first, last)}


def _engaged(row: Row) -> bool:
    return row["user_engaged"] == "True"


def _day(name: str, text: str) -> str:
    """Return the day of a date, or ""."""
    return text and date_text(name, text)[:10]
