"""Customer relations: who buys what, and who looks after them."""

from __future__ import annotations

from typing import Any

from textgym.envs.workplace.database import Wanted
from textgym.envs.workplace.toolkits.office import Desk, Text, lies_between, page_of
from textgym.tools import tool
from textgym.verifiers.state import Row

__all__ = ["CustomerTools"]

_STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
_PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
_FIELDS = (
    "customer_name", "assigned_to_email", "customer_email", "customer_phone",
    "last_contact_date", "product_interest", "status", "notes", "follow_up_by",
)  # fmt: skip


class CustomerTools(Desk):
    """Searching and changing customers."""

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
        """Search customers that fit every argument; at least one must be given.

        Args:
            customer_name: Part of the name, in any case.
            customer_email: Part of the customer's address, in any case.
            product_interest: Part of the product's name, in any case.
            status: Part of the status, in any case.
            assigned_to_email: Part of the address of the person who looks after the customer.
            last_contact_date_min: The earliest day of the last contact, as YYYY-MM-DD.
            last_contact_date_max: The latest day of the last contact, as YYYY-MM-DD.
            follow_up_by_min: The earliest day to follow up, as YYYY-MM-DD.
            follow_up_by_max: The latest day to follow up, as YYYY-MM-DD.
            page: Which page of the results to return, from 1.
            page_size: How many customers a page has.
        """
        wanted: Wanted = {
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
        if not any(map(any, [*wanted.values(), *bounds.values()])):
            return "No search parameters provided. Please provide at least one parameter."
        found = [
            row
            for row in self.table("customers").containing(wanted)
            if all(lies_between(row[name], *ends) for name, ends in bounds.items())
        ]
        return page_of("customers", found, page, page_size) if found else "No customers found."

    @tool
    def customer_relationship_manager_update_customer(
        self, customer_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of a customer.

        Args:
            customer_id: The customer's id.
            field: 'customer_name', 'assigned_to_email', 'customer_email', 'customer_phone',
                'last_contact_date', 'product_interest', 'status', 'notes' or 'follow_up_by'.
            new_value: What the field is to hold. A status is 'Qualified', 'Won', 'Lost', 'Lead' or
                'Proposal'; a product 'Software', 'Hardware', 'Services', 'Consulting' or
                'Training'.
        """
        if not customer_id or not field or not new_value:
            return "Customer ID, field, or new value not provided."
        for column, what, choices in (
            ("status", "Status", _STATUSES),
            ("product_interest", "Product interest", _PRODUCTS),
        ):
            if field == column and new_value not in choices:
                return f"{what} not valid. Please choose from: {', '.join(map(repr, choices))}"
        table = self.table("customers")
        if table.get(customer_id) is None:
            return "Customer not found."
        if field not in table.columns:
            return f"Field not valid. Please choose from: {', '.join(map(repr, _FIELDS))}"
        is_address = field in ("customer_email", "assigned_to_email")
        table.update(customer_id, field, new_value.lower() if is_address else new_value)
        return "Customer updated successfully."

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
            assigned_to_email: The address of the person who looks after the customer.
            status: 'Qualified', 'Won', 'Lost', 'Lead' or 'Proposal'.
            customer_email: The customer's address.
            customer_phone: The customer's number.
            last_contact_date: The day of the last contact, as YYYY-MM-DD.
            product_interest: 'Software', 'Hardware', 'Services', 'Consulting' or 'Training'.
            notes: What else is known.
            follow_up_by: The day to follow up, as YYYY-MM-DD.
        """
        if not customer_name or not assigned_to_email or not status:
            return "Please provide all required fields: customer_name, assigned_to_email, status."
        row: Row = {
            "customer_name": customer_name,
            "assigned_to_email": assigned_to_email.lower(),
            "status": status,
            "customer_email": customer_email and customer_email.lower(),
            "customer_phone": customer_phone,
            "last_contact_date": last_contact_date,
            "product_interest": product_interest,
            "notes": notes,
            "follow_up_by": follow_up_by,
        }
        return self.table("customers").add(row)

    @tool
    def customer_relationship_manager_delete_customer(self, customer_id: Text = "") -> str:
        """Delete a customer.

        Args:
            customer_id: The customer's id.
        """
        if not customer_id:
            return "Customer ID not provided."
        deleted = self.table("customers").delete(customer_id)
        return "Customer deleted successfully." if deleted else "Customer not found."
