"""The request of level 0: to send a short mail, with one call whose values are copied.

Invariant: there are so many mails that hardly any task has the mail of another.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from textgym.envs.generation import choice

__all__ = ["FIRST_TOOLS", "FirstMail", "draw_first_mail"]

FIRST_TOOLS = ("calendar_delete_event", "email_delete_email", "email_send_email")
"""The names of the tools that level 0 offers."""

_NAMES = (
    "alice", "anna", "ben", "carl", "david", "emma", "frank", "grace", "henry", "jack", "james",
    "jane", "kate", "kim", "laura", "lucy", "mark", "mary", "nina", "oliver", "paul", "peter",
    "rose", "sam", "sarah", "simon", "tom", "victor",
)  # fmt: skip
_DOMAINS = ("city.org", "green.com", "home.org", "mail.com", "river.net", "work.net")
_SUBJECTS = (
    "Art", "Books", "Bread", "Budget", "Coffee", "Cooking", "Dinner", "Flowers", "Garden", "Health",
    "History", "House", "Lunch", "Maps", "Money", "Movies", "Music", "News", "Paper", "Party",
    "Photos", "Plans", "School", "Sports", "Summer", "Tickets", "Travel", "Water", "Weather",
    "Winter",
)  # fmt: skip
_BODIES = (
    "Call me", "Come early", "Good idea", "Good luck", "Good morning", "Good night",
    "Happy birthday", "Hello", "Help me", "I agree", "I am here", "I am late", "I am ready",
    "I am sorry", "Let me know", "Maybe", "Never mind", "No problem", "Please wait",
    "See you soon", "Sounds good", "Stay home", "Take care", "Thank you", "This is great",
    "Well done", "Welcome back", "Yes please", "You are right", "You can go",
)  # fmt: skip


class FirstMail(NamedTuple):
    """A mail that is to be sent.

    Attributes:
        recipient: The address.
        subject: The subject.
        body: The text.
    """

    recipient: str
    subject: str
    body: str

    def request(self, recipient: bool = True) -> str:
        """Return the request, with or without the recipient.

        Example:
            >>> FirstMail("kim@home.org", "Lunch", "Good idea").request()
            'Send an email to kim@home.org with the subject "Lunch" and the text "Good idea".'
        """
        whom = f" to {self.recipient}" if recipient else ""
        return f'Send an email{whom} with the subject "{self.subject}" and the text "{self.body}".'

    @property
    def call(self) -> dict[str, Any]:
        """The call that carries the request out."""
        return {"name": "email_send_email", "arguments": self._asdict()}


def draw_first_mail(rng: random.Random) -> FirstMail:
    """Draw a mail."""
    address = f"{choice(rng, _NAMES)}@{choice(rng, _DOMAINS)}"
    return FirstMail(address, choice(rng, _SUBJECTS), choice(rng, _BODIES))
