"""A head of statistics over features: quantiles, covariances, a histogram, medians, running extremes, moments."""

from __future__ import annotations

import torch
from torch import nn


class StatisticsHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Linear(6, 6)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = torch.tanh(self.features(x))
        levels = torch.quantile(y, torch.tensor([0.1, 0.5, 0.9]), dim=0)
        spread = torch.cov(y.T)
        counts = torch.histc(y, bins=8, min=-1.0, max=1.0)
        middle = y.median(dim=0)
        highest = torch.cummax(y, 0)
        deviation, mean = torch.std_mean(y, dim=0, correction=1)
        return (
            levels,
            spread,
            counts,
            middle.values,
            highest.values,
            deviation / mean.abs().clamp(min=0.1),
            y.nanmedian(),
        )


torch.manual_seed(0)
model = StatisticsHead().eval()
inputs = (torch.randn(11, 6),)
