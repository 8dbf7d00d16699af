"""A net with deformable convolution (Dai et al. 2017): offsets from a convolution, values by sampling on a grid."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

KERNEL = 3


class DeformableConv(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.offsets = nn.Conv2d(inputs, 2 * KERNEL * KERNEL, 3, padding=1)
        self.mix = nn.Conv2d(inputs * KERNEL * KERNEL, outputs, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, c, h, w = x.shape
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        steps = torch.cartesian_prod(torch.arange(KERNEL), torch.arange(KERNEL)) - KERNEL // 2
        base = torch.stack([xs, ys], -1)[None, None] + steps.flip(-1)[None, :, None, None]
        shifted = base + self.offsets(x).view(b, KERNEL * KERNEL, 2, h, w).permute(0, 1, 3, 4, 2)
        grid = 2 * shifted / torch.tensor([w - 1, h - 1]) - 1
        sampled = functional.grid_sample(x, grid.reshape(b, -1, w, 2), padding_mode="zeros", align_corners=True)
        return self.mix(sampled.view(b, c * KERNEL * KERNEL, h, w))


class DeformableNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.deformable, self.head = DeformableConv(8, 8), nn.Linear(8, 4)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = functional.hardswish(self.deformable(self.stem(image)))
        return self.head(functional.adaptive_avg_pool2d(x, 1).flatten(1))


torch.manual_seed(0)
model = DeformableNet().eval()
inputs = (torch.randn(1, 3, 16, 20),)
