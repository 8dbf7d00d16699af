"""Blocks that slide over a picture: taken out of it, and added up where they overlap."""

from symgen.match.decompositions.places import is_empty, with_shape
from symgen.match.language import decomposition, helper


@helper
def count_of_blocks(op, length: int, kernel: int, dilation: int, padding: int, stride: int) -> int:
    """How many blocks fit along an axis."""
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


@helper
def spread(op, x, places: int, rows: int, columns: int, stride: list[int]):
    """Pictures with zeros behind each number, so that the next one is a stride away."""
    if list(stride) == [1, 1]:
        return x
    apart = op.Unsqueeze(x, [3, 5])
    filled = op.Pad(apart, [0] * 9 + [stride[0] - 1, 0, stride[1] - 1])
    return op.Reshape(filled, [-1, places, rows * stride[0], columns * stride[1]])


@helper
def added_by_runtime(op, x, size, kernel: list[int], dilation: list[int], padding: list[int], stride: list[int]):
    """The sum of the blocks in a picture of which only the model knows the size."""
    if op.opset < 18:
        op.fail("col2im: output_size has to be known at export below opset 18, which has Col2Im", x)
    batched = x if op.rank(x) == 3 else op.Unsqueeze(x, [0])
    # ONNX Runtime has a kernel for float32 alone.
    added = op.Col2Im(
        op.cast(batched, "float32"),
        size,
        kernel,
        dilations=dilation,
        pads=[*padding, *padding],
        strides=stride,
    )
    added = op.cast(added, like=x)
    return added if op.rank(x) == 3 else op.Squeeze(added, [0])


@decomposition("aten::col2im", promote=("self",), values=["output_size"])
def col2im(op, self, output_size, kernel_size, dilation, padding, stride):
    """The sum of the blocks: one picture for each place in a block, moved to that place"""
    size = op.known(output_size)
    if size is None:
        return added_by_runtime(op, self, op.ints(output_size), kernel_size, dilation, padding, stride)
    rows, columns = [
        count_of_blocks(op, size[axis], kernel_size[axis], dilation[axis], padding[axis], stride[axis])
        for axis in range(2)
    ]
    height, width = kernel_size
    places = height * width
    channels = op.Div(op.size(self, -2), places)
    batch = [op.size(self, 0)] if op.rank(self) == 3 else []
    sizes = op.ints([*batch, channels, *size])
    if is_empty(op, self):
        # The exporter and the runtime both make -1 of a length that they don't know, which no Reshape of nothing takes.
        return op.Expand(op.constant(0, like=self), sizes)
    pictures = spread(op, op.Reshape(self, [-1, places, rows, columns]), places, rows, columns, stride)
    high, wide = rows * stride[0], columns * stride[1]
    # With the padding, which is cut off again; zeros that are beyond it go already here.
    tall, broad = size[0] + 2 * padding[0], size[1] + 2 * padding[1]
    added = op.constant(0, like=self)
    for row in range(height):
        for column in range(width):
            top, left = row * dilation[0], column * dilation[1]
            picture = op.Gather(pictures, op.constant([row * width + column]), axis=1)
            added = added + op.Pad(picture, [0, 0, top, left, 0, 0, tall - top - high, broad - left - wide])
    ends = [start + length for start, length in zip(padding, size, strict=True)]
    cut = op.Slice(added, list(padding), ends, [2, 3])
    return op.Reshape(cut, sizes)


@helper
def block_places(op, x, axis: int, kernel: int, dilation: int, stride: int):
    """Where the numbers of the blocks stand along an axis: a row for each place in a block, a column for each block."""
    places = op.constant([[place * dilation] for place in range(kernel)])
    reach = dilation * (kernel - 1)
    length = op.static_size(x, axis)
    if length is not None:
        return places + op.constant(list(range(0, length - reach, stride)))
    return places + op.Range(0, op.Squeeze(op.size(x, axis), [0]) - reach, stride)


@decomposition("aten::im2col", promote=("self",), widen=False)
def im2col(op, self, kernel_size, dilation, padding, stride):
    """The blocks as columns: a row for each channel and place in a block"""
    rank = op.rank(self)
    sides = [0] * (rank - 2)
    padded = op.Pad(self, [*sides, *padding, *sides, *padding]) if any(padding) else self
    rows = block_places(op, padded, rank - 2, kernel_size[0], dilation[0], stride[0])
    columns = block_places(op, padded, rank - 1, kernel_size[1], dilation[1], stride[1])
    blocks = op.Gather(op.Gather(padded, columns, axis=rank - 1), rows, axis=rank - 2)
    # Now (…, row in the block, block, column in the block, block).
    blocks = op.Transpose(blocks, perm=[*range(rank - 1), rank, rank - 1, rank + 1])
    batch = [op.size(self, 0)] if rank == 4 else []
    height = op.size(self, rank - 3) * (kernel_size[0] * kernel_size[1])
    count = op.size(blocks, rank) * op.size(blocks, rank + 1)
    return with_shape(op, blocks, op.ints([*batch, height, count]), rank - 1)
