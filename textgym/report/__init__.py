"""Pages for people. `audit_page`: reports of audits as HTML."""

from textgym.report.audit_page import html_page

__all__ = ["html_page"]
