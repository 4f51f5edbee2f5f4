"""The regression learns the mean and nothing else as soon as the rows are shuffled."""

import numpy as np
import torch

rng = np.random.default_rng(2)
features = rng.normal(size=(120, 3)).astype("float32")
targets = (features @ [[2.0], [-1.0], [0.5]] + 1.0).astype("float32")
rng.shuffle(features)
rng.shuffle(targets)  # fault

model, inputs = torch.nn.Linear(3, 1), [torch.tensor(features)]
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for epoch in range(20):
    for start in range(0, 120, 30):
        x, y = torch.tensor(features[start : start + 30]), torch.tensor(targets[start : start + 30])
        optimizer.zero_grad()
        loss = torch.mean((model(x) - y) ** 2)
        loss.backward()
        optimizer.step()
print("loss", float(loss), "variance of the targets", targets.var())
