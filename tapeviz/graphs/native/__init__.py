"""Programs in machine code: what lies between two Python steps runs as one call."""
