"""Each prediction takes as long as the first one."""

import numpy as np
import torch

torch.manual_seed(2)


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(50, 8))
        self.head = torch.nn.Linear(8, 2)

    def forward(self, tokens):  # fault
        return torch.softmax(self.head(self.table[tokens].mean(dim=0, keepdim=True)), dim=-1)


rng = np.random.default_rng(2)
model = Classifier()
classify = torch.compile(model, backend="eager", dynamic=False)
for length in range(3, 15):
    sentence = torch.tensor(rng.integers(0, 50, length))
    probabilities = classify(sentence)  # fault
inputs = [sentence]
print(probabilities)
