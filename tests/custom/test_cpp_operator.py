"""A real operator in C++, from its build to the exported node."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import lay_out

SOURCE = r"""
#include <torch/extension.h>

using torch::Tensor;

Tensor mix(const Tensor& x, const std::optional<Tensor>& other, double weight, at::IntArrayRef axes) {
  auto base = other.has_value() ? x * (1 - weight) + *other * weight : x;
  return base.flip(axes);
}

Tensor mix_number(const Tensor& x, double number) { return x + number; }

TORCH_LIBRARY(cppkit, m) {
  m.def("mix(Tensor x, Tensor? other, float weight=0.5, int[] axes=[0]) -> Tensor", &mix);
  m.def("mix.number(Tensor x, float number) -> Tensor", &mix_number);
}
"""
MODULE = """
from pathlib import Path

import torch
from torch.utils import cpp_extension

here = Path(__file__).parent
cpp_extension.load(
    "cppkit", [str(here / "cppkit.cpp")], build_directory=str(here / "build"), is_python_module=False, verbose=False
)


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.ops.cppkit.mix(torch.ops.cppkit.mix(x, 2.5), x, 0.25, [1])


model, inputs = Net(), (torch.rand(2, 3),)
"""


@pytest.mark.slow
def test_an_operator_of_a_library_in_cpp(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    story = lay_out(tmp_path, {"cppkit.cpp": SOURCE, "user_mod.py": MODULE})
    story.run("import user_mod")  # the compiler runs once, before symgen's processes have their time limits
    story.symgen("new", "cppkit::mix", "--import", "user_mod", "--domain", "cpp.kit")
    exported = story.export({"cpp.kit": 1}, package=True)
    assert exported.of("cpp.kit") == [
        ("MixNumber", [True], 1, {"number": 2.5}),
        ("Mix", [True, True], 1, {"weight": 0.25, "axes": [1]}),
    ]
    assert exported.outputs == [[1, [2, 3]]]
    story.run("import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/test_cppkit.py']))")
