"""Project management: the teams' tasks on their boards."""

from __future__ import annotations

import re

from textgym.envs.office.company.database import SearchTerms
from textgym.envs.office.tool_arguments import (
    Text,
    Toolkit,
    check_address,
    date_text,
    one_of,
    require,
)
from textgym.errors import ToolError
from textgym.tools import tool
from textgym.verifiers.state import Row

__all__ = ["ProjectTools"]

_PART_OF_DATE = re.compile(r"\d{1,4}(?:-\d{0,2}){0,2}")
_ALLOWED = {
    "list_name": ("Backlog", "In Progress", "In Review", "Completed"),
    "board": ("Back end", "Front end", "Design"),
}


class ProjectTools(Toolkit):
    """Reads, searches and changes tasks."""

    @tool
    def project_management_get_task_information_by_id(
        self, task_id: Text = "", field: Text = ""
    ) -> dict[str, str | None]:
        """Read one field of a task.

        Args:
            task_id: The task's id, 8 digits.
            field: 'task_id', 'task_name', 'assigned_to_email', 'list_name', 'due_date' or 'board'.
        """
        require(task_id=task_id, field=field)
        row = self._row("project_tasks", "task", task_id)
        one_of("field", field, row)
        return {field: row[field]}

    @tool
    def project_management_search_tasks(
        self,
        task_name: Text = "",
        assigned_to_email: Text = "",
        list_name: Text = "",
        due_date: Text = "",
        board: Text = "",
    ) -> list[Row]:
        """Search tasks that match every given argument. Give at least one.

        Args:
            task_name: A part of the name, in upper or lower case.
            assigned_to_email: The full address of the assignee.
            list_name: A part of the list's name, in upper or lower case.
            due_date: The due date as YYYY-MM-DD, or the first part of it.
            board: A part of the board's name, in upper or lower case.
        """
        terms: SearchTerms = {
            ("task_name",): [task_name],
            ("assigned_to_email",): [assigned_to_email],
            ("list_name",): [list_name],
            ("due_date",): [_searched_date(due_date)],
            ("board",): [board],
        }
        if not any(map(any, terms.values())):
            raise ToolError("give at least one argument to search by")
        if assigned_to_email:
            check_address("assigned_to_email", assigned_to_email)
        rows, person = self.table("project_tasks").containing(terms), assigned_to_email.lower()
        return [row for row in rows if person in ("", (row["assigned_to_email"] or "").lower())]

    @tool
    def project_management_create_task(
        self,
        task_name: Text = "",
        assigned_to_email: Text = "",
        list_name: Text = "",
        due_date: Text = "",
        board: Text = "",
    ) -> str:
        """Create a task, and return its id.

        Args:
            task_name: The task's name.
            assigned_to_email: The assignee's address.
            list_name: 'Backlog', 'In Progress', 'In Review' or 'Completed'.
            due_date: The due date, as YYYY-MM-DD.
            board: 'Back end', 'Front end' or 'Design'.
        """
        row: Row = {
            "task_name": task_name,
            "assigned_to_email": assigned_to_email.lower(),
            "list_name": list_name,
            "due_date": due_date and date_text("due_date", due_date),
            "board": board,
        }
        require(
            task_name=task_name,
            assigned_to_email=assigned_to_email,
            list_name=list_name,
            due_date=due_date,
            board=board,
        )
        for column in ("assigned_to_email", "list_name", "board"):
            self._check(column, row[column] or "")
        return self.table("project_tasks").add(row)

    @tool
    def project_management_delete_task(self, task_id: Text = "") -> str:
        """Delete a task.

        Args:
            task_id: The task's id, 8 digits.
        """
        require(task_id=task_id)
        return self._delete("project_tasks", "task", task_id)

    @tool
    def project_management_update_task(
        self, task_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of a task.

        Args:
            task_id: The task's id, 8 digits.
            field: 'task_name', 'assigned_to_email', 'list_name', 'due_date' or 'board'.
            new_value: The new value of the field.
        """
        require(task_id=task_id, field=field, new_value=new_value)
        value = new_value.lower() if field == "assigned_to_email" else new_value
        if field == "due_date":
            value = date_text(field, value)
        self._check(field, value)
        one_of("field", field, self._row("project_tasks", "task", task_id))
        self.table("project_tasks").update(task_id, field, value)
        return "The task was changed."

    def _check(self, column: str, value: str) -> None:
        """Check a value that is to be written to a column."""
        if column == "assigned_to_email":
            known = {(row[column] or "").lower() for row in self.table("project_tasks")}
            if value not in known:
                raise ToolError(f"{value[:100]!r} is not the address of a team member")
        elif column in _ALLOWED:
            one_of(column, value, _ALLOWED[column])


def _searched_date(text: str) -> str:
    """Return a date in the format of the tasks; the first part of a date is kept."""
    return text if _PART_OF_DATE.fullmatch(text) or not text else date_text("due_date", text)
