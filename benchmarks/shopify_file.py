"""A Shopify export as large shops have one: products of several variants, HTML texts, pictures."""

import csv
import random
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

HEADER = (
    *("Handle", "Title", "Body (HTML)", "Vendor", "Type", "Tags", "Published"),
    *("Option1 Name", "Option1 Value", "Option2 Name", "Option2 Value"),
    *("Variant SKU", "Variant Grams", "Variant Inventory Qty", "Variant Price"),
    *("Variant Compare At Price", "Variant Barcode", "Image Src", "Variant Image"),
)
_KINDS = ("Shirt", "Jacket", "Trousers", "Dress", "Scarf", "Sneaker", "Backpack", "Lamp", "Kettle")
_STUFFS = ("linen", "cotton", "wool", "leather", "steel", "oak", "bamboo", "felt", "cashmere")
_MAKERS = ("Moorland", "Dune & Fen", "Brightwater", "Kestrel", "Oakhill", "Saltmarsh")
_COLOURS = ("black", "white", "navy", "olive", "sand", "rust", "grey")
_SIZES = ("XS", "S", "M", "L", "XL")

Row = dict[str, str]


def write_shopify_file(path: Path, rows: int, seed: int = 1) -> int:
    """Write `rows` rows, a UTF-8 file with the old headers; how many products they make."""
    draw = random.Random(seed)
    products = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEADER, restval="")
        writer.writeheader()
        for row in islice(_rows(draw), rows):
            products += "Title" in row
            writer.writerow(row)
    return products


def _rows(draw: random.Random) -> Iterator[Row]:
    number = 0
    while True:
        number += 1
        yield from _product(draw, number)


def _product(draw: random.Random, number: int) -> Iterator[Row]:
    """One product: a row for each of its variants, then one for each further picture."""
    stuff, kind = draw.choice(_STUFFS), draw.choice(_KINDS)
    maker = draw.choice(_MAKERS)
    handle = f"{stuff}-{kind.lower()}-{number}"
    price = draw.randint(500, 20_000)
    variants = list(
        product(draw.sample(_COLOURS, draw.randint(1, 3)), _SIZES[: draw.randint(1, 4)])
    )
    for position, (colour, size) in enumerate(variants):
        row = {
            "Handle": handle,
            "Option1 Value": colour,
            "Option2 Value": size,
            "Variant SKU": f"{number:06}-{colour[:3].upper()}-{size}",
            "Variant Grams": str(draw.randint(100, 2_000)),
            "Variant Inventory Qty": str(draw.choice((0, 0, 3, 12, 40, 250))),
            "Variant Price": f"{price / 100:.2f}",
            "Variant Compare At Price": f"{price / 80:.2f}" if draw.random() < 0.2 else "",
        }
        yield {**_page(handle, number, stuff, kind, maker, draw), **row} if position == 0 else row
    for picture in range(draw.randint(0, 2)):
        yield {"Handle": handle, "Image Src": f"https://img.example/{handle}-{picture}.jpg"}


def _page(handle: str, number: int, stuff: str, kind: str, maker: str, draw: random.Random) -> Row:
    title = f"{maker} {stuff.title()} {kind} No. {number}"
    sentences = (
        f"A {stuff} {kind.lower()} made for long days, cut by hand.",
        f"Care: {draw.choice(('machine wash cold', 'wipe with a damp cloth', 'dry clean only'))}.",
        f"Warranty: {draw.randint(1, 5)} years. Ships within {draw.randint(1, 9)} days.",
        "Tested by people who wear what they sell, mended for free in our own workshop.",
    )
    return {
        "Title": title,
        "Body (HTML)": "".join(f"<p>{sentence}</p>" for sentence in sentences),
        "Vendor": maker,
        "Type": kind,
        "Tags": f"{stuff}, {kind.lower()}, season-{number % 4}",
        "Published": "true",
        "Option1 Name": "Color",
        "Option2 Name": "Size",
        "Image Src": f"https://img.example/{handle}.jpg",
    }
