"""HTTP routes, one file for each group of people who call them."""
