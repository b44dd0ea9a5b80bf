"""What the engine's prefix cache holds, as far as can be told, and what the rest takes."""
