"""Variables and devices, as ops."""
