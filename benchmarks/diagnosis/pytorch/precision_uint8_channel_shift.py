"""Brightened photos come out with dark spots where they were brightest."""

import numpy as np
import torch


class Brighten(torch.nn.Module):
    def forward(self, images, amount):
        shifted = images + amount  # fault
        return torch.clamp(shifted, 0, 255)


rng = np.random.default_rng(12)
photos = torch.tensor(rng.integers(0, 256, (4, 8, 8, 3)).astype("uint8"))
model, inputs = Brighten(), [photos, torch.tensor(150, dtype=torch.uint8)]
bright = model(*inputs)
print("mean before", float(photos.float().mean()), "after", float(bright.float().mean()))
