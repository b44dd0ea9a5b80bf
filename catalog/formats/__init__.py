"""Catalogue files as shops have them, read by what is in them and never by their name."""
