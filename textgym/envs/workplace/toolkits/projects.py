"""Project management: the tasks of the teams on their boards."""

from __future__ import annotations

import re

from textgym.envs.workplace.database import Wanted
from textgym.envs.workplace.toolkits.office import Desk, Text
from textgym.tools import tool
from textgym.verifiers.state import Row

__all__ = ["ProjectTools"]

_EMAIL = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}")
_LISTS = ("Backlog", "In Progress", "In Review", "Completed")
_BOARDS = ("Back end", "Front end", "Design")


class ProjectTools(Desk):
    """Reading, searching and changing tasks."""

    @tool
    def project_management_get_task_information_by_id(
        self, task_id: Text = "", field: Text = ""
    ) -> str | dict[str, str | None]:
        """Read one field of a task.

        Args:
            task_id: The task's id, 8 digits.
            field: 'task_id', 'task_name', 'assigned_to_email', 'list_name', 'due_date' or 'board'.
        """
        if not task_id:
            return "Task ID not provided."
        if not field:
            return "Field not provided."
        row = self.table("project_tasks").get(task_id)
        if row is None:
            return "Task not found."
        return {field: row[field]} if field in row else "Field not found."

    @tool
    def project_management_search_tasks(
        self,
        task_name: Text = "",
        assigned_to_email: Text = "",
        list_name: Text = "",
        due_date: Text = "",
        board: Text = "",
    ) -> str | list[Row]:
        """Search tasks; all that fit every argument are returned.

        Args:
            task_name: Part of the name, in any case.
            assigned_to_email: The whole address of the person that it is assigned to.
            list_name: Part of the name of its list, in any case.
            due_date: When it is due, as YYYY-MM-DD, or the beginning of that.
            board: Part of the name of its board, in any case.
        """
        wanted: Wanted = {
            ("task_name",): [task_name],
            ("assigned_to_email",): [assigned_to_email],
            ("list_name",): [list_name],
            ("due_date",): [due_date],
            ("board",): [board],
        }
        if not any(map(any, wanted.values())):
            return "No search parameters provided."
        if assigned_to_email and not _EMAIL.fullmatch(assigned_to_email):
            return "Invalid email format for assigned_to_email."
        found, person = self.table("project_tasks").containing(wanted), assigned_to_email.lower()
        return [row for row in found if person in ("", (row["assigned_to_email"] or "").lower())]

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
            assigned_to_email: The address of the person that it is assigned to.
            list_name: 'Backlog', 'In Progress', 'In Review' or 'Completed'.
            due_date: When it is due, as YYYY-MM-DD.
            board: 'Back end', 'Front end' or 'Design'.
        """
        row: Row = {
            "task_name": task_name,
            "assigned_to_email": assigned_to_email.lower(),
            "list_name": list_name,
            "due_date": due_date,
            "board": board,
        }
        if not all(row.values()):
            return "Missing task details."
        columns = ("assigned_to_email", "list_name", "board")
        problems = (self._problem(column, row[column] or "") for column in columns)
        return next(filter(None, problems), "") or self.table("project_tasks").add(row)

    @tool
    def project_management_delete_task(self, task_id: Text = "") -> str:
        """Delete a task.

        Args:
            task_id: The task's id, 8 digits.
        """
        if not task_id:
            return "Task ID not provided."
        deleted = self.table("project_tasks").delete(task_id)
        return "Task deleted successfully." if deleted else "Task not found."

    @tool
    def project_management_update_task(
        self, task_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of a task.

        Args:
            task_id: The task's id, 8 digits.
            field: 'task_name', 'assigned_to_email', 'list_name', 'due_date' or 'board'.
            new_value: What the field is to hold.
        """
        if not task_id or not field or not new_value:
            return "Task ID, field, or new value not provided."
        value = new_value.lower() if field == "assigned_to_email" else new_value
        if problem := self._problem(field, value):
            return problem
        table = self.table("project_tasks")
        if table.get(task_id) is None:
            return "Task not found."
        if field not in table.columns:
            return "Field not valid."
        table.update(task_id, field, value)
        return "Task updated successfully."

    def _problem(self, column: str, value: str) -> str:
        """Say what is wrong with the value of a column, or return an empty text."""
        if column == "board" and value not in _BOARDS:
            return "Board not valid. Please choose from: 'Back end', 'Front end', 'Design'."
        if column == "list_name" and value not in _LISTS:
            lists = ", ".join(map(repr, _LISTS))
            return f"List not valid. Please choose from: {lists}."
        if column == "assigned_to_email":
            known = ((row[column] or "").lower() for row in self.table("project_tasks"))
            if value not in known:
                return "Assignee email not valid. Please choose from the list of team members."
        return ""
