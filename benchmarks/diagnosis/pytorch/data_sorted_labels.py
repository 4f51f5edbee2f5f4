"""The network answers mostly with the class that it saw last."""

import numpy as np
import torch

torch.manual_seed(15)
rng = np.random.default_rng(15)
labels = np.sort(rng.integers(0, 3, 90))
points = torch.tensor(np.eye(3)[labels][:, :2] + rng.normal(scale=0.5, size=(90, 2)), dtype=torch.float32)

pairs = torch.utils.data.TensorDataset(points, torch.tensor(labels))
loader = torch.utils.data.DataLoader(pairs, batch_size=10)  # fault
model, inputs = torch.nn.Linear(2, 3), [points]
optimizer = torch.optim.SGD(model.parameters(), 2.0)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
answers = model(points).argmax(dim=1)
print("answers", torch.bincount(answers, minlength=3), "labels", np.bincount(labels))
