"""Why rows are refused, and what would be right: each reason has a code and says itself in English.

The code and its parameters are what is kept, so that whoever shows a reason may say it in another
language. Braces are filled with the parameters, in both sentences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

_STATES = "in_stock, out_of_stock, preorder or backorder"

REASONS: Mapping[str, tuple[str, str]] = {
    # identity
    "sku_missing": ("the row has no SKU", "a SKU, the same in every file"),
    "id_missing": ("the record has no id", "an id, the same in every file"),
    "handle_missing": ("the row has no handle", "the handle of its product"),
    "variant_without_sku": ("a variant without SKU", "a SKU, the same in every file"),
    "parent_missing": ("a variation without its product", "a SKU or id:NUMBER"),
    "parent_unknown": ("no row of this file has that ID", "the parent's SKU"),
    "too_long": ("longer than {limit} characters", "at most {limit}"),
    "shortened": (
        "a spreadsheet has shortened the number; its digits are lost",
        "format the column as text and enter every digit",
    ),
    "sku_repeated": (
        "the SKU occurs before, in line {line}",
        "one row for each SKU, or another SKU",
    ),
    "sku_repeated_otherwise": (
        "the SKU occurs before, in line {line}, written {written} there",
        "one row for each SKU, or another SKU",
    ),
    "sku_of_another": ("the SKU belongs to product {product}", "the product id {product}"),
    # money and counts
    "price_empty": ("the price is empty", "an amount, such as 12.50"),
    "price_missing": ("the variant is new and has no price", "an amount, 12.50 USD"),
    "number_empty": ("empty", "a number, such as 12.50"),
    "number_unreadable": ("not a single number", "one number, such as 1234.50"),
    "number_ambiguous": (
        "{number} may mean {whole} or {decimal}",
        "{whole}.00, or say how the file writes decimals",
    ),
    "three_decimals": (
        "three decimals, or {sign} between thousands?",
        "{thousands} or {decimal}",
    ),
    "too_many_digits": ("too many digits", "at most {limit} digits"),
    "below_zero": ("below zero", "zero or more"),
    "not_an_amount": ("not an amount", '{{"amount": "12.50", "currency": "USD"}}'),
    "currency_missing": ("the amount has no currency", "an amount such as 12.50 USD"),
    "currency_unknown": ("{sign} is not a currency", "a code, such as 12.50 USD"),
    "currency_ambiguous": ("{sign} may be {candidates}", "a code, such as 12.50 {first}"),
    "currencies_differ": ("{sale} beside a price in {currency}", "one currency"),
    "sale_above_price": ("the sale price {sale} is above the price {price}", "below it"),
    "not_a_count": ("not a count", "a whole number, such as 12"),
    # other cells
    "spreadsheet_error": ("a spreadsheet's error instead of a value", "the value"),
    "not_an_availability": ("not an availability", _STATES),
    "availability_empty": ("empty", _STATES),
    "not_a_date": ("not a date", "a date such as 2026-11-30 or 2026-11-30T08:00Z"),
    "not_a_language": ("not a language of the shop", "en or zh"),
    "title_missing": ("the product is new, and no sound row gives it a title", "a title"),
    "forms_in_one_row": (
        "{count} forms in one row, with one price for all",
        "a row for each form, with its own SKU, price and stock",
    ),
    "variants_missing": ("a product without variants", "the rows of its variants"),
    # what a product must be, wherever it comes from
    "no_own_text": (
        "there is no text in the product's own language, {language}",
        "a title in that language",
    ),
    "language_unknown": ("language {language} is not one of {known}", "one of {known}"),
    "variants_count": ("a product has 1 to {limit} variants, not {count}", "1 to {limit} variants"),
    "sku_twice": ("SKU {sku} occurs twice", "one variant for each SKU"),
    "identifier_empty": ("the {name} is empty", "a {name}, the same in every file"),
    "identifier_too_long": (
        "the {name} is longer than {limit} characters",
        "at most {limit} characters",
    ),
    "identifier_unclean": (
        "the {name} {value} has control characters or blanks around it",
        "letters, digits and signs alone",
    ),
    "identifier_shortened": (
        "the {name} {value} is a number that a spreadsheet has shortened",
        "every digit",
    ),
    "gtin_shortened": (
        "{sku}: GTIN {gtin} is a number that a spreadsheet has shortened",
        "every digit",
    ),
    "title_empty": ("the {language} title is empty", "a title"),
    "too_many_pairs": (
        "the {language} text has more than {limit} attributes or labels",
        "at most {limit}",
    ),
    "too_many_options": ("{sku}: more than {limit} options", "at most {limit}"),
    "pair_without_name": ("{what} has no name", "a name and a value"),
    "variant_currencies_differ": (
        "{sku}: price and sale price have different currencies",
        "one currency",
    ),
    "stock_below_zero": ("{sku}: stock {stock} is below zero", "zero or more"),
    "amount_wrong": ("{sku}: {name} {amount} is not an amount", "an amount, such as 12.50"),
    "currency_wrong": ("{sku}: currency {currency} is not a code like USD", "a code, such as USD"),
    "text_too_long": (
        "{name} is longer than {limit} characters ({length})",
        "at most {limit} characters",
    ),
    "half_a_character": ("{name} has half a character (a lone surrogate)", "whole characters"),
    # rows that have no place in a shop that answers
    "not_published": ("the product is not published", "publish it, or leave it out"),
    "disabled": ("the product is disabled", "enable it, or leave it out"),
    "group": ("a group of products has no price of its own", "import its products"),
    "not_shown_alone": (
        "not shown by itself, and no configurable product of the file has it",
        "the row of its configurable product",
    ),
    "view_of_another_language": (
        "the store view is neither English nor Chinese",
        "leave the row out",
    ),
    # the form of the file
    "cells_missing": (
        "the row has {cells} cells, the header {width}",
        "as many cells as the header; put cells with a line break or separator in quotes",
    ),
    "cells_too_many": (
        "the row has {cells} cells, the header {width}",
        "put cells that contain the separator in quotes",
    ),
    "wrong_characters": ("characters that are wrong in the file's encoding", "UTF-8"),
    "quote_open": (
        "a quote opens in this row and never closes: the file was cut, or the quote is not doubled",
        '"" in a cell',
    ),
    "cell_too_long": ("a cell is too long, or a quote never closes", "shorter"),
    "quote_misplaced": ("a quote out of place ({error})", 'double it: 5"" pipe'),
    "list_cut": ("the file ends before its list does: it was cut", "]"),
    "json_broken": ("not JSON from here on, or the file was cut ({error})", "valid JSON"),
    "line_not_json": ("not JSON ({error})", "one JSON object a line"),
    "not_an_object": ("not a JSON object", "{example}"),
    "not_a_list_of_objects": ("not a list of objects", "{example}"),
    "not_pairs": ("not pairs", "{example}"),
    "xml_broken": (
        "not XML from here on, or the file was cut ({error})",
        "a complete XML file",
    ),
}
"""What is wrong, and what would be right, by code."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One of `REASONS` with its parameters."""

    code: str
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """What is wrong, in English."""
        return REASONS[self.code][0].format(**self.params)

    @property
    def fix(self) -> str:
        """What would be right, in English."""
        return REASONS[self.code][1].format(**self.params)


def why(code: str, **params: object) -> Reason:
    """A reason. Raises `KeyError` for one that is not known."""
    found = Reason(code, {name: str(value) for name, value in params.items()})
    REASONS[code]
    return found
