"""Changes of shape; random numbers."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import POSITIVE, UNIT, Domain, row, t, within

ROWS: dict[str, Domain] = {
    "rot90": row(self=t("n m|b n m"), k=(1, 2, 3, 0, -1, 5), dims=((0, 1), (1, 0), (-1, 0))),
    "view_as_complex": row(self=t("n 2|b n 2")),
    "permute_copy": row(self=t("b n m|n m"), dims=((2, 0, 1), (1, 0), (0, 2, 1), (-1, 0, 1))),
    "permute": row(self=t("b n m|n m"), dims=((2, 0, 1), (1, 0), (0, 2, 1), (-1, 0, 1)), complex="any"),
    "expand_copy": row(self=t("n 1|1|"), size=((3, 4), (-1, 4), (2, 3, 4))),
    "expand": row(self=t("n 1|1|"), size=((3, 4), (-1, 4), (2, 3, 4))),
    # A tensor that has the size already keeps its dtype, and an axis of 1 may be of any length when the model runs.
    "sum_to_size": row(least=2, sensitive=True, self=t("n m|b n m"), size=((1, 4), (3, 1), (4,), (3, 4), (1,))),
    "view_copy": row(self=t("n m"), size=((12,), (4, 3), (-1,), (2, -1), (3, 2, 2))),
    **dict.fromkeys(
        ("split_with_sizes", "split_with_sizes_copy", "unsafe_split_with_sizes"),
        row(self=t("5 n|n 5"), split_sizes=((2, 3), (1, 4), (5,), (0, 5))),
    ),
    "hsplit": row(self=t("6 n|n 6|6"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "vsplit": row(self=t("6 n|6 n m"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "dsplit": row(self=t("n m 6"), sections=(2, 3, 1), indices=((1, 4), (2,), (0, 9))),
    "narrow_copy": row(dim=(0, 1, -1), start=(0, 1, -1), length=(1, 2, 0)),
    "unflatten": row(self=t("6 n|n 6"), dim=(0, 1, -1), sizes=((2, 3), (-1, 2), (3, 1, 2))),
    "moveaxis": row(self=t("b n m|n m")),
    "movedim": row(self=t("b n m|n m")),
    "fill_diagonal": row(self=t("n n|n m|m n|n n n|h 2"), fill_value=(2, 2.5, -1)),
    # Before opset 14 Reshape has no word for a length of 0.
    **dict.fromkeys(("roll", "_unique", "_unique2"), row(least=1)),
    "repeat_interleave": row(
        self=t("n m|n m|b n m|"),
        repeats=t("n|1|b|1", within(0, 3), dtype="int64", values=(2, 3, 0, 1)),
        dim=(0, 1, -1),
    ),
    "unflatten_dense_tensors": row(flat=t("24|12"), tensors=t("n m|n m + n m")),
    "binomial": row(count=t("40 50|n", Recipe("permutation")), prob=t("40 50|n", UNIT), special=False),
    "einsum": row(
        tensors=t("n m + m p|n m|n n|b n m + b m p|n + m|m + b n m|n m + 1 p"),
        # The first go with one of the shapes each.
        equation=(
            "ij,jk->ik",
            "ij->ji",
            "ii",
            "bij,bjk->bik",
            "i,j->ij",
            "a,...a->...",
            "ij->i",
            "ij,jk",
            "ii->i",
            "...ij,...jk->...ik",
            "a,...a->a",
            "a,...a->",
            "Ja,ab",
            "bi->i",
        ),
    ),
    "rand": row(size=((40, 50), (3,), (0, 2), ())),
    "randn": row(size=((40, 50), (3,), (0, 2), ())),
    "randint": row(size=((40, 50), (3,), (0, 2), ()), high=(7, 100), low=(-3, 2)),
    "rand_like": row(self=t("40 50|n|")),
    "randn_like": row(self=t("40 50|n|")),
    "randint_like": row(self=t("40 50|n|"), high=(7, 100), low=(-3, 2)),
    "bernoulli": row(self=t("40 50|n|", UNIT)),
    "normal": row(mean=t("40 50|n", values=(0.0, 2.5)), std=t("40 50|n", POSITIVE, values=(1.0, 0.5)), self=t("40 50")),
    "normal_functional": row(self=t("40 50"), mean=(0.0, 2.5), std=(1.0, 0.5)),
    "multinomial": row(self=t("n m|m|400 4", POSITIVE), num_samples=(2, 1, 4), replacement=(False, True)),
    "uniform": row(self=t("40 50|n|")),
    "exponential": row(self=t("40 50|n|"), lambd=(1.0, 2.5, 0.5)),
    "geometric": row(self=t("40 50|n|"), p=(0.5, 0.2)),
    "cauchy": row(self=t("40 50|n|"), median=(0.0, 2.0), sigma=(1.0, 0.5)),
    "log_normal": row(self=t("40 50|n|"), mean=(1.0, 0.0), std=(2.0, 0.5)),
}
