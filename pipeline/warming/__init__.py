"""The hot shelf: what is kept computed in the engine's prefix cache, and when that is done."""
