"""Saved questions and compared answers as JSON."""

from datetime import UTC, datetime

from catalog.questions import SavedQuestion
from pipeline.foreseeing.grounds import AnswerChange, Grounds
from serving.answer_previews import Answers
from serving.question_contract import AnswerChangeJson, AnswersJson, GroundsJson, QuestionJson


def question_to_json(question: SavedQuestion) -> QuestionJson:
    """One saved question."""
    since = datetime.fromtimestamp(question.since, UTC)
    return {
        "id": question.id,
        "question": question.text,
        "sku": question.sku,
        "locale": question.locale,
        "actor": question.actor,
        "since": since.isoformat(timespec="milliseconds"),
    }


def answers_to_json(answers: Answers) -> AnswersJson:
    """What an import would change."""
    return {
        "questions": answers.questions,
        "changed": [_change(change) for change in answers.changed],
        "not_searched": answers.not_searched,
        "left_out": answers.left_out,
    }


def _change(change: AnswerChange) -> AnswerChangeJson:
    return {
        "question": change.asking.text,
        "sku": change.asking.sku,
        "locale": change.asking.locale,
        "before": _grounds(change.before),
        "after": _grounds(change.after),
    }


def _grounds(grounds: Grounds) -> GroundsJson:
    return {
        "products": [{"id": found.id, "title": found.title} for found in grounds.products],
        "facts": list(grounds.facts),
    }
