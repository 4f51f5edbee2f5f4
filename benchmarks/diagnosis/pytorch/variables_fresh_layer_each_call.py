"""The loss jumps about and never falls, though each step has gradients."""

import numpy as np
import torch

torch.manual_seed(5)
x = torch.tensor(np.random.default_rng(5).normal(size=(40, 3)), dtype=torch.float32)
y = torch.tanh(x.sum(dim=1, keepdim=True))


class Network(torch.nn.Module):
    def forward(self, inputs):
        self.hidden = torch.nn.Linear(3, 8)  # fault
        self.output = torch.nn.Linear(8, 1)  # fault
        return self.output(torch.tanh(self.hidden(inputs)))


model, inputs = Network(), [x]
losses = []
for epoch in range(15):
    loss = torch.mean((model(x) - y) ** 2)
    loss.backward()
    with torch.no_grad():
        for variable in model.parameters():
            variable -= 0.1 * variable.grad
    losses.append(float(loss))
print(np.round(losses, 2))
