"""Changes of shape; random numbers."""

from __future__ import annotations

from symgen.verify.domains.rows import UNIT, Domain, row, t

ROWS: dict[str, Domain] = {
    "rot90": row(self=t("n m|b n m"), k=(1, 2, 3, 0, -1, 5), dims=((0, 1), (1, 0), (-1, 0))),
    "view_as_complex": row(self=t("n 2|b n 2")),
    "permute_copy": row(self=t("b n m|n m"), dims=((2, 0, 1), (1, 0), (0, 2, 1), (-1, 0, 1))),
    "permute": row(self=t("b n m|n m"), dims=((2, 0, 1), (1, 0), (0, 2, 1), (-1, 0, 1))),
    "expand_copy": row(self=t("n 1|1|"), size=((3, 4), (-1, 4), (2, 3, 4))),
    "expand": row(self=t("n 1|1|"), size=((3, 4), (-1, 4), (2, 3, 4))),
    "sum_to_size": row(self=t("n m|b n m"), size=((1, 4), (3, 1), (4,), (3, 4), (1,))),
    "view_copy": row(self=t("n m"), size=((12,), (4, 3), (-1,), (2, -1), (3, 2, 2))),
    "split_with_sizes": row(self=t("5 n|n 5"), split_sizes=((2, 3), (1, 4), (5,), (0, 5))),
    "split_with_sizes_copy": row(self=t("5 n|n 5"), split_sizes=((2, 3), (1, 4), (5,), (0, 5))),
    "hsplit": row(self=t("6 n|n 6|6"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "vsplit": row(self=t("6 n|6 n m"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "dsplit": row(self=t("n m 6"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "narrow_copy": row(dim=(0, 1, -1), start=(0, 1, -1), length=(1, 2, 0)),
    "unflatten": row(self=t("6 n|n 6"), dim=(0, 1, -1), sizes=((2, 3), (-1, 2), (3, 1, 2))),
    "moveaxis": row(self=t("b n m|n m")),
    "movedim": row(self=t("b n m|n m")),
    "fill_diagonal": row(self=t("n n|n m|m n|n n n|h 2"), fill_value=(2, 2.5, -1)),
    "bernoulli": row(self=t(recipe=UNIT)),
}
