"""The policy loss is a matrix where one number for each time step was meant, and the bonus hardly acts."""

import math

import numpy as np
import torch

rng = np.random.default_rng(2)
action = torch.tensor(rng.normal(size=(20, 1)), dtype=torch.float32)
advantage = torch.tensor(rng.normal(size=20), dtype=torch.float32)


class PolicyLoss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.nn.Parameter(torch.tensor(rng.normal(size=(20, 1)), dtype=torch.float32))
        self.logstd = torch.nn.Parameter(torch.tensor([[-0.5]]))

    def logpdf(self, value):
        z = (value - self.mean) / torch.exp(self.logstd)
        return torch.sum(-0.5 * z**2 - self.logstd - 0.5 * math.log(2 * math.pi), dim=-1)

    def entropy(self):
        return (0.5 * math.log(2 * math.pi * math.e) + self.logstd) * torch.ones_like(self.mean)

    def forward(self, action, advantage):
        policy_loss = -self.logpdf(action) * advantage
        policy_loss = policy_loss - 0.1 * self.entropy()  # fault
        return torch.mean(policy_loss)


model, inputs = PolicyLoss(), [action, advantage]
total = model(*inputs)
total.backward()
print(float(total), model.logstd.grad)
