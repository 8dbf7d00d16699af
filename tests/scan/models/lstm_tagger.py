"""A tagger of sequences: embeddings, a bidirectional LSTM, log-probabilities, and the path that Viterbi finds."""

from __future__ import annotations

import torch
from torch import nn

WORDS, WIDTH, TAGS = 50, 12, 5


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(2 * WIDTH, TAGS)
        self.steps = nn.Parameter(torch.randn(TAGS, TAGS))

    def forward(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.tags(self.lstm(self.embed(words))[0])
        alpha = scores[:, 0]
        for step in range(1, 6):
            alpha = torch.logcumsumexp(alpha[:, :, None] + self.steps, 1)[:, -1] + scores[:, step]
        return scores.log_softmax(-1), torch.logaddexp(alpha.amax(-1), alpha.logsumexp(-1))


torch.manual_seed(0)
model = Tagger().eval()
inputs = (torch.randint(0, WORDS, (2, 6)),)
