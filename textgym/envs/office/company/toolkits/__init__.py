"""The workplace tools, one module for each toolkit."""

from textgym.envs.office.company.toolkits.analytics import AnalyticsTools
from textgym.envs.office.company.toolkits.calendar import CalendarTools
from textgym.envs.office.company.toolkits.customers import CustomerTools
from textgym.envs.office.company.toolkits.email import DirectoryTools, EmailTools
from textgym.envs.office.company.toolkits.projects import ProjectTools

__all__ = ["TOOLKITS", "Tools"]

TOOLKITS = (  # the prefixes of the tools' names
    "company_directory",
    "email",
    "calendar",
    "analytics",
    "project_management",
    "customer_relationship_manager",
)


class Tools(DirectoryTools, EmailTools, CalendarTools, AnalyticsTools, ProjectTools, CustomerTools):
    """All tools."""
