"""The kinds of records, as tables: their fields, and the sentences that give their values."""

from textgym.envs.structured_output.kinds.parts import (
    REMARK,
    Field,
    Kind,
    Lines,
    Union,
    dated_field,
)
from textgym.envs.structured_output.kinds.people import BOOKING, COURSE, EMPLOYEE
from textgym.envs.structured_output.kinds.places import FLAT, REPAIR, SAMPLE
from textgym.envs.structured_output.kinds.trade import INVOICE, PRODUCT, SHIPMENT

__all__ = ["KINDS", "REMARK", "Field", "Kind", "Lines", "Union", "dated_field"]

KINDS = (PRODUCT, INVOICE, SHIPMENT, BOOKING, EMPLOYEE, COURSE, SAMPLE, REPAIR, FLAT)
