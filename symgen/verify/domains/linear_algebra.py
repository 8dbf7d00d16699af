"""Matrix products, factorizations, solvers."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import INF, SMALL, Domain, matrices, row, t, within

_DISTANCES = {"p": (2.0, 1.0, 0.0, 3.5, INF), "compute_mode": (None, 1, 2, 0)}

ROWS: dict[str, Domain] = {
    # A number as `self` stays one in torch where the matrix has no elements.
    "addmv": row(sensitive=True, self=t("n"), mat=t("n m"), vec=t("m")),
    "addr": row(sensitive=True, self=t("n m|m||n 1"), vec1=t("n"), vec2=t("m")),
    "addmm": row(sensitive=True, self=t("n p|p|1|n 1"), mat1=t("n m"), mat2=t("m p")),
    "addbmm": row(sensitive=True, self=t("n p|p|1|n 1"), batch1=t("b n m"), batch2=t("b m p")),
    "baddbmm": row(sensitive=True, self=t("b n p|p|n p|1"), batch1=t("b n m"), batch2=t("b m p")),
    "bmm": row(sensitive=True, self=t("b n m"), mat2=t("b m p")),
    "_addmm_activation": row(sensitive=True, special=False, self=t("n p|p"), mat1=t("n m"), mat2=t("m p")),
    "_int_mm": row(self=t("24 16", dtype="int8"), mat2=t("16 8", dtype="int8"), special=False),
    # The three need not be of one rank, but where torch has nothing to multiply it doesn't look.
    "_trilinear": row(
        least=1,
        sensitive=True,
        i1=t("n m"),
        i2=t("n m"),
        i3=t("n m"),
        expand1=((), (0,)),
        expand2=((), (1,)),
        expand3=((), (2,)),
        sumdim=((), (0,), (1,), (0, 1)),
        unroll_dim=(1, 0),
    ),
    "mm": row(sensitive=True, self=t("n m"), mat2=t("m p")),
    "mv": row(sensitive=True, self=t("n m"), vec=t("m")),
    "dot": row(sensitive=True, self=t("n"), tensor=t("n")),
    "vdot": row(sensitive=True, self=t("n"), other=t("n")),
    "inner": row(sensitive=True, self=t("n m|m|b n m|"), other=t("p m|m|c p m|")),
    "ger": row(self=t("n"), vec2=t("m")),
    "outer": row(self=t("n"), vec2=t("m")),
    "kron": row(sensitive=True, self=t("n m|n||b n m"), other=t("p k|p||n p k")),
    "bilinear": row(sensitive=True, input1=t("b n|n|c b n"), input2=t("b m|m|c b m"), weight=t("p n m"), bias=t("p")),
    "linear": row(sensitive=True, input=t("b n|n|c b n"), weight=t("m n"), bias=t("m")),
    "matmul": row(sensitive=True, self=t("n m|m|b n m|c b n m"), other=t("m p|m|b m p|b m p")),
    "linalg_vecdot": row(sensitive=True, x=t("n m|m|b n m"), y=t("n m|m|b n m")),
    "linalg_multi_dot": row(sensitive=True, tensors=t("n m + m p|m + m p|n m + m k + k p|n m + m k + k")),
    "chain_matmul": row(sensitive=True, matrices=t("n m + m p|n m + m k + k p")),
    "cross": row(self=t("n 3|b n 3"), other=t("n 3|b n 3"), dim=(-1, 1)),
    "linalg_cross": row(self=t("n 3|b n 3"), other=t("n 3|b n 3"), dim=(-1, 1)),
    "cdist": row(_DISTANCES, sensitive=True, x1=t("n m|b n m|n m"), x2=t("p m|b p m|b p m")),
    "_cdist_forward": row(_DISTANCES, special=False, sensitive=True, x1=t("b n m"), x2=t("b p m")),
    "_euclidean_dist": row(sensitive=True, x1=t("n m|b n m"), x2=t("p m|b p m")),
    # Which axes of length 1 go with longer ones is decided when a model is exported.
    "tensordot": row(
        least=2,
        sensitive=True,
        self=t("n m|b n m"),
        other=t("n m|b n m"),
        dims_self=((1,), (0, 1), (0,)),
        dims_other=((1,), (0, 1)),
    ),
    "pdist": row(self=t("n m"), p=(2.0, 1.0, 0.0, 3.5, INF)),
    "cholesky": matrices(recipe=Recipe("definite")),
    "cholesky_inverse": matrices("n n|b n n", Recipe("lower")),
    "cholesky_solve": row(self=t("n p|b n p"), input2=t("n n|b n n", Recipe("lower")), special=False, sensitive=True),
    "linalg_cholesky": matrices(recipe=Recipe("definite")),
    "linalg_cholesky_ex": matrices(recipe=Recipe("definite")),
    "linalg_inv": matrices(recipe=Recipe("regular")),
    "linalg_inv_ex": matrices(recipe=Recipe("regular")),
    "inverse": matrices(recipe=Recipe("regular")),
    "det": matrices(recipe=Recipe("regular")),
    "linalg_det": matrices(recipe=Recipe("regular")),
    # Which matrix is factorized, A or its transpose, depends on how A lies in memory.
    "_linalg_det": row(special=False, sensitive=True, strides=False, A=t("n n|b n n|1 1|b c n n", Recipe("regular"))),
    "logdet": matrices(recipe=Recipe("definite")),
    "slogdet": matrices(recipe=Recipe("regular")),
    "linalg_slogdet": matrices(recipe=Recipe("regular")),
    "matrix_exp": matrices(recipe=within(-0.7, 0.7)),
    "linalg_matrix_exp": matrices(recipe=within(-0.7, 0.7)),
    "matrix_power": matrices(recipe=Recipe("regular"), n=(2, 0, 1, 3, -1, -2, 5)),
    "linalg_matrix_power": matrices(recipe=Recipe("regular"), n=(2, 0, 1, 3, -1, -2, 5)),
    "linalg_eigh": matrices(recipe=Recipe("symmetric")),
    "linalg_eigvalsh": matrices(recipe=Recipe("symmetric")),
    "_linalg_eigh": matrices(recipe=Recipe("symmetric"), UPLO=("L", "U"), compute_v=(True, False)),
    "_linalg_svd": matrices("n m|m n|b n m|n n"),
    "_lu_with_info": matrices("n n|n m|m n|b n n"),
    "geqrf": matrices("n m|m n|b n m|n n"),
    # A matrix without elements need be neither square to be Hermitian, nor of as many as there are tolerances.
    "linalg_matrix_rank": matrices("n m|m n|b n m|n n", least=1),
    "linalg_matrix_rank.tol_tensor": row(
        least=1, input=t("n m|m n|b n m"), tol=t("||b", within(0.1, 2.0)), special=False
    ),
    "linalg_matrix_rank.atol_rtol_tensor": row(
        least=1,
        input=t("n m|m n|b n m"),
        atol=t("||b", within(0.1, 2.0)),
        rtol=t("||b", within(0.01, 0.2)),
        special=False,
    ),
    "linalg_cond": matrices("n n|b n n", Recipe("regular"), p=(2, 1, -1, -2, INF, -INF, "fro", "nuc")),
    "linalg_lstsq": row(
        self=t("n m|m n|b n m|n n"),
        b=t("n 2|m 2|b n 2|n 2"),
        driver=("gelsy", "gels"),
        rcond=(1e-05, 0.001),
        special=False,
        sensitive=True,
    ),
    "linalg_ldl_factor": matrices(recipe=Recipe("symmetric")),
    "linalg_ldl_factor_ex": matrices(recipe=Recipe("symmetric")),
    # Blocks of two rows; OpInfo has the others.
    "linalg_ldl_solve": row(
        LD=t("4 4", Recipe("regular")),
        pivots=t("4", within(-2, -2), dtype="int32"),
        B=t("4 p"),
        special=False,
        sensitive=True,
    ),
    "linalg_lu_solve": row(
        least=1,
        LU=t("n n", Recipe("regular")),
        pivots=t("n", within(1, 3), dtype="int32"),
        B=t("n p"),
        special=False,
        sensitive=True,
    ),
    "lu_solve": row(
        least=1,
        self=t("n p"),
        LU_data=t("n n", Recipe("regular")),
        LU_pivots=t("n", within(1, 3), dtype="int32"),
        special=False,
        sensitive=True,
    ),
    "linalg_tensorinv": row(self=t("n b 6", Recipe("uniform", -2, 2)), special=False, sensitive=True, ind=(2,)),
    "linalg_tensorsolve": row(least=1, self=t("n b 6"), other=t("n b"), special=False, sensitive=True),
    "linalg_qr": matrices("n m|m n|b n m|n n"),
    "qr": matrices("n m|m n|b n m|n n"),
    "linalg_svd": matrices("n m|m n|b n m|n n"),
    "linalg_svdvals": matrices("n m|m n|b n m|n n"),
    "svd": matrices("n m|m n|b n m|n n"),
    "pinverse": matrices("n m|m n|b n m|n n", least=1),
    "linalg_pinv": matrices("n m|m n|b n m|n n", least=1),
    "linalg_pinv.rcond_tensor": row(
        least=1, self=t("n m|m n|b n m"), rcond=t("||b", within(0.01, 0.2)), special=False, sensitive=True
    ),
    "linalg_pinv.atol_rtol_tensor": row(
        least=1,
        self=t("n m|m n|b n m"),
        atol=t("||b", within(0.1, 2.0)),
        rtol=t("||b", within(0.01, 0.2)),
        special=False,
        sensitive=True,
    ),
    "linalg_lu": matrices("n n|n m|m n|b n n"),
    "linalg_lu_factor": matrices("n n|n m|m n|b n n"),
    "linalg_lu_factor_ex": matrices("n n|n m|m n|b n n"),
    "linalg_solve": row(A=t("n n|b n n|n n", Recipe("regular")), B=t("n p|b n p|n"), special=False, sensitive=True),
    "linalg_solve_ex": row(A=t("n n|b n n|n n", Recipe("regular")), B=t("n p|b n p|n"), special=False, sensitive=True),
    "linalg_solve_triangular": row(
        self=t("n n|b n n", Recipe("regular")), B=t("n p|b n p"), special=False, sensitive=True
    ),
    "triangular_solve": row(self=t("n p|b n p"), A=t("n n|b n n", Recipe("regular")), special=False, sensitive=True),
    "linalg_householder_product": row(
        input=t("m n|b m n"), tau=t("n|b n", within(0.1, 1.0)), special=False, sensitive=True
    ),
    "lu_unpack": row(LU_data=t("n n"), LU_pivots=t("n", within(1, 3), dtype="int32"), special=False, sensitive=True),
    # Beside small norms the number that keeps their quotient finite shows.
    "renorm": row(self=t("n m|b n m", SMALL), p=(2, 1, 3.5), dim=(0, 1, -1), maxnorm=(1e-3, 3, 1e-4)),
}
