"""The edge: HTTP, engines, sessions, metrics and the composition of it all."""
