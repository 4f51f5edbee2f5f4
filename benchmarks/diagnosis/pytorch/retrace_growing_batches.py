"""Predicting on batches of new sizes is slow each time, with a warning in the end."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
inputs = [torch.ones(1, 3)]
predict_on_batch = torch.compile(model, backend="eager", dynamic=False)
for i in range(1, 15):
    predict_on_batch(torch.ones(i, 3))  # fault
