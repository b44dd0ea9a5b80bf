"""The page /admin: the catalogue for people who keep it, rendered on the server."""
