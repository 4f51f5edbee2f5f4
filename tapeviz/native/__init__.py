"""Machine code made by LLVM: what it is written with, compiled by and called as, and NumPy's own compiled loops."""
