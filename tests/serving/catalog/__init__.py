"""The catalogue over HTTP: a real server, a real Redis."""
