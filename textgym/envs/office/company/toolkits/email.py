"""E-mail, and the company's directory of addresses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from textgym.envs.office.tool_arguments import (
    Text,
    Toolkit,
    check_address,
    date_text,
    one_of,
    page_of,
    require,
)
from textgym.errors import ToolError
from textgym.tools import tool
from textgym.verifiers.state import Row, read_instant

__all__ = ["DirectoryTools", "EmailTools"]


_SEARCHED = ("subject", "body", "sender/recipient")


class EmailTools(Toolkit):
    """Reads, searches and sends e-mails.

    Attributes:
        clock: The current time, such as `2023-11-30 23:59:00`. It does not advance.
        reply_mark: The prefix of a reply's subject: empty in WorkBench, `RE: ` in NeMo Gym.
    """

    clock: str
    reply_mark: str = ""

    @tool
    def email_get_email_information_by_id(
        self, email_id: Text = "", field: Text = ""
    ) -> dict[str, str | None]:
        """Read one field of an e-mail.

        Args:
            email_id: The e-mail's id.
            field: 'email_id', 'inbox/outbox', 'sender/recipient', 'subject', 'sent_datetime' or
                'body'.
        """
        require(email_id=email_id, field=field)
        row = self._row("emails", "e-mail", email_id)
        one_of("field", field, row)
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
        """Search received and sent e-mails, newest first.

        Args:
            query: Words in upper or lower case. Each must occur in the subject, the body or the
                address.
            date_min: The first day to search, as YYYY-MM-DD.
            date_max: The last day to search, as YYYY-MM-DD.
            page: The page of results to return, from 1.
            page_size: The number of e-mails on a page.
        """
        rows = self.table("emails").containing({_SEARCHED: query.split()})
        if date_min:
            first = date_text("date_min", date_min)[:10]
            rows = [row for row in rows if _sent(row).date().isoformat() >= first]
        if date_max:
            last = date_text("date_max", date_max)[:10]
            rows = [row for row in rows if _sent(row).date().isoformat() <= last]
        rows.sort(key=_sent, reverse=True)
        return page_of("emails", rows, page, page_size) if rows else "No e-mail matches."

    @tool
    def email_send_email(self, recipient: Text = "", subject: Text = "", body: Text = "") -> str:
        """Send an e-mail.

        Args:
            recipient: The address to send it to.
            subject: Its subject.
            body: Its text.
        """
        require(recipient=recipient, subject=subject, body=body)
        self._send(recipient, subject, body)
        return "The e-mail was sent."

    @tool
    def email_delete_email(self, email_id: Text = "") -> str:
        """Delete an e-mail.

        Args:
            email_id: The e-mail's id.
        """
        require(email_id=email_id)
        return self._delete("emails", "e-mail", email_id)

    @tool
    def email_forward_email(self, email_id: Text = "", recipient: Text = "") -> str:
        """Forward an e-mail to someone else.

        Args:
            email_id: The e-mail's id.
            recipient: The address to forward it to.
        """
        require(email_id=email_id, recipient=recipient)
        row = self._row("emails", "e-mail", email_id)
        self._send(recipient, f"FW: {row['subject'] or ''}", row["body"] or "")
        return "The e-mail was forwarded."

    @tool
    def email_reply_email(self, email_id: Text = "", body: Text = "") -> str:
        """Reply to an e-mail.

        Args:
            email_id: The e-mail's id.
            body: The text of the reply.
        """
        require(email_id=email_id, body=body)
        row = self._row("emails", "e-mail", email_id)
        self._send(row["sender/recipient"] or "", f"{self.reply_mark}{row['subject'] or ''}", body)
        return "The reply was sent."

    def _send(self, recipient: str, subject: str, body: str) -> None:
        check_address("recipient", recipient)
        if "." not in recipient:
            raise ToolError(f"{recipient[:100]!r} is not an e-mail address")
        row: Row = {
            "inbox/outbox": "outbox",
            "sender/recipient": recipient.lower(),
            "subject": subject,
            "sent_datetime": self.clock,
            "body": body,
        }
        self.table("emails").add(row, width=1)


def _sent(row: Row) -> datetime:
    return read_instant(row["sent_datetime"] or "") or datetime.min


class DirectoryTools(Toolkit):
    """Looks up addresses."""

    @tool
    def company_directory_find_email_address(self, name: Text = "") -> list[str | None]:
        """Find the e-mail addresses of colleagues.

        Args:
            name: A name or a part of it, in upper or lower case. All addresses that contain it are
                returned.
        """
        require(name=name)
        addresses = [row["email_address"] for row in self.database.records["directory"].rows]
        return [address for address in addresses if name.lower() in (address or "").lower()]
