"""A front end for speech: frames, a window, a Fourier transform by its definition, mel filters, decibels, deltas."""

from __future__ import annotations

import math

import torch
from torch import nn

SIZE, HOP, BANDS, RATE = 64, 32, 10, 8000


def mel_filters() -> torch.Tensor:
    def to_hertz(mel: torch.Tensor) -> torch.Tensor:
        return 700 * (10 ** (mel / 2595) - 1)

    edges = to_hertz(torch.linspace(0, 2595 * math.log10(1 + RATE / 2 / 700), BANDS + 2))
    bins = torch.linspace(0, RATE / 2, SIZE // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1, None] - edges[:-2, None])
    falling = (edges[2:, None] - bins) / (edges[2:, None] - edges[1:-1, None])
    return torch.minimum(rising, falling).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("filters", mel_filters())

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        sound = torch.cat([sound[:, :1], torch.diff(sound, dim=-1) + 0.03 * sound[:, :-1]], -1)
        frames = sound.unfold(-1, SIZE, HOP) * torch.hann_window(SIZE)
        angles = torch.outer(torch.arange(SIZE // 2 + 1).float(), torch.arange(SIZE).float()) * (2 * math.pi / SIZE)
        power = torch.hypot(frames @ angles.cos().T, frames @ angles.sin().T).square()
        mel = 10 * torch.log10((power @ self.filters.T).clamp(min=1e-10))
        level = torch.nan_to_num(torch.special.entr(power / power.sum(-1, keepdim=True))).sum(-1, keepdim=True)
        return torch.cat(
            [mel - mel.mean(1, keepdim=True), torch.diff(mel, dim=1, prepend=mel[:, :1]), torch.expm1(level)], -1
        )


torch.manual_seed(0)
model = LogMel().eval()
inputs = (torch.randn(2, 320),)
