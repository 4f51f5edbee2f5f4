"""The transfer function is right for positive and negative x, and its derivative is nan."""

import torch


class Transfer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[1.0, -1.0]]))

    def transfer(self, x):
        return torch.where(x < 0.0, 1.0 / (1.0 - x), torch.log(x + 1.0) + 1.0)  # fault

    def forward(self, x):
        out = self.transfer(x @ self.weight)
        return torch.mean(out)


model, inputs = Transfer(), [torch.linspace(-3, 3, 25)[:, None]]
loss = model(*inputs)
loss.backward()
print("loss", float(loss), "gradient", model.weight.grad)
