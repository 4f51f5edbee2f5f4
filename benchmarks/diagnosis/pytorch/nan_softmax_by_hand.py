"""The network's probabilities are nan for a few of the images."""

import numpy as np
import torch


class Classifier(torch.nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel = torch.nn.Parameter(kernel)

    def softmax(self, scores):
        powers = torch.exp(scores)  # fault
        return powers / powers.sum(dim=-1, keepdim=True)

    def forward(self, images):
        return self.softmax(images.reshape(-1, 64) @ self.kernel)


rng = np.random.default_rng(12)
images = torch.tensor(rng.integers(0, 256, (10, 8, 8)), dtype=torch.float32)
model = Classifier(torch.tensor(0.05 * rng.normal(size=(64, 4)), dtype=torch.float32))
inputs = [images]
probabilities = model(images)
print("images with nan:", int(torch.isnan(probabilities).any(dim=1).sum()))
