"""The workplace tools, one module for each toolkit."""

from textgym.envs.workplace.toolkits.analytics import AnalyticsTools
from textgym.envs.workplace.toolkits.calendar import CalendarTools
from textgym.envs.workplace.toolkits.customers import CustomerTools
from textgym.envs.workplace.toolkits.directory import DirectoryTools
from textgym.envs.workplace.toolkits.email import EmailTools
from textgym.envs.workplace.toolkits.projects import ProjectTools

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
