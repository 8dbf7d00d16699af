"""A vision transformer (Dosovitskiy et al. 2020) in small: patches, a class token, pre-norm blocks with GELU."""

from __future__ import annotations

import torch
from torch import nn

SIDE, PATCH, WIDTH, HEADS, DEPTH, CLASSES = 32, 8, 48, 4, 2, 10


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, _ = x.shape
        q, k, v = self.qkv(self.first(x)).reshape(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(b, n, WIDTH))
        return x + self.mlp(self.second(x))


class VisionTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.places = nn.Parameter(torch.randn(1, (SIDE // PATCH) ** 2 + 1, WIDTH) * 0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


torch.manual_seed(0)
model = VisionTransformer().eval()
inputs = (torch.randn(2, 3, SIDE, SIDE),)
