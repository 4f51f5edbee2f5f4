"""Files and pictures as tensors."""
