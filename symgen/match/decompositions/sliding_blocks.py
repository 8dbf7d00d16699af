"""Blocks that slide over a picture, added up where they overlap."""

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


@decomposition("aten::col2im", promote=("self",))
def col2im(op, self, output_size, kernel_size, dilation, padding, stride):
    """The sum of the blocks: one picture for each place in a block, moved to that place"""
    rows, columns = [
        count_of_blocks(op, output_size[axis], kernel_size[axis], dilation[axis], padding[axis], stride[axis])
        for axis in range(2)
    ]
    height, width = kernel_size
    places = height * width
    pictures = spread(op, op.Reshape(self, [-1, places, rows, columns]), places, rows, columns, stride)
    high, wide = rows * stride[0], columns * stride[1]
    # Room for the last place, and for the padding, which is cut off again.
    tall = max(high + (height - 1) * dilation[0], output_size[0] + 2 * padding[0])
    broad = max(wide + (width - 1) * dilation[1], output_size[1] + 2 * padding[1])
    added = op.constant(0, like=self)
    for row in range(height):
        for column in range(width):
            top, left = row * dilation[0], column * dilation[1]
            picture = op.Gather(pictures, op.constant([row * width + column]), axis=1)
            added = added + op.Pad(picture, [0, 0, top, left, 0, 0, tall - top - high, broad - left - wide])
    ends = [start + length for start, length in zip(padding, output_size, strict=True)]
    cut = op.Slice(added, list(padding), ends, [2, 3])
    channels = op.Div(op.size(self, -2), places)
    batch = [op.size(self, 0)] if op.rank(self) == 3 else []
    return op.Reshape(cut, op.ints([*batch, channels, *output_size]))
