"""Catalogue files with the quirks that real ones have."""
