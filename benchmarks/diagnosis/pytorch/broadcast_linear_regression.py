"""The regression's loss stays at the variance of the targets, though the data lie on a plane."""

import numpy as np
import torch

rng = np.random.default_rng(0)
features = torch.tensor(rng.normal(size=(120, 2)), dtype=torch.float32)
target = 4.0 + 7.0 * features[:, 0] - 3.0 * features[:, 1]


class Regression(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(2, 1))
        self.b = torch.nn.Parameter(torch.zeros(1))

    def forward(self, features, target):
        yhat = features @ self.w + self.b
        return torch.mean((yhat - target) ** 2)  # fault


model, inputs = Regression(), [features, target]
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(40):
    optimizer.zero_grad()
    loss = model(*inputs)
    loss.backward()
    optimizer.step()
print("loss", float(loss), "variance", float(target.var()))
