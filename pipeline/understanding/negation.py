"""What a question refuses: "not red", "without fur", "不要红色的", "除了苹果".

What is refused is read apart from what is wanted: "a bag, not black" wants a bag.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pipeline.lexicon.cues import Cues, alternatives, every

_CLAUSE = re.compile(r"[^,.;:!?()\n，。；：！？、（）]+")
_MOST = 4
"""Words of what is refused in English."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_AND_NOT = frozenset({"or", "nor", "and"})
_WORD = re.compile(r"[a-z0-9]+(?:['’&-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Refusals:
    """`refused` as written; `rest` is the text with its negations blanked."""

    refused: tuple[str, ...]
    rest: str


class NegationReader:
    """Reads what folded questions refuse."""

    def __init__(self, cues: Iterable[Cues], has_color: Callable[[str], bool]) -> None:
        cues = tuple(cues)
        self._has_color = has_color
        self._never = re.compile(alternatives(every(cues, "negation", "never")))
        self._before = re.compile(alternatives(every(cues, "negation", "before")))
        self._attributive = frozenset(every(cues, "negation", "attributive"))
        self._color_only = frozenset(every(cues, "negation", "color_only"))
        self._wanting = re.compile(rf"{alternatives(every(cues, 'negation', 'wanting'))}\s*$")
        self._adjectival = tuple(every(cues, "negation", "adjectival"))
        self._skip = re.compile(rf"\s*{alternatives(every(cues, 'negation', 'skip'))}\s*")
        self._until = re.compile(alternatives(every(cues, "negation", "until")))
        self._after = re.compile(alternatives(every(cues, "negation", "after")))
        self._lead = re.compile(rf"^{alternatives(every(cues, 'negation', 'lead'))}+")
        self._free = re.compile(r"(?<![a-z])([a-z]{3,})[\s-]free(?![a-z])")
        self._asking = re.compile(rf"\0|{alternatives(every(cues, 'negation', 'asking'))}")
        self._not_free = frozenset(every(cues, "negation", "not_free"))
        self._pronouns = frozenset(every(cues, "negation", "pronouns"))

    def read(self, text: str) -> Refusals:
        """What `text`, which is folded, refuses."""
        guarded = self._never.sub(lambda match: "\0" * len(match.group()), text)
        found: list[str] = []
        rest = text
        for clause in _CLAUSE.finditer(guarded):
            for start, end, refused in self._clause(clause.group()):
                found += refused
                at = clause.start()
                rest = rest[: at + start] + " " * (end - start) + rest[at + end :]
        for match in self._free.finditer(rest):
            if match.group(1) not in self._not_free:
                found.append(match.group(1))
                rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
        return Refusals(tuple(dict.fromkeys(found)), rest)

    def _clause(self, clause: str) -> list[tuple[int, int, list[str]]]:
        """(from, to, what is refused) for each negation of a clause."""
        found: list[tuple[int, int, list[str]]] = []
        at = 0
        while cue := self._before.search(clause, at):
            begin = cue.end() + (clause[cue.end() : cue.end() + 1] == "-")
            while (skip := self._skip.match(clause, begin)) and skip.end() > begin:
                begin = skip.end()
            end, refused = self._object(clause, begin, cue)
            if refused:
                found.append((cue.start(), end, refused))
            at = max(end, cue.end()) if refused else cue.end()
        if not found and (cue := self._after.search(clause)):
            what = clause[: cue.start()].replace("\0", " ").strip()
            refused = [self._lead.sub("", what.rpartition("对")[2])]
            if refused[0]:
                found.append((0, cue.end(), refused))
        return found

    def _object(self, clause: str, begin: int, cue: re.Match[str]) -> tuple[int, list[str]]:
        """Where what is refused ends, and the things themselves."""
        if begin >= len(clause) or clause[begin] == "\0":
            return begin, []
        if _HAN.match(clause[begin]) or _HAN.search(cue.group()):
            return self._han_object(clause, begin, cue)
        return self._latin_object(clause, begin)

    def _latin_object(self, clause: str, begin: int) -> tuple[int, list[str]]:
        words: list[list[str]] = [[]]
        end = begin
        for match in _WORD.finditer(clause, begin):
            word = match.group()
            if match.start() > end and clause[end : match.start()].strip():
                break
            if not words[0] and word in self._pronouns:
                return begin, []
            if words[-1] and word in _AND_NOT:
                if word == "and" and not self._goes_on(words[-1], clause[match.end() :]):
                    break
                words.append([])
            elif words[-1] and self._ends(clause, match, words[-1]):
                break
            elif not self._until.fullmatch(word) and not self._skip.fullmatch(word):
                words[-1].append(word)
            end = match.end()
        return end, [" ".join(part) for part in words if part]

    def _ends(self, clause: str, match: re.Match[str], words: list[str]) -> bool:
        """Whether this word is no longer part of what is refused."""
        again = self._before.match(clause, match.start())
        return bool(again or self._until.fullmatch(match.group()) or len(words) == _MOST)

    def _goes_on(self, words: list[str], rest: str) -> bool:
        """Whether "and" adds to what is refused: a colour to a colour."""
        following = _WORD.search(rest)
        return (
            following is not None
            and self._has_color(" ".join(words))
            and self._has_color(following.group())
        )

    def _han_object(self, clause: str, begin: int, match: re.Match[str]) -> tuple[int, list[str]]:
        cue, at = match.group(), match.start()
        stops = (self._until.search(clause, begin), self._before.search(clause, begin + 1))
        stop = min((s for s in stops if s), key=lambda match: match.start(), default=None)
        end = stop.start() if stop else len(clause)
        mark = clause.find("的", begin, end)
        following = clause[mark + 1 :].strip()
        attributive = mark > begin and not self._asking.match(following or "\0")
        if mark > begin and self._wanting.search(clause[:at].replace("\0", "有")):
            attributive = True
        if mark > begin:
            end = mark
        refused = clause[begin:end].split("\0", maxsplit=1)[0].strip()
        if cue in self._attributive and not attributive:
            return begin, []
        told = attributive or refused.endswith(self._adjectival) or self._has_color(refused)
        if cue in self._color_only and not told:
            return begin, []
        parts = [part.strip() for part in re.split(r"[和或跟与及/]|还有|或者", refused)]
        return end, [part for part in parts if part]
