"""E-mail: the mailbox of the user."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from textgym.envs.workplace.toolkits.office import Desk, Text, page_of
from textgym.errors import ToolError
from textgym.tools import tool
from textgym.verifiers.state import Row, read_instant

__all__ = ["EmailTools"]

_SEARCHED = ("subject", "body", "sender/recipient")
_NO_ADDRESS = "Invalid recipient email address."


class EmailTools(Desk):
    """Reading, searching and sending."""

    @tool
    def email_get_email_information_by_id(
        self, email_id: Text = "", field: Text = ""
    ) -> str | dict[str, str | None]:
        """Read one field of an e-mail.

        Args:
            email_id: The e-mail's id.
            field: 'email_id', 'inbox/outbox', 'sender/recipient', 'subject', 'sent_datetime' or
                'body'.
        """
        if not email_id:
            return "Email ID not provided."
        if not field:
            return "Field not provided."
        row = self.table("emails").get(email_id)
        if row is None:
            return "Email not found."
        if field not in row:
            return f"Field '{field}' not found. Available fields: {', '.join(row)}"
        return {field: row[field]}

    @tool
    def email_search_emails(
        self,
        query: Text = "",
        date_min: Text = "",
        date_max: Text = "",
        page: int = 1,
        page_size: int = 5,
    ) -> str | dict[str, Any]:
        """Search e-mails, in and out; the latest are first.

        Args:
            query: Words in any case; each must be in the subject, the body or the address.
            date_min: The first day to search, as YYYY-MM-DD.
            date_max: The last day to search, as YYYY-MM-DD.
            page: Which page of the results to return, from 1.
            page_size: How many e-mails a page has.
        """
        found = self.table("emails").containing({_SEARCHED: query.split()})
        if date_min:
            first = _day("date_min", date_min)
            found = [row for row in found if _sent(row).date() >= first]
        if date_max:
            last = _day("date_max", date_max)
            found = [row for row in found if _sent(row).date() <= last]
        found.sort(key=_sent, reverse=True)
        return page_of("emails", found, page, page_size) if found else "No emails found."

    @tool
    def email_send_email(self, recipient: Text = "", subject: Text = "", body: Text = "") -> str:
        """Send an e-mail.

        Args:
            recipient: The address to send it to.
            subject: Its subject.
            body: Its text.
        """
        if not recipient or not subject or not body:
            return "Recipient, subject, or body not provided."
        if not _is_address(recipient):
            return _NO_ADDRESS
        self._send(recipient, subject, body)
        return "Email sent successfully."

    @tool
    def email_delete_email(self, email_id: Text = "") -> str:
        """Delete an e-mail.

        Args:
            email_id: The e-mail's id.
        """
        if not email_id:
            return "Email ID not provided."
        deleted = self.table("emails").delete(email_id)
        return "Email deleted successfully." if deleted else "Email not found."

    @tool
    def email_forward_email(self, email_id: Text = "", recipient: Text = "") -> str:
        """Forward an e-mail to someone else.

        Args:
            email_id: The e-mail's id.
            recipient: The address to forward it to.
        """
        if not email_id or not recipient:
            return "Email ID or recipient not provided."
        if not _is_address(recipient):
            return _NO_ADDRESS
        row = self.table("emails").get(email_id)
        if row is None:
            return "Email not found."
        self._send(recipient, f"FW: {row['subject'] or ''}", row["body"] or "")
        return "Email forwarded successfully."

    @tool
    def email_reply_email(self, email_id: Text = "", body: Text = "") -> str:
        """Reply to an e-mail.

        Args:
            email_id: The e-mail's id.
            body: The text of the reply.
        """
        if not email_id or not body:
            return "Email ID or body not provided."
        row = self.table("emails").get(email_id)
        if row is None:
            return "Email not found."
        sender = row["sender/recipient"] or ""
        if not _is_address(sender):
            return _NO_ADDRESS
        self._send(sender, f"{self.reply_mark}{row['subject'] or ''}", body)
        return "Email replied successfully."

    def _send(self, recipient: str, subject: str, body: str) -> None:
        row: Row = {
            "inbox/outbox": "outbox",
            "sender/recipient": recipient.lower(),
            "subject": subject,
            "sent_datetime": self.clock,
            "body": body,
        }
        self.table("emails").add(row, width=1)


def _is_address(text: str) -> bool:
    return "@" in text and "." in text


def _sent(row: Row) -> datetime:
    return read_instant(row["sent_datetime"] or "") or datetime.min


def _day(name: str, text: str) -> date:
    instant = read_instant(text)
    if instant is None:
        raise ToolError(f"{name} is a date such as 2023-11-30, not {text[:100]!r}")
    return instant.date()
