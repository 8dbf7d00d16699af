"""Reading and writing by index."""

from __future__ import annotations

from symgen.model.sample import Recipe
from symgen.verify.domains.rows import INDEX, SIGNED_INDEX, UNIT, Domain, row, t, within

_INDICES = "k|k + k|- + k|n m@bool|b k|n@bool|- + k + k|k + - + k|n 1 + 4|k@int32 + k@int32|- + n@bool|0@int64"
"""What indexing by tensors is made of: one and more of them, apart, of a higher rank, masks; `-` is a whole axis."""
_INDEXED = "n m|n m|n m|n m|n m|n m|b n m|b n m|n m|n m|b n m|n m"

_STRIDED = {"size": ((2, 2), (3,)), "stride": ((1, 2), (4, 1), (2,)), "storage_offset": (0, 1)}

ROWS: dict[str, Domain] = {
    **dict.fromkeys(
        ("index", "_unsafe_index"), row(self=t(_INDEXED), indices=t(_INDICES, within(-2, 1), dtype="int64"))
    ),
    **dict.fromkeys(
        ("index_put", "_unsafe_index_put", "_index_put_impl"),
        row(
            self=t(_INDEXED),
            indices=t(_INDICES, within(-2, 1), dtype="int64"),
            values=t("k m|k|n k||b k m|m|b k|k n|n 4|k||0 m"),
            accumulate=(False, True),
            unsafe=(False,),
        ),
    ),
    "_convert_indices_from_coo_to_csr": row(
        self=t("k", Recipe("sorted", 0, 3), dtype="int64"), size=(4, 6), out_int32=(False, True), special=False
    ),
    "index_select": row(self=t("n m|b n m"), index=t("k", INDEX, dtype="int64")),
    "index_fill": row(self=t("n m|b n m"), index=t("k", SIGNED_INDEX, dtype="int64"), value=t("")),
    "index_add": row(sensitive=True, self=t("n m|b n m"), index=t("n", UNIT, dtype="int64"), source=t("n m|b n m")),
    "index_copy": row(self=t("n m|b n m"), index=t("n", Recipe("permutation"), dtype="int64"), source=t("n m|b n m")),
    "index_reduce": row(self=t("n m|n m p|"), index=t("k|k|", UNIT, dtype="int64"), source=t("k m|k m p|")),
    "gather": row(self=t("n m|b n m"), index=t("n m|b n m|n p", INDEX, dtype="int64")),
    "take": row(self=t("n m|b n m"), index=t("k|n p", INDEX, dtype="int64")),
    # Torch reads beyond an axis of two elements, and says nothing.
    "take_along_dim": row(self=t("n m|d n m|n m"), indices=t("n m|d n m|n 1", INDEX, dtype="int64")),
    "put": row(self=t("n m|b n m"), index=t("p|n", Recipe("permutation"), dtype="int64"), source=t("p|n")),
    "scatter": row(
        self=t("n m|b n m"),
        index=t("n m|b n m|n 2", Recipe("permutation", 0, 2), dtype="int64"),
        src=t("n m|b n m"),
        reduce=("add", "multiply"),
    ),
    "scatter_add": row(self=t("n m|b n m"), index=t("n m|b n m|n 2", INDEX, dtype="int64"), src=t("n m|b n m")),
    "scatter_reduce": row(self=t("n m|b n m"), index=t("n m|b n m|n 2", INDEX, dtype="int64"), src=t("n m|b n m")),
    "masked_fill": row(self=t("n m|b n m|m"), mask=t("n m|b n m|m", dtype="bool"), value=t("")),
    # Where there is nothing, the runtime's ScatterElements ends the process.
    "masked_scatter": row(least=1, self=t("n m|b n m"), mask=t("n m|b n m|m", dtype="bool"), source=t("b n m")),
    "masked_select": row(self=t("n m|b n m"), mask=t("n m|b n m|m", dtype="bool")),
    "where": row(condition=t(dtype="bool")),
    "select_scatter": row(self=t("n m|b n m"), src=t("m|n m"), dim=(0, -2), index=(0, 1, -1)),
    "slice_scatter": row(
        self=t("4 m|4 n m|4 m|4 m|4 m|4 n m"),
        src=t("2 m|2 n m|4 m|3 m|4 2|4 2 m"),
        dim=(1, -2, 0),
        start=(1, 3, 2, -2, None, 0),
        end=(2, 3, 4, None, -1, 99),
        step=(1, 2),
    ),
    "diagonal_scatter": row(self=t("n n|n n n|n m"), src=t("n|n n|n|2")),
    "as_strided_scatter": row(_STRIDED, self=t("n m"), src=t("2 2|3"), strides=False),
    "as_strided": row(_STRIDED, self=t("n m"), strides=False),
    "as_strided_copy": row(_STRIDED, self=t("n m"), strides=False),
    "_reshape_alias_copy": row(
        self=t("3 4"), size=((12,), (4, 3), (2, 3, 2)), stride=((1,), (3, 1), (6, 2, 1)), strides=False
    ),
    # How the table lies in memory decides which results torch gives beside the first. Without bags the largest rows end
    # the process.
    "embedding_bag": row(
        strides=False,
        sensitive=True,
        least=1,
        weight=t("6 m"),
        indices=t("k", INDEX, dtype="int64"),
        offsets=t("n", Recipe("sorted permutation"), dtype="int64"),
        per_sample_weights=t("k"),
        mode=(0, 1, 2),
        padding_idx=(None, 1, -1),
        include_last_offset=(False, True),
    ),
    "embedding": row(weight=t("n m"), indices=t("k|b k", INDEX, dtype="int64")),
    # A script has no tensors in its list that may be absent.
    **dict.fromkeys(
        ("_unsafe_masked_index", "_unsafe_masked_index_put_accumulate"),
        row(
            self=t("n m|n m|b n m"),
            mask=t("k|k|k", dtype="bool"),
            indices=t("k|k + k|k + k", within(0, 2), dtype="int64"),
            values=t("k m|k|k m"),
            scripted=False,
        ),
    ),
    "one_hot": row(self=t(recipe=within(0, 6))),
    # Of nothing there is a whole number of each, whatever the weights are.
    "bincount": row(least=1, self=t("k", within(0, 6)), weights=t("k"), minlength=(0, 3, 10), special=False),
    # With a nan no sequence is sorted: what torch finds in it depends on the path of its search.
    "searchsorted": row(
        sorted_sequence=t("m|n m|b n m|m|m", Recipe("sorted")),
        self=t("k|n k|b n k|n m|", values=(0.5, 2, -9.0)),
        sorter=t("m|n m|b n m|m|m", Recipe("countdown"), dtype="int64"),
        when={"sorter": {"sorted_sequence": Recipe("sorted_down")}},
    ),
    "bucketize": row(self=t("n m|n|", values=(0.5, 2, -9.0)), boundaries=t("k", Recipe("sorted"))),
    "isin": row(elements=t("n m|n|"), test_elements=t("k|n p|"), element=(2, 0.5), test_element=(2, 0.5)),
    "unfold_copy": row(self=t("h w|w|"), dimension=(0, -1), size=(2, 3, 1, 0), step=(1, 2, 3)),
    # How torch orders slices that hold a nan is left to its sort.
    "unique_dim": row(special=False),
    "nonzero_static": row(size=(3, 9, 0), fill_value=(-1, 7)),
}
