"""Complex numbers and Fourier transforms."""

from __future__ import annotations

from symgen.verify.domains.rows import POSITIVE, Domain, row, t

_LINES = "n m|b n m|m|b c n m"
_LENGTHS = (5, 3, 4, 1)
_DIMS = (0, -1, 1, -2)
_NORMS = ("ortho", "backward", "forward")
_SIZES = ((5,), (3, 5), (2, 4), (-1, 3))
_AXES = ((1,), (0,), (0, 1), (1, 0))
_SEVERAL_DIMS = ((-1,), (0,), (0, 1), (-2, -1), (-1, 0), (1, 0))


def _transform(complex: str, *, scripted: bool) -> Domain:
    """A transform along one axis."""
    return row(
        self=t(_LINES), n=_LENGTHS, dim=_DIMS, norm=_NORMS, special=False, sensitive=True, complex=complex,
        scripted=scripted,
    )  # fmt: skip


def _transform_along(complex: str, *, scripted: bool) -> Domain:
    """A transform along several axes."""
    return row(
        self=t("n m|b n m"), s=_SIZES, dim=_SEVERAL_DIMS, norm=_NORMS, special=False, sensitive=True, complex=complex,
        scripted=scripted,
    )  # fmt: skip


ROWS: dict[str, Domain] = {
    **dict.fromkeys(("fft_fft", "fft_ifft"), _transform("finite", scripted=False)),
    **dict.fromkeys(("fft_rfft", "fft_ihfft"), _transform("", scripted=False)),
    **dict.fromkeys(("fft_irfft", "fft_hfft"), _transform("finite", scripted=True)),
    **dict.fromkeys(("fft_fft2", "fft_fftn", "fft_ifft2", "fft_ifftn"), _transform_along("finite", scripted=False)),
    **dict.fromkeys(("fft_rfft2", "fft_rfftn", "fft_ihfft2", "fft_ihfftn"), _transform_along("", scripted=False)),
    **dict.fromkeys(("fft_irfft2", "fft_irfftn", "fft_hfft2", "fft_hfftn"), _transform_along("finite", scripted=True)),
    **dict.fromkeys(
        ("fft_fftshift", "fft_ifftshift"), row(self=t(_LINES), dim=(*_SEVERAL_DIMS, (0,), (-2,)), complex="any")
    ),
    "_fft_c2c": row(
        self=t("n m|b n m|m"),
        dim=_AXES,
        normalization=(0, 1, 2),
        forward=(True, False),
        special=False,
        sensitive=True,
        complex="any",
        scripted=False,
    ),
    "_fft_r2c": row(
        self=t("n m|b n m|m"),
        dim=_AXES,
        normalization=(0, 1, 2),
        onesided=(True, False),
        special=False,
        sensitive=True,
        scripted=False,
    ),
    # An axis that the tensor lacks is read beyond its end.
    "_fft_c2r": row(
        self=t("5 5|5 5 5"),
        dim=_AXES,
        normalization=(0, 2, 1),
        last_dim_size=(8, 9, 6),
        special=False,
        sensitive=True,
        complex="any",
    ),
    "stft": row(
        self=t("20|b 20|b 33"),
        n_fft=(8, 5, 16),
        hop_length=(3, 2, 5),
        win_length=(6, 8, 5),
        window=t("8|6|5|16", POSITIVE),
        pad_mode=("reflect", "constant", "replicate"),
        return_complex=(True, False),
        special=False,
        sensitive=True,
        scripted=False,
    ),
    "istft": row(
        self=t("5 9|b 5 9|b 5 14"),
        n_fft=(8,),
        hop_length=(2, 3, 1),
        win_length=(7, 8),
        window=t("8|7", POSITIVE),
        length=(13, 9, 40),
        special=False,
        sensitive=True,
        complex="any",
    ),
    "view_as_complex": row(self=t("n 2|2|b n 2|b c n 2"), scripted=False, strides=False),
    "view_as_real": row(complex="any", scripted=False),
    "complex": row(scripted=False),
    "polar": row(scripted=False, special=False),
    "real": row(complex="any"),
    "imag": row(complex="any", scripted=False),
    **dict.fromkeys(("conj", "_conj", "conj_physical", "_conj_physical", "resolve_conj"), row(complex="any")),
    "angle": row(complex="any"),
    **dict.fromkeys(("abs", "neg", "unsqueeze", "transpose", "slice", "select", "reshape", "view"), row(complex="any")),
    "div": row(complex="finite"),
    # The double of the largest number, taken from it, is finite where torch fuses the two, as it does in some lengths.
    **dict.fromkeys(("mul", "add", "sub"), row(complex="finite", alpha=(0.5, -3, 2, 0, 1.5))),
}
