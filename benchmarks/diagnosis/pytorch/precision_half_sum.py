"""The mean of a half-precision image is inf."""

import numpy as np
import torch


class Centre(torch.nn.Module):
    def forward(self, img):
        total = torch.sum(img)  # fault
        mean = total / img.shape[0] / img.shape[1]
        return img - mean


pixels = np.random.RandomState(0).randint(0, 256, (64, 64))
model, inputs = Centre(), [torch.tensor(pixels, dtype=torch.float16)]
centred = model(*inputs)
print(centred[0, :4], "expected mean", pixels.mean())
