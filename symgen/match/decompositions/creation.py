"""Tensors made from sizes: zeros, and those of which the content is not defined."""

from symgen.match.language import decomposition, helper, torch


@helper
def zeros_of(op, size, dtype: torch.dtype | None):
    """Zeros, which stand in for memory without defined content; float32 where no dtype is given."""
    if dtype != torch.bfloat16:
        return op.ConstantOfShape(op.ints(size), value=torch.zeros(1, dtype=dtype))
    if op.opset < 13:
        op.fail("ONNX has bfloat16 from opset 13 on")
    # ConstantOfShape gives it from opset 20 on, and the dynamo exporter makes one of Cast and ConstantOfShape.
    return op.cast(op.Expand(op.constant(0.0, "float32"), op.ints(size)), torch.bfloat16)


@decomposition("aten::new_zeros", values=("size",))
def new_zeros(op, self, size, dtype):
    """Zeros of another tensor's dtype"""
    return zeros_of(op, size, dtype or op.dtype(self))


@decomposition("aten::new_empty", values=("size",))
def new_empty(op, self, size, dtype):
    """A tensor of another one's dtype without defined content, here zeros"""
    return zeros_of(op, size, dtype or op.dtype(self))


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
