"""What a question says, read by rules before anything is searched, in both languages at once.

Nothing here knows which products there are, but for identifiers and for what kinds are called.
"""

import re
from collections.abc import Sequence

from pipeline.facts.asked import Lexicon
from pipeline.facts.options import OptionReader
from pipeline.lexicon.brands import Brands
from pipeline.lexicon.cues import Cues, alternatives, every, has_any, phrases, without
from pipeline.lexicon.kinds import Kinds, Named, place, plain
from pipeline.lexicon.words import Words, fold, framed, terms
from pipeline.understanding.bounds import BoundsReader
from pipeline.understanding.identifiers import Identifier, IdentifierReader
from pipeline.understanding.negation import NegationReader
from pipeline.understanding.profiler import AUDIENCES, Audience, Profiler
from pipeline.understanding.reading import Reading, Refusal
from pipeline.understanding.shop_index import ShopIndex

_WORD = re.compile(r"[a-z0-9]+(?:['’.-][a-z0-9]+)*|[\u3400-\u9fff]{2}")
_SHORT = 16
"""Words, or pairs of Chinese characters, after which a question is a story, with its own noes."""
_FOR = " for "
_SHADE = 2
"""A colour's name of more characters is rather a shade's."""
_HAS_SUCH = re.compile(r"有[^,，。;；]{1,8}的$")
"""As in 有同款的裤子吗, before the kind."""
_PAUSE = re.compile(r"[,，。;；!！?？]")
_RELATIVE = re.compile(r"^\s+that(?=\s+[a-z])")
_OPTIONS = frozenset({"color", "size"})


class Understander:
    """Reads questions."""

    def __init__(
        self, cues: Sequence[Cues], kinds: Kinds, options: OptionReader, lexicons: Sequence[Words],
        profiler: Profiler, brands: Brands,
    ) -> None:  # fmt: skip
        self._brands = brands
        self._kinds, self._options, self._profiler = kinds, options, profiler
        common = {framed(n).strip() for w in lexicons for n in w.color_names.values()}
        self._exact = tuple(
            word
            for words in lexicons
            for word in words.colors
            if len(word.strip()) > _SHADE and word.strip() not in common
        )
        self._identifiers = IdentifierReader(cues)
        self._bounds = BoundsReader(cues, lexicons)
        self._negation = NegationReader(cues, lambda text: bool(options.colors_of(text)))
        self._lexicon = Lexicon(lexicons)
        self._said = {
            name: phrases(every(cues, name))
            for name in (
                "turns",
                "trade",
                "polite",
                "fits",
                "than",
                "available",
                "sold_out",
                "which",
                "reference",
                "another",
                "sell",
                "those",
                "other_one",
                "comparative",
                "goes_with",
            )
        }
        self._that = re.compile(alternatives(every(cues, "relative")))
        self._definite = phrases(every(cues, "definite"))
        self._audience = {
            who: phrases(word for c in cues for word in c.words("audience", who))
            for who in AUDIENCES
        }
        self._places = tuple(
            (place, re.compile(alternatives(words)))
            for c in cues
            for place, words in zip((-1, 0, 1, 2, 3), c.data["ordinals"], strict=True)
        )
        heads = alternatives(every(cues, "heads"))
        self._headed = re.compile(rf"\s*(?:{heads}|[,，]|[\u3400-\u9fff]+的\s*$)")
        self._stuff = tuple(every(cues, "negation", "stuff"))
        self._pointing = re.compile(alternatives(every(cues, "reference")) + r"\s*$")
        self._either = frozenset(framed(word).strip() for word in every(cues, "either"))
        self._common = frozenset(
            term for name in self._said for word in every(cues, name) for term in terms(word)
        )

    def telling(self, text: str) -> frozenset[str]:
        """The terms of `text` that carry meaning."""
        return self._lexicon.telling(text)

    def read(self, question: str, index: ShopIndex) -> Reading:
        """What `question` says."""
        text = fold(question)
        identifiers = self._identifiers.read(text, index.identifiers)
        identifiers = tuple(i for i in identifiers if i.product_id or not _is_word(i, index))
        bare = without(text, (identifier.at for identifier in identifiers))
        lengthy = len(_WORD.findall(text)) > _SHORT
        price = self._bounds.read(bare)
        unpriced = without(bare, price.spans)
        negated = self._negation.read(unpriced)
        rest = self._that.sub(lambda match: " " * len(match.group()), negated.rest)
        refusals = tuple(map(self._refusal, negated.refused))
        if lengthy:
            refusals = tuple(r for r in refusals if r.colors or r.brands)
        shaped, whole = framed(rest), framed(text)
        named = [n for n in self._kinds.in_text(rest) if not self._is_brand(rest, n, index)]
        name = self._about(rest, named, index)
        kind, at = (None, (0, 0)) if name is None else (name.kind, place(rest, name))
        if kind is None:
            kind = next((r.kind for r in refusals if r.kind), None) or self._rest_of(refusals)
        beside = framed(without(rest, [at]))
        topics = self._lexicon.asked_topics(beside)
        latin, han = self._brands.named(beside)
        told = self._terms(beside) | self._modifiers(text[slice(*at)], kind)
        latin |= self._brands.among(terms(text[slice(*at)]))
        told = (told - han) | latin
        return Reading(
            text=text,
            rest=rest,
            identifiers=identifiers,
            price=price,
            refusals=refusals,
            kind=kind,
            kinds=tuple(n.kind for n in named),
            said=_written(question, text, at) or kind or "",
            audience=self._for(beside),
            colors=self._options.colors_of(beside),
            terms=told,
            brands=latin | frozenset(t for t in told if index.profiles.is_brand(t)),
            available=self._available(whole, beside, topics),
            sold_out=self._gone(beside, topics),
            shades=self._shades(beside),
            short=len(_WORD.findall(text)) <= _SHORT // 2,
            listing=has_any(beside, self._said["which"]),
            sells=has_any(beside, self._said["sell"]) or bool(_HAS_SUCH.search(rest[: at[0]])),
            refers=has_any(framed(_relative(rest, at)), self._said["reference"]),
            definite=has_any(shaped, self._definite),
            points=has_any(
                framed(self._pointing.sub("", rest[: at[0]]) + " , " + _behind(rest[at[1] :])),
                self._said["reference"],
            ),
            turns=has_any(whole, self._said["turns"]),
            trades=has_any(beside, self._said["trade"]),
            fits=has_any(shaped, self._said["fits"]),
            than=has_any(beside, self._said["than"]),
            another=has_any(beside, self._said["another"]) and not topics & _OPTIONS,
            headed=kind is not None and bool(self._headed.match(rest[at[1] :])),
            other_one=has_any(whole, self._said["other_one"]),
            comparative=has_any(beside, self._said["comparative"]) and not topics & _OPTIONS,
            goes_with=has_any(beside, self._said["goes_with"]),
            place=next((place for place, words in self._places if words.search(rest)), None),
            about_options=bool(topics & _OPTIONS),
            topics=topics,
        )

    def _about(self, rest: str, named: Sequence[Named], index: ShopIndex) -> Named | None:
        """The kind that the question is about: of a compound the last, of several that would do
        one that is sold, else the first."""
        shaped = plain(rest)
        limit = self._profiler.limit(shaped)
        before = [name for name in named if name.end <= limit]
        if not before and not self._is_for(shaped, named):
            before = list(named)
        if not before:
            return None
        about = before[0]
        for name in before[1:]:
            if self._is_line(shaped, name) and not self._is_line(shaped, about):
                continue
            between = shaped[about.end : name.start].strip()
            pause = _PAUSE.search(rest[place(rest, about)[1] : place(rest, name)[0]])
            either = framed(between).strip() in self._either
            if (
                (not between and not pause)
                or between.endswith("的")
                or has_any(framed(between), self._said["sell"])
                or (either and not index.profiles.carries(about.kind))
            ):
                about = name
        return about

    def _rest_of(self, refusals: Sequence[Refusal]) -> str | None:
        """What else is wanted where one sort is refused: of "anything but wall clocks", clocks."""
        sorts = (kind for refusal in refusals for kind in refusal.kinds)
        return next((self._kinds.broader[k] for k in sorts if k in self._kinds.broader), None)

    def _is_brand(self, rest: str, name: Named, index: ShopIndex) -> bool:
        """Whether a fruit in the singular is a brand of the shop, with more to come."""
        start, end = place(rest, name)
        said = set(terms(rest[start:end]))
        if rest[start:end].endswith("s") or not all(map(index.profiles.is_brand, said)):
            return False
        return bool(self._terms(without(rest, [(start, end)])))

    def _is_line(self, shaped: str, name: Named) -> bool:
        """Whether a kind is named by a brand or a product line: an iPhone's charger is none."""
        return bool(self._brands.among(terms(shaped[name.start : name.end])))

    def _is_for(self, shaped: str, named: Sequence[Named]) -> bool:
        """Whether something else is asked for, "a case for" the first kind named."""
        at = shaped.find(_FOR)
        if at < 0 or not named or at > named[0].start:
            return False
        return bool(self._terms(shaped[:at])) and not self._lexicon.asked_topics(shaped[:at] + " ")

    def _refusal(self, said: str) -> Refusal:
        telling = frozenset(self._lexicon.telling(said))
        colors = self._options.colors_of(said)
        kinds = [name.kind for name in self._kinds.in_text(said)]
        kind = kinds[-1] if colors and kinds else None
        latin, han = self._brands.named(said)
        if len(said) > _SHADE and said.endswith(self._stuff):
            telling = frozenset(self._lexicon.telling(said[:-1])) or telling
        for name in kinds:
            telling = self._kinds.modifiers(said, name, self._lexicon.telling) or telling
        return Refusal(said, colors, frozenset(kinds), telling - han | latin, kind, latin)

    def _for(self, shaped: str) -> frozenset[Audience]:
        return frozenset(who for who in AUDIENCES if has_any(shaped, self._audience[who]))

    def _terms(self, shaped: str) -> frozenset[str]:
        telling = self._lexicon.telling(shaped) - self._common
        return frozenset(
            term for term in telling if "的" not in term and not self._options.colors_of(term)
        )

    def _modifiers(self, said: str, kind: str | None) -> frozenset[str]:
        """Of a kind in several words all but the last: an oxford shirt is one sort of shirt."""
        if said.isascii():
            return self._terms(" ".join(said.split()[:-1]))
        return self._kinds.modifiers(said, kind, self._terms) if kind else frozenset()

    def _gone(self, beside: str, topics: frozenset[str]) -> bool:
        """Whether it asks which ones are sold out."""
        asks = has_any(beside, self._said["which"]) and not topics & _OPTIONS
        return asks and has_any(beside, self._said["sold_out"])

    def _shades(self, beside: str) -> tuple[str, ...]:
        """The colours that are told more exactly than by their common names, as `framed`."""
        return tuple(word for word in self._exact if word in beside)

    def _available(self, whole: str, beside: str, topics: frozenset[str]) -> bool:
        """Whether only what can be had will do; a question about one product's stock is none."""
        if not has_any(whole, self._said["available"]):
            return False
        wants = has_any(whole, self._said["which"]) or has_any(whole, self._said["those"])
        return wants and not topics & _OPTIONS


def _behind(text: str) -> str:
    """What stands behind a kind, without the "that" of "a stroller that folds"."""
    return _RELATIVE.sub(" ", text)


def _relative(rest: str, at: tuple[int, int]) -> str:
    """`rest` without the relative pronoun of the kind that stands at this place."""
    return rest[: at[1]] + _behind(rest[at[1] :]) if at[1] else rest


def _is_word(identifier: Identifier, index: ShopIndex) -> bool:
    """Whether an identifier that is not known stands in a title: then it is found by words."""
    return all(index.profiles.knows(term) for term in terms(identifier.written))


def _written(question: str, folded: str, at: tuple[int, int]) -> str:
    """This place of the question as the shopper wrote it."""
    start, end = at
    return (question if len(question) == len(folded) else folded)[start:end]
