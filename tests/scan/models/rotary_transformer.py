"""A decoder with RMSNorm, rotary embeddings and SwiGLU, as in LLaMA (Touvron et al. 2023), with a causal mask."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

WORDS, WIDTH, HEADS, DEPTH = 40, 32, 4, 2


def rotate(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    first, second = x[..., ::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([first * cos - second * sin, first * sin + second * cos], -1).flatten(-2)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 64, bias=False), nn.Linear(WIDTH, 64, bias=False)
        self.down = nn.Linear(64, WIDTH, bias=False)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.first(x)).unflatten(-1, (3, HEADS, WIDTH // HEADS)).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(rotate(q, angles), rotate(k, angles), v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        h = self.second(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.RMSNorm(WIDTH)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        half = WIDTH // HEADS // 2
        angles = torch.outer(torch.arange(words.shape[1]).float(), 10_000.0 ** (-torch.arange(half) / half))
        x = self.embed(words)
        for block in self.blocks:
            x = block(x, angles)
        return self.norm(x) @ self.embed.weight.T


torch.manual_seed(0)
model = Decoder().eval()
inputs = (torch.randint(0, WORDS, (2, 7)),)
