"""A shop's own words for the same thing."""

from pipeline.lexicon.analysis import standard_analyser
from pipeline.lexicon.synonyms import Thesaurus

ANALYSER = standard_analyser()


def test_a_question_is_searched_with_every_word_of_its_group() -> None:
    thesaurus = Thesaurus([("sofa", "couch", "love seat"), ("羽绒服", "羽绒衣")], ANALYSER)
    found = thesaurus.widened(ANALYSER.question("a red couch"))
    assert {"red", "couch", "sofa", "lov", "seat"} == set(found)
    assert found["sofa"] < found["couch"]
    assert "绒服" in thesaurus.widened(ANALYSER.question("有羽绒衣吗"))


def test_a_part_of_a_phrase_is_not_the_phrase() -> None:
    thesaurus = Thesaurus([("sofa", "love seat")], ANALYSER)
    question = ANALYSER.question("toilet seat")
    assert thesaurus.widened(question) == question
