"""The guard: what the engine says of prices and stock is checked before it is sent."""
