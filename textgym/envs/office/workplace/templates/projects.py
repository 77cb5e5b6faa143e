"""Templates about tasks on the boards."""

from __future__ import annotations

from datetime import date, timedelta

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, unfinished
from textgym.envs.office.workplace.templates.template import PROJECTS, template


@template(
    1,
    PROJECTS,
    "Add a task '{task}' to the backlog of the {board} board. {address} does it, due on {day}.",
    "Create the task '{task}' on the {board} board, in the backlog, assigned to {address} and due"
    " on {day}",
    "Please put '{task}' into the {board} backlog for {address}, with {day} as the due date",
)
def _add_for_address(draft: CompanyDraft) -> dict[str, str]:
    task, board = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS)
    address, day = draft.team(1)[0].email, draft.work_day()
    draft.add_task(task, board, address, day)
    return {"task": task, "board": board, "address": address, "day": draft.day(day)}


@template(
    1,
    PROJECTS,
    "Delete the task with the id {id}",
    "Task {id} is not needed any more, please remove it from its board",
    "Can you delete task {id}?",
)
def _delete_by_id(draft: CompanyDraft) -> dict[str, str]:
    task = draft.row("project_tasks")
    draft.delete_task(task)
    return {"id": task["task_id"]}


@template(
    1,
    PROJECTS,
    "Move task {id} to '{list}'",
    "The task with the id {id} belongs into the list '{list}' now",
    "Please put task {id} into '{list}'",
)
def _move_by_id(draft: CompanyDraft) -> dict[str, str]:
    task, to = draft.row("project_tasks"), draft.choice(words.LISTS)
    draft.change_task(task, "list_name", to)
    return {"id": task["task_id"], "list": to}


@template(
    2,
    PROJECTS,
    "Move the task '{task}' to '{list}'",
    "'{task}' should be in the list '{list}', can you move it there?",
    "Please set the list of the task '{task}' to '{list}'",
)
def _move_by_name(draft: CompanyDraft) -> dict[str, str]:
    name, to = draft.row("project_tasks")["task_name"], draft.choice(words.LISTS)
    draft.change_task(draft.one(draft.tasks(task_name=name)), "list_name", to)
    return {"task": name, "list": to}


@template(
    2,
    PROJECTS,
    "Give the task '{task}' to {name}",
    "{name} takes over '{task}', please reassign it",
    "Can you assign '{task}' to {name} instead?",
)
def _reassign_by_name(draft: CompanyDraft) -> dict[str, str]:
    task, name = draft.row("project_tasks")["task_name"], draft.team(1)[0].first
    row = draft.one(draft.tasks(task_name=task))
    draft.change_task(row, "assigned_to_email", draft.address(name))
    return {"task": task, "name": name}


@template(
    2,
    PROJECTS,
    "The task '{task}' is due on {day} now, please change it",
    "Set the due date of '{task}' to {day}",
    "Can you give '{task}' a new due date? It is {day}.",
)
def _postpone_by_name(draft: CompanyDraft) -> dict[str, str]:
    task, day = draft.row("project_tasks")["task_name"], draft.work_day()
    draft.change_task(draft.one(draft.tasks(task_name=task)), "due_date", day.isoformat())
    return {"task": task, "day": draft.day(day)}


@template(
    2,
    PROJECTS,
    "Add '{task}' to the {board} backlog for {name}, due on {day}",
    "{name} needs a new backlog task on the {board} board: '{task}', with the due date {day}",
    "Create a task named '{task}' in the backlog of {board}. Assign it to {name}; it is due on"
    " {day}.",
)
def _add_for_name(draft: CompanyDraft) -> dict[str, str]:
    task, board = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS)
    name, day = draft.team(1)[0].first, draft.work_day()
    draft.add_task(task, board, draft.address(name), day)
    return {"task": task, "board": board, "name": name, "day": draft.day(day)}


@template(
    3,
    PROJECTS,
    "Move all of {name}'s tasks that are in '{list}' to '{other}'",
    "Everything that {name} has in the list '{list}' should go to '{other}'",
    "Please put each task of {name} that is in '{list}' into '{other}'",
)
def _move_all_of(draft: CompanyDraft) -> dict[str, str]:
    name, old, new = draft.team(1)[0].first, draft.choice(words.LISTS), draft.choice(words.LISTS)
    tasks = draft.tasks(assigned_to_email=draft.address(name), list_name=old)
    draft.need(len(tasks) > 1)
    for task in tasks:
        draft.change_task(task, "list_name", new)
    return {"name": name, "list": old, "other": new}


@template(
    3,
    PROJECTS,
    "{name} is ill. Reassign their tasks in '{list}' to {other}",
    "Give {other} every task of {name} that is in the list '{list}'",
    "All '{list}' tasks of {name} are {other}'s from now on, please change that",
)
def _reassign_all_of(draft: CompanyDraft) -> dict[str, str]:
    name, colleague = (person.first for person in draft.team(2))
    old = draft.choice(words.LISTS[:3])
    tasks = draft.tasks(assigned_to_email=draft.address(name), list_name=old)
    address = draft.address(colleague)
    draft.need(len(tasks) > 1)
    for task in tasks:
        draft.change_task(task, "assigned_to_email", address)
    return {"name": name, "list": old, "other": colleague}


@template(
    3,
    PROJECTS,
    "Delete all completed tasks of {name} on the {board} board",
    "{name}'s completed tasks on the {board} board can go, remove them please",
    "Clean up the {board} board: every completed task that is assigned to {name} should be deleted",
)
def _delete_completed_of(draft: CompanyDraft) -> dict[str, str]:
    name, board = draft.team(1)[0].first, draft.choice(words.BOARDS)
    address = draft.address(name)
    for task in draft.tasks(assigned_to_email=address, list_name="Completed", board=board):
        draft.delete_task(task)
    return {"name": name, "board": board}


@template(
    3,
    PROJECTS,
    "Give all overdue tasks of {name} the due date {day} (those past their date and not completed)",
    "{name} gets more time: whatever is overdue and not completed yet is due on {day}",
    "Please set the due date of each of {name}'s overdue tasks, completed ones aside, to {day}",
)
def _postpone_overdue(draft: CompanyDraft) -> dict[str, str]:
    name, day = draft.team(1)[0].first, draft.work_day()
    for task in draft.overdue(draft.tasks(assigned_to_email=draft.address(name))):
        draft.change_task(task, "due_date", day.isoformat())
    draft.need(draft.writes)
    return {"name": name, "day": draft.day(day)}


@template(
    4,
    PROJECTS,
    "Take {name}'s unfinished task with the earliest due date and give it to {one} or {other},"
    " whoever has fewer tasks in 'In Progress'",
    "Of {one} and {other}, the one with fewer tasks in progress takes over the task of {name} that"
    " is due first, completed ones aside",
    "Reassign {name}'s most urgent task (the earliest due date of those not completed). It goes to"
    " {one} or {other}: whoever has less in the list 'In Progress'.",
)
def _relieve_of_most_urgent(draft: CompanyDraft) -> dict[str, str]:
    name, first, second = (person.first for person in draft.team(3))
    tasks = unfinished(draft.tasks(assigned_to_email=draft.address(name)))
    due = {task["task_id"]: date.fromisoformat(task["due_date"][:10]) for task in tasks}
    urgent = draft.top({id: day.toordinal() for id, day in due.items()}, lowest=True)
    counts = {}
    for address in map(draft.address, (first, second)):
        rows = draft.tasks(assigned_to_email=address, list_name="In Progress")
        counts[address] = len(rows)
    task = draft.one([task for task in tasks if task["task_id"] == urgent])
    draft.change_task(task, "assigned_to_email", draft.top(counts, lowest=True))
    return {"name": name, "one": first, "other": second}


@template(
    4,
    PROJECTS,
    "If {name} has more than {limit} overdue tasks (past their due date, not completed), move those"
    " to the backlog. Otherwise add '{task}' to the {board} backlog for them, due on {day}.",
    "Check how many of {name}'s tasks are overdue and not completed. With more than {limit}, put"
    " all of these into the backlog; if not, {name} gets a new backlog task '{task}' on the {board}"
    " board, due on {day}.",
    "More than {limit} overdue, uncompleted tasks of {name}? Then they go back to the backlog. Else"
    " create '{task}' for {name} in the {board} backlog with the due date {day}.",
)
def _backlog_or_new(draft: CompanyDraft) -> dict[str, str]:
    name, limit = draft.team(1)[0].first, draft.randint(1, 3)
    task, board, day = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS), draft.work_day()
    address = draft.address(name)
    overdue = draft.overdue(draft.tasks(assigned_to_email=address))
    if len(overdue) > limit:
        stuck = [task for task in overdue if task["list_name"] != "Backlog"]
        draft.need(stuck)
        for row in stuck:
            draft.change_task(row, "list_name", "Backlog")
    else:
        draft.add_task(task, board, address, day)
    return {
        "name": name,
        "limit": str(limit),
        "task": task,
        "board": board,
        "day": draft.day(day),
    }


@template(
    4,
    PROJECTS,
    "Create the task '{task}' in the {board} backlog, due on {day}, for whichever of {one}, {two}"
    " and {three} has the fewest unfinished tasks on all boards together",
    "Who of {one}, {two} and {three} has the fewest tasks that are not completed? Assign them a new"
    " one on the {board} board: '{task}', in the backlog, due on {day}.",
    "'{task}' has to be done by {day}. Put it into the {board} backlog, for the one of {one}, {two}"
    " and {three} who has the smallest number of tasks that are not completed.",
)
def _add_for_least_busy(draft: CompanyDraft) -> dict[str, str]:
    first, second, third = (person.first for person in draft.team(3))
    task, board, day = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS), draft.work_day()
    counts = {
        address: len(unfinished(draft.tasks(assigned_to_email=address)))
        for address in map(draft.address, (first, second, third))
    }
    draft.add_task(task, board, draft.top(counts, lowest=True), day)
    return {
        "one": first,
        "two": second,
        "three": third,
        "task": task,
        "board": board,
        "day": draft.day(day),
    }


@template(
    4,
    PROJECTS,
    "If {name} has anything overdue on the {board} board (past its due date, not completed), move"
    " it to '{list}'",
    "Does {name} have overdue tasks on the {board} board, completed ones aside? If so, they should"
    " go to '{list}'.",
    "Please look for tasks of {name} on the {board} board that are overdue and not completed. Put"
    " them into '{list}' if there are any.",
    may_do_nothing=True,
)
def _move_overdue_if_any(draft: CompanyDraft) -> dict[str, str]:
    name, board, to = (
        draft.team(1)[0].first,
        draft.choice(words.BOARDS),
        draft.choice(words.LISTS[1:3]),
    )
    tasks = draft.tasks(assigned_to_email=draft.address(name), board=board)
    for task in draft.overdue(tasks):
        if task["list_name"] != to:
            draft.change_task(task, "list_name", to)
    return {"name": name, "board": board, "list": to}


@template(
    5,
    PROJECTS,
    "{name} is leaving. Go through their unfinished tasks by due date, the earliest first, and give"
    " them to {one} and {other} in turn, beginning with {one}",
    "Split {name}'s tasks that are not completed between {one} and {other}: ordered by due date,"
    " {one} gets the first, {other} the second, {one} the third, and so on",
    "Sort the tasks of {name} that are not completed by due date. The first goes to {one}, the next"
    " to {other}, and on in turns until all are reassigned.",
)
def _split_in_turns(draft: CompanyDraft) -> dict[str, str]:
    name, first, second = (person.first for person in draft.team(3))
    tasks = unfinished(draft.tasks(assigned_to_email=draft.address(name)))
    draft.need(len({task["due_date"] for task in tasks}) == len(tasks) > 2)
    takers = [draft.address(first), draft.address(second)]
    for place, task in enumerate(sorted(tasks, key=lambda task: task["due_date"])):
        draft.change_task(task, "assigned_to_email", takers[place % 2])
    return {"name": name, "one": first, "other": second}


@template(
    5,
    PROJECTS,
    "Every overdue task in '{list}' on the {board} board gets a new due date, {days} days after the"
    " one it has",
    "On the {board} board, every task in '{list}' whose due date is over gets {days} more days:"
    " add them to the date it has now",
    "Overdue tasks in '{list}' of the {board} board: make the due date of each {days} days later"
    " than it was",
)
def _extend_overdue(draft: CompanyDraft) -> dict[str, str]:
    board, where, days = (
        draft.choice(words.BOARDS),
        draft.choice(words.LISTS[:3]),
        draft.randint(5, 21),
    )
    for task in draft.overdue(draft.tasks(board=board, list_name=where)):
        due = date.fromisoformat(task["due_date"][:10]) + timedelta(days=days)
        draft.change_task(task, "due_date", due.isoformat())
    draft.need(len(draft.writes) > 2)
    return {"board": board, "list": where, "days": str(days)}


@template(
    5,
    PROJECTS,
    "Who has the most unfinished tasks, {one}, {two} or {three}? Move everything that person has in"
    " 'In Review' to 'Completed' and all of their overdue backlog tasks to 'In Progress'.",
    "Find out which of {one}, {two} and {three} has the largest number of tasks that are not"
    " completed. Complete what they have in review, and put their overdue tasks of the backlog in"
    " progress.",
    "Of {one}, {two} and {three}, help the one with the most uncompleted tasks: what is in 'In"
    " Review' goes to 'Completed', what is overdue in 'Backlog' goes to 'In Progress'.",
)
def _relieve_busiest(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.team(3)]
    tasks = {name: draft.tasks(assigned_to_email=draft.address(name)) for name in names}
    busiest = draft.top({name: len(unfinished(rows)) for name, rows in tasks.items()})
    for task in tasks[busiest]:
        if task["list_name"] == "In Review":
            draft.change_task(task, "list_name", "Completed")
        elif task["list_name"] == "Backlog" and draft.overdue([task]):
            draft.change_task(task, "list_name", "In Progress")
    draft.need(len(draft.writes) > 1)
    return dict(zip(("one", "two", "three"), names, strict=True))
