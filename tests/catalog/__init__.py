"""Tests of the catalogue, on a real Redis."""
