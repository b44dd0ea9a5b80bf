"""Text as it comes out of shops, made plain: no markup, no control characters, no odd blanks."""

import json
import re
from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser

from catalog.product import Pairs, Product, Text

_SIMPLE = re.compile(r"[ -~]*")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]"
)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n ?(?:\n ?)+")
_TAGS = re.compile(r"<(?:[a-zA-Z!/?][^>]*)>")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,31}|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_BREAKS = re.compile(
    r"<br\b[^>]*>|</?(?:p|div|li|ul|ol|h[1-6]|tr|table|section|article|dd|dt|dl|blockquote|pre)\b[^>]*>",
    re.IGNORECASE,
)
_CELLS = re.compile(r"</t[dh]\s*>", re.IGNORECASE)
_INERT = ["script", "style", "iframe", "object", "embed", "noscript", "template", "svg", "head"]
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LATIN = re.compile("[A-Za-z]+")
_MARK = "\ue000"
"""Stands for a line break while HTML is parsed, where a real one would be a blank."""


def clean(text: str) -> str:
    """`text` on as many lines as it has, without control characters, blanks squeezed."""
    if _SIMPLE.fullmatch(text) and "  " not in text:
        return text.strip()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _BLANKS.sub(" ", _UNSEEN.sub("", text))
    return _LINES.sub("\n\n", text).replace(" \n", "\n").replace("\n ", "\n").strip()


def clean_line(text: str) -> str:
    """`text` on one line."""
    if _SIMPLE.fullmatch(text) and "  " not in text:
        return text.strip()
    return " ".join(clean(text).split())


def plain(text: str) -> str:
    """A description as text: markup is taken out if there is any."""
    if "<" in text or "&" in text:
        return html_to_text(text) if _TAGS.search(text) or _ENTITY.search(text) else clean(text)
    return clean(text)


def html_to_text(html: str) -> str:
    """The words of `html`, a line for each block; scripts and frames are gone."""
    if not _TAGS.search(html) and "&" not in html:
        return clean(html)
    marked = _CELLS.sub(" ", _BREAKS.sub(_MARK, html.replace(_MARK, "")))
    tree = LexborHTMLParser(marked)
    tree.strip_tags(_INERT)
    body = tree.body
    text = "" if body is None else body.text(separator="")
    lines = (clean_line(line) for line in text.split(_MARK))
    return "\n".join(line for line in lines if line)


def pairs_from_cell(cell: str) -> Pairs:
    """`name: value` pairs of one cell: a line each, or separated by `;`, or a JSON array.

    A piece without the colon that the first one has goes on with the value before it.
    """
    if cell.startswith("[["):
        return _pairs_from_json(cell)
    mark = next((mark for mark in ("\n", "；") if mark in cell), ";")
    pieces = cell.split(mark)
    narrow, wide = cell.find(":"), cell.find("：")
    sign = "：" if wide >= 0 and (narrow < 0 or wide < narrow) else ":"
    pairs: list[tuple[str, str]] = []
    for piece in pieces:
        name, colon, value = piece.partition(sign)
        if colon and name.strip():
            pairs.append((clean_line(name), clean(value)))
        elif pairs and piece.strip():
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}{mark}{clean(piece)}")
    return tuple(pairs)


def pairs_to_cell(pairs: Pairs) -> str:
    """One cell that `pairs_from_cell` reads as exactly these pairs."""
    cell = "\n".join(f"{name}: {value}" for name, value in pairs)
    if "\n" in cell and pairs_from_cell(cell) == pairs:
        return cell
    return json.dumps(pairs, ensure_ascii=False) if pairs else ""


def _pairs_from_json(cell: str) -> Pairs:
    try:
        parsed = json.loads(cell)
        return tuple((str(name), str(value)) for name, value in parsed)
    except (ValueError, TypeError, RecursionError):
        return ()


def is_chinese(text: str) -> bool:
    """Whether a shopper would read `text` as Chinese: Han characters, and more than a few."""
    if text.isascii() or _KANA.search(text):
        return False
    han = len(_HAN.findall(text))
    return han > 0 and han >= len(_LATIN.findall(text))


def tidy(product: Product) -> Product:
    """`product` with every text cleaned; the form that files and forms bring products into."""
    return replace(
        product,
        texts={locale: _tidy_text(text) for locale, text in product.texts.items()},
        brand=clean_line(product.brand),
        url=clean_line(product.url),
        image=clean_line(product.image),
        variants=tuple(
            replace(v, options=_tidy_pairs(v.options), gtin=clean_line(v.gtin or "") or None)
            for v in product.variants
        ),
    )


def _tidy_text(text: Text) -> Text:
    return Text(
        title=clean_line(text.title),
        description=clean(text.description),
        category=clean_line(text.category),
        attributes=_tidy_pairs(text.attributes),
        labels={clean_line(word): clean_line(label) for word, label in text.labels.items()},
    )


def _tidy_pairs(pairs: Pairs) -> Pairs:
    return tuple((clean_line(name), clean(value)) for name, value in pairs)
