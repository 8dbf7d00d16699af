"""A head with its losses in the graph: contrastive (CLIP), Huber, focal, KL between distributions, a margin."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

WIDTH, CLASSES = 8, 5


class TrainingHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.images, self.texts = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.classes = nn.Linear(WIDTH, CLASSES)

    def forward(self, images: torch.Tensor, texts: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        a = functional.normalize(self.images(images), dim=-1)
        b = functional.normalize(self.texts(texts), dim=-1)
        logits = a @ b.T * 10
        contrastive = functional.cross_entropy(logits, torch.arange(logits.shape[0]))
        scores = self.classes(a)
        hits = functional.one_hot(labels, CLASSES).float()
        focal = functional.binary_cross_entropy_with_logits(scores, hits, reduction="none")
        focal = (focal * (1 - torch.exp(-focal)) ** 2).mean()
        agreement = functional.kl_div(scores.log_softmax(-1), self.classes(b).softmax(-1), reduction="batchmean")
        margin = functional.soft_margin_loss(scores, 2 * hits - 1)
        return torch.stack([contrastive, focal, agreement, margin, functional.huber_loss(a, b, delta=0.3)])


torch.manual_seed(0)
model = TrainingHead().eval()
inputs = (torch.randn(4, WIDTH), torch.randn(4, WIDTH), torch.randint(0, CLASSES, (4,)))
