"""Customer relations: the customers, their interests, and who looks after them."""

from __future__ import annotations

from typing import Any

from textgym.envs.office.company.database import SearchTerms
from textgym.envs.office.tool_arguments import (
    Text,
    Toolkit,
    check_address,
    date_text,
    lies_between,
    one_of,
    page_of,
    require,
)
from textgym.errors import ToolError
from textgym.tools import tool
from textgym.verifiers.state import Row

__all__ = ["CustomerTools"]

_ALLOWED = {
    "status": ("Qualified", "Won", "Lost", "Lead", "Proposal"),
    "product_interest": ("Software", "Hardware", "Services", "Consulting", "Training"),
}
_ADDRESSES = ("customer_email", "assigned_to_email")
_DATES = ("last_contact_date", "follow_up_by")
_FIELDS = (
    "customer_name", "assigned_to_email", "customer_email", "customer_phone",
    "last_contact_date", "product_interest", "status", "notes", "follow_up_by",
)  # fmt: skip


class CustomerTools(Toolkit):
    """Searches and changes customers."""

    @tool
    def customer_relationship_manager_search_customers(
        self,
        customer_name: Text = "",
        customer_email: Text = "",
        product_interest: Text = "",
        status: Text = "",
        assigned_to_email: Text = "",
        last_contact_date_min: Text = "",
        last_contact_date_max: Text = "",
        follow_up_by_min: Text = "",
        follow_up_by_max: Text = "",
        page: int = 1,
        page_size: int = 5,
    ) -> str | dict[str, Any]:
        """Search customers that match every given argument. Give at least one.

        Args:
            customer_name: A part of the name, in upper or lower case.
            customer_email: A part of the customer's address, in upper or lower case.
            product_interest: A part of the product's name, in upper or lower case.
            status: A part of the status, in upper or lower case.
            assigned_to_email: A part of the address of the colleague in charge.
            last_contact_date_min: The earliest day of the last contact, as YYYY-MM-DD.
            last_contact_date_max: The latest day of the last contact, as YYYY-MM-DD.
            follow_up_by_min: The earliest day to follow up, as YYYY-MM-DD.
            follow_up_by_max: The latest day to follow up, as YYYY-MM-DD.
            page: The page of results to return, from 1.
            page_size: The number of customers on a page.
        """
        terms: SearchTerms = {
            ("customer_name",): [customer_name],
            ("customer_email",): [customer_email],
            ("product_interest",): [product_interest],
            ("status",): [status],
            ("assigned_to_email",): [assigned_to_email],
        }
        bounds = {
            "last_contact_date": (last_contact_date_min, last_contact_date_max),
            "follow_up_by": (follow_up_by_min, follow_up_by_max),
        }
        if not any(map(any, [*terms.values(), *bounds.values()])):
            raise ToolError("give at least one argument to search by")
        days = {
            name: [end and date_text(f"the bound of {name}", end) for end in ends]
            for name, ends in bounds.items()
        }
        rows = [
            row
            for row in self.table("customers").containing(terms)
            if all(lies_between(row[name], *ends) for name, ends in days.items())
        ]
        return page_of("customers", rows, page, page_size) if rows else "No customer matches."

    @tool
    def customer_relationship_manager_update_customer(
        self, customer_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of a customer.

        Args:
            customer_id: The customer's id.
            field: 'customer_name', 'assigned_to_email', 'customer_email', 'customer_phone',
                'last_contact_date', 'product_interest', 'status', 'notes' or 'follow_up_by'.
            new_value: The new value of the field. A status is 'Qualified', 'Won', 'Lost', 'Lead' or
                'Proposal'; a product is 'Software', 'Hardware', 'Services', 'Consulting' or
                'Training'.
        """
        require(customer_id=customer_id, field=field, new_value=new_value)
        value = _written(field, new_value)
        row = self._row("customers", "customer", customer_id)
        if field not in row:  # the id may be changed, but is not suggested
            one_of("field", field, _FIELDS)
        self.table("customers").update(customer_id, field, value)
        return "The customer was changed."

    @tool
    def customer_relationship_manager_add_customer(
        self,
        customer_name: Text = "",
        assigned_to_email: Text = "",
        status: Text = "",
        customer_email: Text | None = None,
        customer_phone: Text | None = None,
        last_contact_date: Text | None = None,
        product_interest: Text | None = None,
        notes: Text = "",
        follow_up_by: Text | None = None,
    ) -> str:
        """Add a customer, and return the new id.

        Args:
            customer_name: The customer's name.
            assigned_to_email: The address of the colleague in charge.
            status: 'Qualified', 'Won', 'Lost', 'Lead' or 'Proposal'.
            customer_email: The customer's address.
            customer_phone: The customer's phone number.
            last_contact_date: The day of the last contact, as YYYY-MM-DD.
            product_interest: 'Software', 'Hardware', 'Services', 'Consulting' or 'Training'.
            notes: Any further notes.
            follow_up_by: The day to follow up, as YYYY-MM-DD.
        """
        require(customer_name=customer_name, assigned_to_email=assigned_to_email, status=status)
        row: Row = {
            "customer_name": customer_name,
            "assigned_to_email": assigned_to_email,
            "status": status,
            "customer_email": customer_email,
            "customer_phone": customer_phone,
            "last_contact_date": last_contact_date,
            "product_interest": product_interest,
            "notes": notes,
            "follow_up_by": follow_up_by,
        }
        written: Row = {name: value and _written(name, value) for name, value in row.items()}
        return self.table("customers").add(written)

    @tool
    def customer_relationship_manager_delete_customer(self, customer_id: Text = "") -> str:
        """Delete a customer.

        Args:
            customer_id: The customer's id.
        """
        require(customer_id=customer_id)
        return self._delete("customers", "customer", customer_id)


def _written(field: str, value: str) -> str:
    """Return a value as it is written to a field.

    Raises:
        ToolError: It does not fit the field.
    """
    if field in _ALLOWED:
        one_of(field, value, _ALLOWED[field])
    if field in _ADDRESSES:
        check_address(field, value)
        return value.lower()
    return date_text(field, value) if field in _DATES else value
