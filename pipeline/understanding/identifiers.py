"""Exact identifiers in a question: SKUs, product ids, barcodes (GTIN), model numbers.

Width, case, blanks and hyphens do not count. A word is an identifier if the shop has it, or if it
looks like the shop's own and there is none: then it is not found, and never its neighbour.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.lexicon.cues import Cues, alternatives, every
from pipeline.understanding.identifier_index import PART, SHORT, IdentifierIndex, key_of, parts_of

_JOINT = re.compile(r"[\s\-‐‑‒–—_./]{1,3}")
_MOST_PARTS = 8
_MONEY = ("$", "¥", "€", "£")
_BARCODE = range(12, 15)
"""Digits of UPC, EAN and GTIN-14."""
_SPELLED = 6
"""Letters in the shortest SKU that is recognised without its hyphens and digits."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """`written` as in the question; `product_id` None: the shop has no such thing.

    `sku` is the variant it stands for, if it stands for one. `at`: from where to where.
    """

    written: str
    key: str
    product_id: str | None
    sku: str | None = None
    at: tuple[int, int] = (0, 0)


class IdentifierReader:
    """Finds identifiers in questions."""

    def __init__(self, cues: Iterable[Cues]) -> None:
        cues = tuple(cues)
        self._hard = self._before(every(cues, "identifier", "hard"))
        self._soft = self._before(every(cues, "identifier", "soft"))
        self._mine = re.compile(alternatives(every(cues, "identifier", "mine")) + r".{0,30}$")
        self._other = self._before(every(cues, "identifier", "other"))

    @staticmethod
    def _before(words: Iterable[str]) -> re.Pattern[str]:
        """A word that is followed by an identifier, up to the identifier's first character."""
        between = r"(?:\s|:|#|\.|：|=|is|no|number|num|code|是|为|号|码)*"
        return re.compile(alternatives(words) + between + "$")

    def read(self, text: str, index: IdentifierIndex) -> tuple[Identifier, ...]:
        """The identifiers of `text`, which is `fold`ed: those the shop has and those it has not."""
        places = [match.span() for match in PART.finditer(text)]
        found: list[Identifier] = []
        at = 0
        while at < len(places):
            taken, identifier = self._at(text, places[at:], index)
            if identifier is not None:
                found.append(identifier)
            at += taken
        return tuple({identifier.key: identifier for identifier in found}.values())

    def _at(
        self, text: str, places: list[tuple[int, int]], index: IdentifierIndex
    ) -> tuple[int, Identifier | None]:
        """What begins here, and how many parts it takes."""
        run = _run(text, places)
        before = text[: run[0][0]]
        cue = bool(self._hard.search(before))
        soft = bool(self._soft.search(before)) and not self._mine.search(before)
        if not cue and (self._other.search(before) or before.endswith(_MONEY)):
            return len(run), None
        for length in range(len(run), _hyphened(text, run) - 1, -1):
            written = text[run[0][0] : run[length - 1][1]]
            owner = index.find(key_of(written))
            if owner is not None and (cue or soft or _stands_alone(written)):
                span = (run[0][0], run[length - 1][1])
                return length, Identifier(written, key_of(written), *owner, span)
        return self._unknown(text, run, index, cue=cue, soft=soft)

    def _unknown(
        self,
        text: str,
        run: list[tuple[int, int]],
        index: IdentifierIndex,
        *,
        cue: bool,
        soft: bool,
    ) -> tuple[int, Identifier | None]:
        """An identifier that the shop does not have, if this is one."""
        length = _written_together(text, run, cue=cue or soft)
        parts = [text[start:end] for start, end in run[:length]]
        written = text[run[0][0] : run[length - 1][1]]
        digits = any(character.isdigit() for character in written)
        number = written.replace(" ", "").replace("-", "")
        if soft and not cue:
            unknown = digits and index.has_models
        elif cue:
            unknown = digits or (length > 1 and "-" in written)
        elif number.isdigit():
            alike = len(number) > SHORT and index.is_alike([number])
            unknown = len(number) in _BARCODE or (length == 1 and alike)
        else:
            unknown = index.is_alike(parts) and (digits or "-" in written)
        if not unknown or (text[: run[0][0]].endswith("#") and not cue):
            return _hyphened(text, run), None
        span = (run[0][0], run[length - 1][1])
        return length, Identifier(written, key_of(written), None, None, span)


def _run(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts from the first one on that only blanks and hyphens separate."""
    run = [places[0]]
    for place in places[1:_MOST_PARTS]:
        if not _JOINT.fullmatch(text[run[-1][1] : place[0]]):
            break
        run.append(place)
    return run


def _hyphened(text: str, run: list[tuple[int, int]]) -> int:
    """How many parts hyphens join without blanks: less than that is never meant."""
    length = 1
    while length < len(run) and text[run[length - 1][1] : run[length][0]] == "-":
        length += 1
    return length


def _written_together(text: str, run: list[tuple[int, int]], *, cue: bool) -> int:
    """How many parts look like one identifier: joined by hyphens, or groups of digits."""
    length = 1
    hyphenated = False
    while length < len(run):
        joint = text[run[length - 1][1] : run[length][0]].strip()
        digits = text[run[length - 1][0] : run[length - 1][1]].isdigit()
        more = text[run[length][0] : run[length][1]]
        tight = bool(joint) and joint == text[run[length - 1][1] : run[length][0]]
        if tight or (not hyphenated and digits and more.isdigit()):
            length, hyphenated = length + 1, hyphenated or tight
        else:
            break
    if length == 1 and not cue:
        return _spelled_with_blanks(text, run)
    return length


def _spelled_with_blanks(text: str, run: list[tuple[int, int]]) -> int:
    """As in "kit brd ele 056": short words of equal make that end in a number."""
    parts = [text[start:end] for start, end in run]
    for length in range(len(parts), 2, -1):
        *words, last = parts[:length]
        if last.isdigit() and len(last) > 1 and all(len(word) <= 4 for word in words):
            return length
    return 1


def _stands_alone(written: str) -> bool:
    """Whether it is told from common words and amounts without a word before it."""
    key = key_of(written)
    digits = sum(character.isdigit() for character in key)
    if digits == len(key):
        return len(key) > SHORT
    if digits:
        return len(key) > 3
    if written.count("-") > 1:
        return True
    return len(key) >= _SPELLED and (len(parts_of(written)) > 2 or " " not in written)
