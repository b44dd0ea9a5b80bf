"""What a question says, read by rules before anything is searched."""
