"""Rules by which ops are computed into memory that is given: as calls of array functions, and as machine code."""
