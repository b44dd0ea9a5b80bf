"""Answers that need no engine."""
