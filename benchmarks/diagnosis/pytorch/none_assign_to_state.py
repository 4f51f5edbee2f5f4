"""The gradient of the initial state is None."""

import torch


class Level(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.start = torch.nn.Parameter(torch.tensor(3.0))
        self.rate = torch.nn.Parameter(torch.tensor(0.5))
        self.register_buffer("level", torch.tensor(0.0))

    def forward(self):
        self.level.data.add_(self.start)  # fault
        return (self.rate * self.level) ** 2


model, inputs = Level(), []
cost = model()
cost.backward()
print(model.start.grad, model.rate.grad)
