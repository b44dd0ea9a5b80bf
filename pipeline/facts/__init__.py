"""The facts of a record that answer a question, slow and live ones."""
