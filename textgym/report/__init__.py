"""Reports of audits as HTML, in `audit_page`."""

from textgym.report.audit_page import html_page

__all__ = ["html_page"]
