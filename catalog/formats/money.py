"""Amounts with their currency: `15.00 USD`, `€ 1.299,00`, `299元`, `￥299`.

A sign that several currencies share (`$`, `¥`, `kr`) is read only if the shop's currency is one
of them.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from catalog.formats.model import Decimals
from catalog.formats.numbers import NumberError, normal, parse_number
from catalog.formats.reasons import why
from catalog.product import Money

_SIGNS: dict[str, tuple[str, ...]] = {
    "€": ("EUR",),
    "£": ("GBP",),
    "₹": ("INR",),
    "rs": ("INR", "PKR", "LKR", "NPR"),
    "₩": ("KRW",),
    "₽": ("RUB",),
    "₺": ("TRY",),
    "₫": ("VND",),
    "฿": ("THB",),
    "₪": ("ILS",),
    "₴": ("UAH",),
    "zł": ("PLN",),
    "zl": ("PLN",),
    "kč": ("CZK",),
    "r$": ("BRL",),
    "us$": ("USD",),
    "hk$": ("HKD",),
    "nt$": ("TWD",),
    "a$": ("AUD",),
    "c$": ("CAD",),
    "fr": ("CHF",),
    "元": ("CNY", "TWD", "HKD"),
    "块": ("CNY",),
    "人民币": ("CNY",),
    "rmb": ("CNY",),
    "円": ("JPY",),
    "¥": ("CNY", "JPY"),
    "$": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
}
_DEFAULTS = {"元": "CNY"}
"""Signs that mean one currency unless the shop's own is another of theirs."""
_PLACES = dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3)
_PARTS = re.compile(r"(?P<before>[^\d.,+\-−(]*)(?P<number>.*\d)(?P<after>\D*)", re.DOTALL)
_TRAILING = re.compile(r"[.,]-+$")
_CODES = frozenset(
    re.findall(
        "[A-Z]{3}",
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN
        BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD
        FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
        KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
        MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
        RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND
        TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR
        ZMW ZWG
        """,
    )
)
"""ISO 4217, the currencies people pay with."""
_PLAIN = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class Amount:
    """A cell split up: the number as written, and the word or sign of its currency."""

    number: str
    sign: str


def split_amount(text: str) -> Amount:
    """The number of `text` and its currency, not yet understood."""
    plain = _TRAILING.sub("", normal(text))
    if _PLAIN.fullmatch(plain):
        return Amount(plain, "")
    found = _PARTS.fullmatch(plain)
    if found is None:
        return Amount(plain, "")
    before, after = found["before"].strip(" ."), found["after"].strip(" .")
    if before and after:
        return Amount(plain, "")
    return Amount(found["number"].strip(), before or after)


def is_currency(code: str) -> bool:
    """Whether people pay with it somewhere."""
    return code in _CODES


def currency_of(sign: str, default: str | None) -> str:
    """The currency that `sign` means in a shop whose own is `default`. Raises `NumberError`."""
    code = sign.upper()
    if not sign:
        if default is None:
            raise NumberError(why("currency_missing"))
        if not is_currency(default):
            raise NumberError(why("currency_unknown", sign=repr(default)))
        return default
    if is_currency(code):
        return code
    candidates = _SIGNS.get(sign.lower())
    if candidates is None:
        raise NumberError(why("currency_unknown", sign=repr(sign)))
    if default in candidates:
        return default
    if len(candidates) == 1 or sign in _DEFAULTS:
        return _DEFAULTS.get(sign, candidates[0])
    some = {"candidates": " / ".join(candidates[:3]), "first": candidates[0]}
    raise NumberError(why("currency_ambiguous", sign=repr(sign), **some))


def parse_money(text: str, decimals: Decimals = "unknown", default: str | None = None) -> Money:
    """The amount in `text`. Raises `NumberError`; never guesses."""
    amount = split_amount(text)
    currency = currency_of(amount.sign, default)
    places = _PLACES.get(currency, 2)
    return Money(_trimmed(parse_number(amount.number, decimals, places), places), currency)


def _trimmed(amount: Decimal, places: int) -> Decimal:
    """Without the zeros that some shops export behind the cents (`52.0000`)."""
    cents = Decimal(1).scaleb(-places)
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > places and amount % cents == 0:
        return amount.quantize(cents)
    return amount
