"""The words of each language, and how texts become words."""
