"""After training the moving means are still all 0 and the moving variances 1."""

import numpy as np
import torch

torch.manual_seed(0)
x = torch.tensor(np.random.RandomState(0).randn(32, 5) * 3 + 10, dtype=torch.float32)
y = x.sum(dim=1, keepdim=True)

norm = torch.nn.BatchNorm1d(6, momentum=0.5)
model, inputs = torch.nn.Sequential(torch.nn.Linear(5, 6), norm, torch.nn.ReLU(), torch.nn.Linear(6, 1)), [x]
model.eval()  # fault
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(10):
    optimizer.zero_grad()
    loss = torch.mean((model(x) - y) ** 2)
    loss.backward()
    optimizer.step()
print("loss", float(loss), "mean", norm.running_mean, "variance", norm.running_var)
