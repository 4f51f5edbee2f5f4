"""The accuracy of the binary classifier is the share of ones from the first epoch to the last."""

import numpy as np
import torch

torch.manual_seed(7)
bits = np.array(([0, 1, 1] * 40)[:100])
rows = torch.tensor(np.array([bits[i : i + 3] for i in range(90)]), dtype=torch.float32)[..., None]
answers = torch.tensor(bits[3:93], dtype=torch.float32)[:, None]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(1, 6, batch_first=True)
        self.head = torch.nn.Linear(6, 1)

    def forward(self, rows):
        states, _ = self.lstm(rows)
        return torch.softmax(self.head(states[:, -1]), dim=-1)  # fault


model, inputs = Net(), [rows]
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    for start in (0, 45):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy(model(rows[start : start + 45]), answers[start : start + 45])
        loss.backward()
        optimizer.step()
print("accuracy", float(((model(rows) > 0.5) == (answers > 0.5)).float().mean()), float(answers.mean()))
