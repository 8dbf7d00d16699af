"""Tensors made from sizes, of which the content is not defined."""

from symgen.match.language import decomposition, helper, torch


@helper
def zeros_of(op, size, dtype: torch.dtype | None):
    """Zeros, which stand in for memory without defined content; float32 where no dtype is given."""
    if op.opset < 13 and dtype == torch.bfloat16:
        op.fail("ONNX has bfloat16 from opset 13 on")
    return op.ConstantOfShape(op.ints(size), value=torch.zeros(1, dtype=dtype))


@decomposition("aten::empty_strided", values=("size",), ignore={"stride": "ONNX tensors are all contiguous"})
def empty_strided(op, size, dtype):
    """A tensor without defined content, here zeros"""
    return zeros_of(op, size, dtype)


@decomposition("aten::empty_permuted", values=("size",), ignore={"physical_layout": "ONNX tensors are all contiguous"})
def empty_permuted(op, size, dtype):
    """A tensor without defined content, here zeros"""
    return zeros_of(op, size, dtype)


@decomposition("aten::new_empty_strided", values=("size",), ignore={"stride": "ONNX tensors are all contiguous"})
def new_empty_strided(op, self, size, dtype):
    """A tensor of another one's dtype without defined content, here zeros"""
    return zeros_of(op, size, dtype or op.dtype(self))
