"""Residual blocks of a diffusion U-Net (Ho et al. 2020): group norm, SiLU, an embedding of time, resampling."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

WIDTH, GROUPS = 16, 4


def embed_time(time: torch.Tensor) -> torch.Tensor:
    rates = torch.exp(-math.log(10_000) * torch.arange(WIDTH // 2) / (WIDTH // 2))
    angles = time[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


class ResidualBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.GroupNorm(GROUPS, WIDTH), nn.GroupNorm(GROUPS, WIDTH)
        self.conv1, self.conv2 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.time = nn.Linear(WIDTH, 2 * WIDTH)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        scale, shift = self.time(functional.silu(time))[:, :, None, None].chunk(2, 1)
        h = self.conv1(functional.silu(self.first(x)))
        h = torch.addcmul(shift, self.second(h), scale + 1)
        return (x + self.conv2(functional.silu(h))) * math.sqrt(0.5)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem, self.head = nn.Conv2d(3, WIDTH, 3, padding=1), nn.Conv2d(2 * WIDTH, 3, 3, padding=1)
        self.down, self.middle = ResidualBlock(), ResidualBlock()
        self.shuffle = nn.PixelUnshuffle(2)
        self.mix = nn.Conv2d(4 * WIDTH, WIDTH, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        embedded = embed_time(time)
        skip = self.down(self.stem(x), embedded)
        h = self.middle(self.mix(self.shuffle(skip)), embedded)
        h = functional.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.head(torch.cat([h, skip], 1))


torch.manual_seed(0)
model = UNet().eval()
inputs = (torch.randn(2, 3, 8, 8), torch.tensor([3.0, 250.0]))
