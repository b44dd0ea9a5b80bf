"""The shop's catalogue: what a product is, where it is kept, and how it changes."""
