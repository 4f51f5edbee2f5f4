"""The noisy model is not noisy: it gives the same output twice for the same input."""

import torch

torch.manual_seed(3)


class Noisy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = torch.randn(32, 10)  # fault
        self.dense = torch.nn.Linear(10, 2)

    def forward(self, batch):
        return self.dense(batch + self.noise)


x = torch.ones(32, 10)
model, inputs = Noisy(), [x]
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for epoch in range(4):
    optimizer.zero_grad()
    torch.mean(model(x) ** 2).backward()
    optimizer.step()
first, second = model(x), model(x)
print("same output twice", bool((first == second).all()))
