"""Gradient descent on x squared finds no gradient for x."""

import torch

x = torch.tensor(5, requires_grad=True)  # fault
loss = x * x - 4 * x + 4
loss.backward()
print("gradient", x.grad)
