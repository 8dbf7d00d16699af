"""Matrices that are hard to factor, through models exported for another batch; run beside a package of functions.

The script prints as JSON, for each operator, dtype and shape, the largest residual of the model and of eager torch in
units of eps times the norm, with the name of the matrix it belongs to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

import torch

Tensor = torch.Tensor
Residual = Callable[..., Tensor]

SHAPES = ((1, 1), (2, 2), (5, 5), (8, 8), (8, 5), (6, 8))
ops = torch.ops.aten


def hard_matrices(rows: int, columns: int, dtype: torch.dtype) -> dict[str, Tensor]:
    """Random, ill-conditioned, singular, defective in rank, badly scaled, and with all values alike."""
    generator = torch.Generator().manual_seed(10 * rows + columns)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    count, digits = min(rows, columns), -6 if dtype == torch.float32 else -13
    left, right = (torch.linalg.qr(draw(size, size))[0] for size in (rows, columns))
    spectrum = torch.logspace(0, digits, count, dtype=torch.float64)
    plain, singular = draw(rows, columns), draw(rows, columns)
    singular[:, -1] = singular[:, 0]
    return {
        "random": plain,
        "ill-conditioned": left[:, :count] * spectrum @ right[:, :count].T,
        "of rank one": torch.outer(draw(rows), draw(columns)),
        "singular": singular,
        "zero": torch.zeros(rows, columns, dtype=torch.float64),
        "Hilbert": 1 / (torch.arange(rows)[:, None] + torch.arange(columns) + 1.0).double(),
        "identity": torch.eye(rows, columns, dtype=torch.float64),
        "ones": torch.ones(rows, columns, dtype=torch.float64),
        "huge": plain * 1e18,
        "tiny": plain * 1e-18,
        "graded": plain * torch.logspace(3, -3, rows, dtype=torch.float64)[:, None],
    }


def norms(x: Tensor) -> Tensor:
    """The largest singular value, never quite zero."""
    return torch.linalg.matrix_norm(x, 2).clamp(min=1e-300)


def largest(x: Tensor) -> Tensor:
    """The largest element of each matrix."""
    return torch.amax(x.abs(), (-2, -1))


def skewness(columns: Tensor) -> Tensor:
    """How far columns are from orthonormal."""
    return largest(columns.mT @ columns - torch.eye(columns.shape[-1]))


def of_eigh(a: Tensor, values: Tensor, vectors: Tensor) -> Tensor:
    """The defects of eigenvalues in ascending order, and of eigenvectors."""
    assert bool((values.diff() >= 0).all())
    moved = (values - torch.linalg.eigvalsh(a)).abs().amax(-1)
    defect = torch.maximum(moved, largest(a @ vectors - vectors * values[:, None])) / norms(a)
    return torch.maximum(defect, skewness(vectors))


def of_svd(a: Tensor, left: Tensor, values: Tensor, right: Tensor) -> Tensor:
    """The defects of singular values and vectors."""
    count = values.shape[-1]
    moved = (values - torch.linalg.svdvals(a)).abs().amax(-1)
    made = left[..., :count] * values[:, None] @ right[:, :count]
    defect = torch.maximum(moved, largest(made - a)) / norms(a)
    return torch.maximum(defect, torch.maximum(skewness(left), skewness(right.mT)))


def of_qr(a: Tensor, q: Tensor, r: Tensor) -> Tensor:
    """The defects of Q · R, and of Q."""
    assert not r.tril(-1).any()
    return torch.maximum(largest(q @ r - a) / norms(a), skewness(q))


def of_lu(a: Tensor, factors: Tensor, pivots: Tensor, info: Tensor) -> Tensor:
    """The defect of P · L · U, which holds for singular matrices too."""
    p, lower, upper = torch.lu_unpack(factors, pivots.int())
    return largest(p @ lower @ upper - a) / norms(a)


def of_inverse(a: Tensor, inverse: Tensor, info: Tensor) -> Tensor:
    """The defect of the inverse where there is one: on one side, as no method has it small on both."""
    known = inverse.nan_to_num(0, 0, 0)
    unit = torch.eye(a.shape[-1])
    defect = torch.minimum(largest(a @ known - unit), largest(known @ a - unit)) / (norms(a) * norms(known))
    return defect.where(info == 0, 0)


def of_solution(a: Tensor, solution: Tensor, info: Tensor) -> Tensor:
    """The defect of the equations where there is a solution."""
    known = solution.nan_to_num(0, 0, 0)
    defect = largest(a @ known - torch.ones_like(known)) / (norms(a) * largest(known)).clamp(min=1e-300)
    return defect.where(info == 0, 0)


def of_cholesky(a: Tensor, factor: Tensor, info: Tensor) -> Tensor:
    """The defect of L · Lᵀ where the matrix is positive definite as far as rounding can tell."""
    known = factor.nan_to_num(0, 0, 0)
    return (largest(known @ known.mT - a) / norms(a)).where(info == 0, 0)


def plain(a: Tensor) -> Tensor:
    """The matrix as it is."""
    return a


FACTORIZATIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Sequence[Tensor]], Residual]] = {
    "linalg_eigh": (lambda a: a + a.mT, torch.linalg.eigh, of_eigh),
    "linalg_svd": (plain, lambda a: torch.linalg.svd(a, full_matrices=False), of_svd),
    "linalg_qr": (plain, torch.linalg.qr, of_qr),
    "linalg_lu_factor_ex": (plain, torch.linalg.lu_factor_ex, of_lu),
    "linalg_inv_ex": (plain, torch.linalg.inv_ex, of_inverse),
    "linalg_solve_ex": (plain, lambda a: ops.linalg_solve_ex(a, torch.ones_like(a[..., :2])), of_solution),
    "linalg_cholesky_ex": (lambda a: a @ a.mT, torch.linalg.cholesky_ex, of_cholesky),
}
"""For each operator what is made of the matrices, the call, and how far its results are from right."""


def measured(name: str, shape: tuple[int, int], dtype: torch.dtype, opset: int) -> tuple[float, float, str]:
    """The largest residual of the model and of eager torch, and the matrix at which the model has it."""
    from symgen.verify import roundtrip

    prepared, call, residual = FACTORIZATIONS[name]
    found = hard_matrices(*shape, dtype)
    batch = prepared(torch.stack(list(found.values())).to(dtype))
    model = roundtrip.call_module(call, [batch[:2]], {})
    run, _ = roundtrip.load(roundtrip.export(model, [batch[:2]], opset, True))
    eps = torch.finfo(dtype).eps
    of_model, of_torch = (
        residual(batch.double(), *(x.double() for x in results)).nan_to_num(float("inf")) / eps
        for results in (run([batch]), call(batch))
    )
    return float(of_model.max()), float(of_torch.max()), list(found)[int(of_model.argmax())]


def main(opset: int) -> None:
    """Prints the residuals."""
    import symbolics  # noqa: F401 - importing it registers the functions

    residuals = {
        f"{name} {rows}x{columns} {str(dtype).removeprefix('torch.')}": measured(name, (rows, columns), dtype, opset)
        for name in FACTORIZATIONS
        for rows, columns in SHAPES
        for dtype in (torch.float32, torch.float64)
        if rows == columns or name in ("linalg_svd", "linalg_qr", "linalg_lu_factor_ex")
    }
    print(json.dumps(residuals))


if __name__ == "__main__":
    sys.path.insert(0, ".")
    main(int(sys.argv[1]))
