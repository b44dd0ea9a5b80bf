"""The commands of the people who keep the catalogue."""
