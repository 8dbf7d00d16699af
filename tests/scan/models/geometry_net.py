"""A net on point clouds: distances, the nearest neighbours, angles, normals, and what rotations leave alone."""

from __future__ import annotations

import torch
from torch import nn

NEAREST = 4


class GeometryNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, 8))

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        distances = torch.cdist(points, points)
        near = distances.topk(NEAREST + 1, largest=False).indices[..., 1:]
        reach = torch.take_along_dim(distances, near, -1)
        ring = torch.take_along_dim(points[:, None], near[..., None], 2) - points[:, :, None]
        normal = torch.linalg.cross(ring, ring.roll(1, 2), dim=-1)
        flat = torch.hypot(normal[..., 0], normal[..., 1])
        slope = torch.atan2(flat, normal[..., 2])
        turn = torch.atan2(torch.linalg.vector_norm(normal, dim=-1), torch.linalg.vecdot(ring, ring.roll(1, 2)))
        features = torch.stack([reach, flat, torch.sinc(slope), turn, torch.copysign(reach, slope - 1)], -1)
        return self.mlp(features).amax(2)


torch.manual_seed(0)
model = GeometryNet().eval()
inputs = (torch.randn(2, 9, 3),)
