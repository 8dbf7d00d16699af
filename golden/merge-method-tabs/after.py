import torch
from torch.autograd import Function


class Wide(Function):
  # two-space file part
  @staticmethod
  def forward(ctx, x, factor=2.0):
      return x * factor

  @staticmethod
  def backward(ctx, g): return g, None

  # symgen: Wide.symbolic 692d39bc17fbe7be
  @staticmethod
  def symbolic(g, x, factor):
    """One node `my.ops::Wide`."""
    return g.op("my.ops::Wide", x).setType(x.type())


class Clip(Function):
	"""Clip with a straight-through gradient."""
	limit = 1.0	# tab before this comment

	@staticmethod
	def forward(ctx, x, low=-1.0, high=1.0):
		ctx.save_for_backward(x)
		return x.clamp(low, high)

	@staticmethod
	def backward(ctx, g):
		return g, None, None

	# symgen: Clip.symbolic 34c5e9e08caacfef
	@staticmethod
	def symbolic(g, x, low, high):
		"""One node `my.ops::Clip`."""
		return g.op("my.ops::Clip", x).setType(x.type())
	# end of Clip


class Neg(Function): forward = staticmethod(lambda ctx, x: -x); backward = staticmethod(lambda ctx, g: -g)  # one line


clip = Clip.apply
