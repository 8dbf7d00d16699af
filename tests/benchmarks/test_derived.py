"""How many operators get a right function from torch's own decomposition alone, their own entries being hidden."""

from __future__ import annotations

import pytest

from symgen.config import Config
from symgen.model.names import OpName
from symgen.pipeline.derive import derived_candidates
from symgen.pipeline.translate import translate
from symgen.sources import load_sources
from symgen.verify.pool import start_pool
from symgen.verify.session import verify_many
from symgen.verify.task import VerifyTask

pytestmark = pytest.mark.benchmark

DERIVED = (
    "addcdiv", "addcmul", "addmv", "alias_copy", "binary_cross_entropy", "celu", "copysign", "count_nonzero", "deg2rad",
    "diag", "fliplr", "flipud", "float_power", "frac", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "hinge_embedding_loss", "huber_loss", "isreal", "kl_div", "l1_loss", "lcm", "ldexp", "leaky_relu", "log_sigmoid",
    "logaddexp", "logaddexp2", "logit", "mT", "mish", "mse_loss", "nansum", "nll_loss", "outer", "permute_copy",
    "poisson_nll_loss", "rad2deg", "silu", "sinc", "smooth_l1_loss", "soft_margin_loss", "softplus", "softshrink",
    "special_entr", "special_xlog1py", "t_copy", "threshold", "transpose_copy", "tril", "triu", "unsqueeze_copy",
    "vdot", "xlogy",
)  # fmt: skip
FLOOR = 50


def test_fifty_operators_are_derived_and_right() -> None:
    sources = load_sources(Config())
    right = []
    with start_pool() as pool:
        # One at a time: each may use the entries of all others.
        candidates = {name: derived_candidates(sources, [OpName("aten", name)], pool)[0] for name in DERIVED}
        plans = [candidate.plan for candidate in candidates.values() if candidate.plan is not None]
        made = [translate(plan, sources, lowest=None, own_templates=None) for plan in plans]
        tasks = [VerifyTask(p.op.qualified, p.overloads, m.modules, m.opsets) for p, m in zip(plans, made, strict=True)]
        for task, seen in zip(tasks, verify_many(tasks, pool=pool), strict=True):
            if seen.evidence.is_proof and not seen.evidence.refused:
                right.append(task.op)
    print(len(right), "of", len(DERIVED), "not:", *(name for name in DERIVED if f"aten::{name}" not in right))
    assert len(right) >= FLOOR
