"""The company's directory of e-mail addresses."""

from __future__ import annotations

from textgym.envs.workplace.toolkits.office import Desk, Text
from textgym.tools import tool

__all__ = ["DirectoryTools"]


class DirectoryTools(Desk):
    """Looking addresses up."""

    @tool
    def company_directory_find_email_address(self, name: Text = "") -> str | list[str | None]:
        """Find the e-mail addresses of colleagues.

        Args:
            name: A name or part of one, in any case; all addresses that contain it are found.
        """
        if not name:
            return "Name not provided."
        addresses = [row["email_address"] for row in self.database.records["directory"].rows]
        return [address for address in addresses if name.lower() in (address or "").lower()]
