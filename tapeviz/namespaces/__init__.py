"""What users import: the table of names, and the lazy packages that are filled from it."""
