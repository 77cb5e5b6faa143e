"""Records of trade: products, invoices and shipments."""

from __future__ import annotations

from textgym.envs.structured_output.forms import (
    code,
    compound,
    count,
    date,
    flag,
    length,
    listing,
    mass,
    money,
    share,
    time,
    word,
)
from textgym.envs.structured_output.kinds.parts import (
    CITIES,
    CONTACT,
    PAYMENT,
    Field,
    Kind,
    Lines,
    enum_field,
)

__all__ = ["INVOICE", "PRODUCT", "SHIPMENT"]

_COLOURS = ("amber", "black", "blue", "cream", "green", "grey", "ochre", "red", "rust", "white")
_GOODS = (
    "brass hinges", "candle holders", "coffee filters", "desk pads", "door mats", "glass jars",
    "hand towels", "linen napkins", "oak shelves", "paper bags", "picture frames", "rope coils",
    "steel bolts", "tea tins", "wall hooks", "wool rugs",
)  # fmt: skip

PRODUCT = Kind(
    "product",
    Field(
        "title",
        "The name of the product.",
        compound(
            ("Alder", "Birk", "Corvo", "Delta", "Ember", "Fjord", "Garda", "Heron", "Iris", "Juno"),
            ("Lamp", "Kettle", "Chair", "Radio", "Clock", "Heater", "Scale", "Fan", "Mixer"),
        ),
        (),
    ),
    ("The spring catalogue lists the {v}.", "Notes of the shop on the {v}:"),
    "the product",
    (
        Field(
            "price",
            "The price in euros.",
            money(8, 240),
            ("{who} costs {v}.", "{who} is sold at {v}."),
            ("Until last winter the price was {v}.", "A rival asks {v} for something similar."),
        ),
        Field(
            "stock",
            "How many are in stock.",
            count(3, 95),
            ("There are {v} pieces of {who} in stock.", "The shop holds {v} pieces of {who}."),
            ("Another {v} pieces were sold in the last quarter.", "The window display has {v}."),
        ),
        Field(
            "weight_grams",
            "The weight in grams.",
            mass(300, 9_000),
            ("{who} weighs {v}.", "The weight of {who} is {v}."),
            ("The packaging of the old series weighed {v}.",),
        ),
        Field(
            "height_cm",
            "The height in centimetres.",
            length(12, 190),
            ("{who} is {v} tall.", "The height of {who} is {v}."),
            ("The shelf that it stands on is {v} tall.",),
        ),
        Field(
            "colour",
            "The colour.",
            word(_COLOURS),
            ("{who} comes in {v}.", "The colour of {who} is {v}."),
            ("Customers have asked for {v}, which is not made.",),
        ),
        Field(
            "discontinued",
            "Whether it is no longer made.",
            flag(),
            {
                True: ("{who} is no longer made.", "The maker has given up {who}."),
                False: ("{who} is still being made.", "The maker goes on with {who}."),
            },
        ),
    ),
    enum_field(
        "audience",
        "For whom it is made.",
        {
            "home": ("{who} is meant for living rooms and kitchens.",),
            "office": ("{who} is meant for desks and meeting rooms.",),
            "outdoor": ("{who} is meant for gardens and camp sites.",),
        },
    ),
    Field(
        "supplier_code",
        "The code of the supplier, or null.",
        code(("LF", "MD", "NK"), 4),
        ("{who} is delivered by supplier {v}.",),
        ("Supplier {v} has made an offer.",),
        ("No supplier is on file for {who}.",),
    ),
    (
        Field(
            "launched_on",
            "The day of its launch, as YYYY-MM-DD.",
            date(),
            ("{who} was launched on {v}.", "The launch of {who} was on {v}."),
            ("The line before it came out on {v}.",),
        ),
        Field(
            "demo_at",
            "The time of the daily demonstration, as HH:MM of 24 hours.",
            time(),
            ("{who} is demonstrated every day at {v}.",),
            ("The shop opens at {v}.",),
        ),
    ),
    Field(
        "materials",
        "Its materials, in the order of the text.",
        listing(("aluminium", "beech", "brass", "cork", "felt", "glass", "leather", "steel")),
        ("{who} is made of {v}.", "The materials of {who} are {v}."),
        ("Its box is made of {v}.",),
    ),
    (("designer", "the designer of"), ("buyer", "the buyer in charge of")),
    CONTACT,
    Lines(
        "variants",
        "The variants, in the order of the text.",
        "The variants of {who} are these:",
        "A variant that was never made:",
        Field("finish", "The finish.", word(_COLOURS), ("{v}",)),
        (
            Field("pieces", "How many there are.", count(2, 60), ("{v} pieces",)),
            Field("surcharge", "The surcharge in euros.", money(1, 30), ("a surcharge of {v}",)),
        ),
    ),
)

INVOICE = Kind(
    "invoice",
    Field("invoice_code", "The code of the invoice.", code(("INV", "FAC", "REG"), 5), ()),
    ("The accounts file has invoice {v}.", "Invoice {v} came in with the morning post."),
    "the invoice",
    (
        Field(
            "customer",
            "The customer.",
            compound(
                ("Bright", "Copper", "Grey", "High", "Long", "North", "Silver", "Stone"),
                ("Bakery", "Books", "Dental", "Garage", "Hotel", "Laundry", "Print", "Tours"),
            ),
            ("{who} is addressed to {v}.", "The customer of {who} is {v}."),
            ("A copy went to {v} by mistake.",),
        ),
        Field(
            "total",
            "The total in euros.",
            money(40, 4_000),
            ("{who} comes to {v}.", "The total of {who} is {v}."),
            ("The estimate had been {v}.", "The reminder before it was for {v}."),
        ),
        Field(
            "tax_rate",
            "The rate of tax as a fraction of 1.",
            share(4, 27),
            ("The tax on {who} is {v}.", "{who} is taxed at {v}."),
            ("For books the rate would be {v}.",),
        ),
        Field(
            "pages",
            "The number of pages.",
            count(2, 30),
            ("{who} has {v} pages.", "{who} runs to {v} pages."),
            ("The contract behind it has {v} pages.",),
        ),
        Field(
            "paid",
            "Whether it has been paid.",
            flag(),
            {
                True: ("{who} has been settled.", "The money for {who} has arrived."),
                False: ("{who} is still open.", "The money for {who} has not arrived."),
            },
        ),
    ),
    enum_field(
        "status",
        "The state of the invoice.",
        {
            "draft": ("{who} has not been sent yet.",),
            "sent": ("{who} has been sent, and nobody objected.",),
            "disputed": ("{who} has been sent, and the customer objects to it.",),
        },
    ),
    Field(
        "order_code",
        "The code of the order, or null.",
        code(("PO", "OR", "BZ"), 4),
        ("{who} belongs to order {v}.",),
        ("Order {v} was cancelled.",),
        ("{who} has no order behind it.",),
    ),
    (
        Field(
            "issued_on",
            "The day of issue, as YYYY-MM-DD.",
            date(),
            ("{who} was issued on {v}.", "The date of {who} is {v}."),
            ("The work was done by {v}.",),
        ),
        Field(
            "due_on",
            "The day by which it is due, as YYYY-MM-DD.",
            date(),
            ("{who} is due on {v}.", "Payment of {who} is expected by {v}."),
            ("The contract ends on {v}.",),
        ),
    ),
    Field(
        "copies_to",
        "Where copies go, in the order of the text.",
        listing(("accounts", "archive", "audit", "legal", "purchasing", "sales", "security")),
        ("Copies of {who} go to {v}.", "{who} is copied to {v}."),
        ("Reports, not invoices, go to {v}.",),
    ),
    (("clerk", "the clerk who wrote"), ("payer", "the person who pays")),
    PAYMENT,
    Lines(
        "lines",
        "The lines, in the order of the text.",
        "The lines of {who} are these:",
        "Struck out:",
        Field("article", "The article.", word(_GOODS), ("{v}",)),
        (
            Field("quantity", "The quantity.", count(2, 80), ("{v} of them",)),
            Field("unit_price", "The price of one in euros.", money(1, 60), ("{v} each",)),
        ),
    ),
)

SHIPMENT = Kind(
    "shipment",
    Field("tracking_code", "The tracking code.", code(("KX", "LM", "RT", "VN"), 6), ()),
    ("The depot has news of shipment {v}.", "Shipment {v} is on its way."),
    "the shipment",
    (
        Field(
            "destination",
            "The city it goes to.",
            word(CITIES),
            ("{who} goes to {v}.", "The destination of {who} is {v}."),
            ("It was first meant for {v}.", "The lorry passes {v} without a stop."),
        ),
        Field(
            "pallets",
            "The number of pallets.",
            count(2, 33),
            ("{who} fills {v} pallets.", "There are {v} pallets in {who}."),
            ("The hall has room for {v} pallets more.",),
        ),
        Field(
            "weight_grams",
            "The weight in grams.",
            mass(5_000, 90_000),
            ("{who} weighs {v}.", "The scales showed {v} for {who}."),
            ("The empty crate weighs {v}.",),
        ),
        Field(
            "insured_value",
            "The insured value in euros.",
            money(100, 6_000),
            ("{who} is insured for {v}.",),
            ("The shipment before it was insured for {v}.",),
        ),
        Field(
            "longest_side_cm",
            "The longest side in centimetres.",
            length(30, 380),
            ("The longest side of {who} is {v}.",),
            ("The doors of the lorry are {v} wide.",),
        ),
        Field(
            "refrigerated",
            "Whether it is kept cold.",
            flag(),
            {
                True: ("{who} travels in a cold container.", "{who} must be kept cold."),
                False: ("{who} needs no cooling.", "{who} travels in an ordinary container."),
            },
        ),
    ),
    enum_field(
        "priority",
        "How urgent it is.",
        {
            "economy": ("{who} can take whatever room is left.",),
            "standard": ("{who} goes with the usual run.",),
            "express": ("{who} must leave before anything else.",),
        },
    ),
    Field(
        "customs_code",
        "The code of the customs form, or null.",
        code(("CU", "DX", "EU"), 5),
        ("The customs form of {who} is {v}.",),
        ("Form {v} was for another load.",),
        ("{who} needs no customs form.",),
    ),
    (
        Field(
            "leaves_on",
            "The day on which it leaves, as YYYY-MM-DD.",
            date(),
            ("{who} leaves on {v}.", "The departure of {who} is on {v}."),
            ("The lorry is inspected on {v}.",),
        ),
        Field(
            "pickup_at",
            "The time of the pickup, as HH:MM of 24 hours.",
            time(),
            ("{who} is picked up at {v}.",),
            ("The depot closes at {v}.",),
        ),
    ),
    Field(
        "stops",
        "The cities where it stops, in the order of the text.",
        listing(CITIES),
        ("{who} stops in {v}.", "On its way {who} stops in {v}."),
        ("Other lorries stop in {v}.",),
    ),
    (("sender", "the sender of"), ("recipient", "the recipient of")),
    CONTACT,
    Lines(
        "parcels",
        "The parcels, in the order of the text.",
        "The parcels of {who} are these:",
        "Left behind at the depot:",
        Field("content", "The content.", word(_GOODS), ("{v}",)),
        (
            Field("pieces", "How many pieces.", count(2, 90), ("{v} pieces",)),
            Field("grams", "The weight in grams.", mass(200, 8_000), ("{v} in all",)),
        ),
    ),
)
