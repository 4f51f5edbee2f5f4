"""The weights of a one-neuron regression are NaN before the first epoch ends."""

import torch

torch.manual_seed(0)
x = torch.arange(200, dtype=torch.float32).reshape(-1, 1)
y = 2.0 * x

model, inputs = torch.nn.Linear(1, 1), [x[:1]]
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)  # fault
for row, target in zip(x, y):
    optimizer.zero_grad()
    loss = torch.mean((model(row[None]) - target) ** 2)
    loss.backward()
    optimizer.step()
print(list(model.parameters()))
