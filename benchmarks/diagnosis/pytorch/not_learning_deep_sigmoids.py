"""Four hidden layers learn nothing from the binary vectors: the error stays at that of a constant."""

import numpy as np
import torch

torch.manual_seed(1)
rng = np.random.default_rng(1)
bits = torch.tensor(rng.integers(0, 2, (128, 20)), dtype=torch.float32)
values = bits @ torch.tensor(rng.normal(size=(20, 1)), dtype=torch.float32)

layers, width = [], 20
for _ in range(4):
    layers += [torch.nn.Linear(width, 40), torch.nn.Sigmoid()]  # fault
    width = 40
model, inputs = torch.nn.Sequential(*layers, torch.nn.Linear(40, 1)), [bits]
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for epoch in range(15):
    for start in range(0, 128, 32):
        optimizer.zero_grad()
        loss = torch.mean((model(bits[start : start + 32]) - values[start : start + 32]) ** 2)
        loss.backward()
        optimizer.step()
print(float(loss), "variance", float(values.var()))
