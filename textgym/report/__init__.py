"""Pages for people: audits in `audit_page`, runs and histories in `run_page`."""

from textgym.report.audit_page import html_page
from textgym.report.run_page import report_page

__all__ = ["html_page", "report_page"]
