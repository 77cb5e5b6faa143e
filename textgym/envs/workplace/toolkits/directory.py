"""The company's directory of e-mail addresses."""

from __future__ import annotations

from textgym.envs.workplace.toolkits.base import Text, Toolkit, require
from textgym.tools import tool

__all__ = ["DirectoryTools"]


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
