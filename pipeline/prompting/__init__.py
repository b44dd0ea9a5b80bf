"""The parts of a prompt: texts, token ids, and what must go where it does not fit."""
