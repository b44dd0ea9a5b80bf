"""Measurements of a running server, one file for each question asked."""
