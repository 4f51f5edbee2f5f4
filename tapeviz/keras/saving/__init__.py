"""Models in files: weights by names, and whole models that come back without the code that made them."""
