"""Losses."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import INDEX, POSITIVE, SIGNED_UNIT, UNIT, Domain, row, t, within

ROWS: dict[str, Domain] = {
    "nll_loss2d": row(
        self=t("b m h w"), target=t("b h w", INDEX, dtype="int64"), weight=t("m", POSITIVE), ignore_index=(-100, 1)
    ),
    # Beside weights also the ends, of which the logarithm has a limit.
    "binary_cross_entropy": row(
        self=t("n m|n|b n m|", UNIT),
        target=t("=self", UNIT),
        weight=t("n m|m", POSITIVE),
        when={"weight": {"self": Recipe("ties", 0, 4)}},
    ),
    "binary_cross_entropy_with_logits": row(
        self=t("n m|n|b n m|"), target=t("n m|n|b n m|", UNIT), weight=t("n m|m", POSITIVE), pos_weight=t("m", POSITIVE)
    ),
    "kl_div": row(self=t("n m|n|b n m|"), target=t("n m|n|b n m|", Recipe("simplex")), weight=t("n m|m")),
    "soft_margin_loss": row(self=t("n m|n|b n m|"), target=t("n m|n|b n m|", SIGNED_UNIT), weight=t("n m|m")),
    "smooth_l1_loss": row(beta=(0.5, 2.5, 0.0)),
    "poisson_nll_loss": row(
        input=t("n m|n|b n m|", within(0.0, 3.0)),
        target=t("n m|n|b n m|", within(0.0, 5.0)),
        log_input=(True, False),
        full=(True, False),
        eps=(1e-08, 0.01),
        reduction=(1, 0, 2),
    ),
    "multi_margin_loss": row(self=t("3 m|m"), target=t("3|", INDEX, dtype="int64"), weight=t("m", POSITIVE), p=(1, 2)),
    "multilabel_margin_loss": row(self=t("3 m|m"), target=t("3 m|m", within(-1, 2), dtype="int64")),
    "nll_loss": row(self=t("n m|m"), target=t("n|", INDEX, dtype="int64"), weight=t("m", POSITIVE)),
    "nll_loss_nd": row(self=t("n m|m|b m h w"), target=t("n||b h w", INDEX, dtype="int64"), weight=t("m", POSITIVE)),
    "cross_entropy_loss": row(
        self=t("n m|m|b m h"),
        target=t("n||b h", INDEX, dtype="int64"),
        weight=t("m", POSITIVE),
        label_smoothing=(0.0, 0.2),
    ),
    "cosine_embedding_loss": row(
        sensitive=True, input1=t("n m|m"), input2=t("n m|m"), target=t("n|", SIGNED_UNIT, dtype="int64")
    ),
    "hinge_embedding_loss": row(self=t("n m|n|b n m|"), target=t("n m|n|b n m|", SIGNED_UNIT, dtype="int64")),
    "margin_ranking_loss": row(target=t(recipe=SIGNED_UNIT)),
    "triplet_margin_loss": row(anchor=t("n m|m"), positive=t("n m|m"), negative=t("n m|m"), p=(2.0, 1.0, 3.0)),
    "ctc_loss": row(
        log_probs=t("6 b 4|6 4|6 1 4"),
        targets=t("b 2|2|2", within(1, 2), dtype="int64"),
        blank=(0, 3),
        input_lengths=t("b||1", within(5, 6), dtype="int64"),
        target_lengths=t("b||1", within(1, 2), dtype="int64"),
        special=False,
    ),
}
