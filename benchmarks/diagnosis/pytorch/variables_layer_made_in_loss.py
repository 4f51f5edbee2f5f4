"""The loss wanders about its first value, and the last layer doesn't get better than random."""

import numpy as np
import torch

torch.manual_seed(10)
CLASSES = 4
rng = np.random.RandomState(10)
labels = torch.tensor(rng.randint(0, CLASSES, 64))
faces = torch.tensor(rng.randn(64, 12) + 2.0 * rng.randn(CLASSES, 12)[labels], dtype=torch.float32)


class Faces(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedder = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))

    def margin_loss(self, embedded, labels, scale=8.0, margin=0.2):
        fc = torch.nn.Linear(8, CLASSES, bias=False)  # fault
        cosine = torch.nn.functional.normalize(embedded) @ torch.nn.functional.normalize(fc.weight).T
        logits = scale * (cosine - margin * torch.nn.functional.one_hot(labels, CLASSES))
        return torch.nn.functional.cross_entropy(logits, labels)

    def forward(self, faces, labels):
        return self.margin_loss(self.embedder(faces), labels)


model, inputs = Faces(), [faces, labels]
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(20):
    optimizer.zero_grad()
    loss = model(*inputs)
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(step, float(loss))
