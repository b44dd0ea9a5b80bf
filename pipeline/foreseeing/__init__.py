"""Which answers a change of the catalogue would change, before it is made."""
