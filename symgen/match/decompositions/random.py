"""Random numbers: the right distribution, shape and dtype; another stream than torch's."""

import math

from symgen.match.decompositions.places import is_empty, part_of
from symgen.match.language import decomposition, helper, torch


@helper
def uniform_like(op, x):
    """Numbers from [0, 1) in the shape of x, in float64 where x is that, else in float32."""
    if op.dtype(x) == torch.float64:
        return op.cast(op.RandomUniformLike(x, dtype=11), "float64")
    return op.RandomUniformLike(op.cast(x, "float32"), dtype=1)


@helper
def exponential_like(op, x):
    """Numbers of the exponential distribution with mean 1, in the shape of x."""
    u = uniform_like(op, x)
    return -op.Log(1.0 - u)


@helper
def normal_like(op, x):
    """Numbers of the standard normal distribution, in the shape of x."""
    if op.dtype(x) == torch.float64:
        return op.RandomNormalLike(x, dtype=11)
    return op.RandomNormalLike(op.cast(x, "float32"), dtype=1)


@decomposition("aten::uniform", promote=("self",))
def uniform(op, self, from_, to):
    """Even over [from, to)"""
    u = uniform_like(op, self)
    return u * (to - from_) + from_


@decomposition("aten::rand_like", promote=())
def rand_like(op, self, *args):
    """Even over the numbers of [0, 1) that the dtype has a digit for"""
    # A generator may come before the dtype.
    dtype = op.named_dtype(args[len(args) - 5]) or op.dtype(self)
    x = op.cast(self, "float32")
    if dtype == torch.float64:
        return op.cast(op.RandomUniformLike(x, dtype=11), "float64")
    u = op.RandomUniformLike(x, dtype=1)
    if dtype == torch.float32:
        return u
    # Rounded down, lest 1 be among them.
    digits = 2.0**8 if dtype == torch.bfloat16 else 2.0**11
    return op.cast(op.Floor(u * digits) / digits, dtype)


@decomposition("aten::randn_like", promote=())
def randn_like(op, self, *args):
    """Numbers of the standard normal distribution"""
    dtype = op.named_dtype(args[len(args) - 5]) or op.dtype(self)
    x = op.cast(self, "float32")
    if dtype == torch.float64:
        return op.cast(op.RandomNormalLike(x, dtype=11), "float64")
    return op.cast(op.RandomNormalLike(x, dtype=1), dtype)


@decomposition("aten::bernoulli", promote=())
def bernoulli(op, self, *args):
    """1 with the probability that is given, or with that which stands in the place, else 0"""
    chance = op.known(args[0])
    u = uniform_like(op, self)
    if chance is None:
        return op.cast(u < op.cast(self, like=u), like=self)
    return op.cast(u < op.constant(chance, like=u), like=self)


@decomposition("aten::dropout", promote=())
def dropout(op, input, p, train):
    """x / (1 − p) with the probability 1 − p, else 0 · x; outside of training x itself"""
    if p == 0 or not train or op.static_numel(input) == 0:
        return op.Identity(input)
    u = uniform_like(op, input)
    kept = op.cast(u < 1.0 - p, like=u)
    # What multiplies has the dtype of x, in which it is rounded.
    factor = op.cast(kept if p == 1 else kept / (1.0 - p), like=input)
    return op.cast(op.cast(input, like=u) * op.cast(factor, like=u), like=input)


@decomposition("aten::native_dropout", promote=("input",))
def native_dropout(op, input, p, train):
    """x / (1 − p) with the probability 1 − p, else 0 · x, and where it was kept; outside of training x itself"""
    if is_empty(op, input):
        # What is said of nothing has the dtype of x.
        return op.Identity(input), op.Identity(input)
    if train is not None and not train:
        is_equal = op.Equal(input, input)
        return op.Identity(input), is_equal | op.Not(is_equal)
    u = uniform_like(op, input)
    kept = u < 1.0 - p
    scale = 0.0 if p == 1 else 1.0 / (1.0 - p)
    return input * op.cast(kept, like=input) * scale, kept


@decomposition("aten::exponential", promote=("self",))
def exponential(op, self, lambd):
    """−log(1 − u) / lambd"""
    wait = exponential_like(op, self)
    return wait / lambd


@decomposition("aten::geometric", promote=("self",))
def geometric(op, self, p):
    """The number of trials up to the first success: log(1 − u) / log(1 − p), rounded up"""
    wait = exponential_like(op, self)
    trials = op.Ceil(wait / -math.log1p(-p))
    return op.cast(op.Max(trials, 1.0), like=self)


@decomposition("aten::cauchy", promote=("self",))
def cauchy(op, self, median, sigma):
    """median + sigma · tan(π (u − ½))"""
    u = uniform_like(op, self)
    angle = math.pi * (u - 0.5)
    return op.Sin(angle) / op.Cos(angle) * sigma + median


@decomposition("aten::log_normal", promote=("self",))
def log_normal(op, self, mean, std):
    """exp(mean + std · z) with a standard normal z"""
    z = normal_like(op, self)
    return op.Exp(z * std + mean)


@decomposition("aten::normal_functional", promote=("self",))
def normal_functional(op, self, mean, std):
    """mean + std · z with a standard normal z"""
    z = normal_like(op, self)
    return z * std + mean


@decomposition("aten::normal", values=("mean", "size"), promote=())
def normal(op, mean, *args):
    """mean + std · z with a standard normal z, in the shape of the tensors among them or in one that is given"""
    if op.is_captured and op.was_cast(mean):
        # The result is of the mean's dtype in torch, and of the common one in the program around it.
        op.fail("normal: torch.export promotes the dtype of mean by that of std, which torch doesn't")
    centre, width = op.cast(mean, "float32"), op.cast(args[0], "float32")
    if len(args) > 2:
        z = op.RandomNormalLike(op.ConstantOfShape(op.ints(args[1]), value=torch.tensor([0.0])), dtype=1)
        return op.cast(z * width + centre, op.named_dtype(args[len(args) - 4]) or torch.float32)
    z = op.RandomNormalLike(centre + width, dtype=1)
    return op.cast(z * width + centre, like=mean if op.known(mean) is None else args[0])


@decomposition("aten::multinomial", promote=("self",), values=("num_samples",))
def multinomial(op, self, num_samples, replacement):
    """Places along the last axis with the probabilities, up to a factor, that stand there"""
    if not replacement:
        # The first to arrive of exponential waits, none of which is 0.
        wait = exponential_like(op, self)
        _, places = op.TopK(self / op.Max(wait, 1.2e-38), op.ints(num_samples), axis=-1)
        return places
    rank = op.rank(self)
    sums = op.CumSum(self, op.constant(rank - 1))
    total = part_of(op, sums, rank - 1, -1, None)
    shape = op.ints([*[op.size(self, axis) for axis in range(rank - 1)], num_samples])
    u = op.cast(uniform_like(op, op.ConstantOfShape(shape, value=torch.zeros(1, dtype=op.dtype(self)))), like=self)
    drawn, reached = op.Unsqueeze(u * total, [rank]), op.Unsqueeze(sums, [rank - 1])
    # The last place that has a chance takes what rounding lets through.
    is_passed = (reached <= drawn) & (reached < op.Unsqueeze(total, [rank]))
    return op.ReduceSum(op.cast(is_passed, "int64"), [rank], keepdims=0)


@decomposition("aten::poisson", promote=("self",))
def poisson(op, self):
    """How many exponential waits end before x, which is Poisson's distribution of mean x"""

    def is_unfinished(op, elapsed, count):
        return op.ReduceSum(op.cast(elapsed < self, "int32"), keepdims=0) > 0

    def wait(op, elapsed, count):
        following = elapsed + exponential_like(op, elapsed)
        return following, op.Where(following < self, count + 1.0, count)

    zeros = op.cast(self < self, like=self)
    _, count = op.repeat(is_unfinished, wait, zeros, zeros)
    return count


@decomposition("aten::binomial", promote=("count", "prob"))
def binomial(op, count, prob):
    """How many of `count` trials succeed"""

    def is_unfinished(op, turn, successes):
        return op.ReduceSum(op.cast(turn < count, "int32"), keepdims=0) > 0

    def try_once(op, turn, successes):
        u = uniform_like(op, successes)
        succeeds = (u < prob) & (turn < count)
        return turn + 1.0, op.Where(succeeds, successes + 1.0, successes)

    zeros = op.cast((count < prob) & (prob < count), like=count)
    _, successes = op.repeat(is_unfinished, try_once, zeros, zeros)
    return successes


@decomposition("aten::randperm", values=("n",))
def randperm(op, n, *args):
    """0, 1 … n − 1 in random order: the order of random numbers"""
    count = op.ints(n)
    keys = op.RandomUniformLike(op.ConstantOfShape(count, value=torch.tensor([0.0])), dtype=11)
    _, places = op.TopK(op.cast(keys, "float64"), count, axis=0)
    # A generator may come before the dtype.
    return op.cast(places, op.named_dtype(args[len(args) - 4]) or torch.int64)


@helper
def whole_numbers_like(op, x, low: int, high: int):
    """Whole numbers from [low, high) in the shape of x, as float64."""
    u = op.RandomUniformLike(x, dtype=11)
    return op.Floor(op.cast(u, "float64") * (high - low)) + low


@helper
def whole_numbers_between(op, x, low, high):
    """The same between limits that the model knows."""
    u = op.RandomUniformLike(x, dtype=11)
    first = op.cast(low, "float64")
    return op.Floor(op.cast(u, "float64") * (op.cast(high, "float64") - first)) + first


@decomposition("aten::randint", values=("low", "high", "size"))
def randint(op, high, *args):
    """Even over the whole numbers of [low, high)"""
    # low may be the first argument instead; a generator, which is None in a model, may come before the dtype.
    has_low = len(args) > 5 and args[1] is not None
    low, end = (high, args[0]) if has_low else (op.constant(0), high)
    like = op.ConstantOfShape(op.ints(args[1] if has_low else args[0]), value=torch.tensor([0.0]))
    first, last = op.known(low), op.known(end)
    dtype = op.named_dtype(args[len(args) - 4]) or torch.int64
    if first is None or last is None:
        return op.cast(whole_numbers_between(op, like, low, end), dtype)
    return op.cast(whole_numbers_like(op, like, first, last), dtype)


@decomposition("aten::randint_like", values=("low", "high"))
def randint_like(op, self, *args):
    """Even over the whole numbers of [low, high), in the shape of a tensor"""
    # low may be absent; a generator, which is None in a model, may come before the dtype.
    has_low = len(args) > 6 and args[1] is not None
    low, end = (args[0], args[1]) if has_low else (op.constant(0), args[0])
    first, last = op.known(low), op.known(end)
    dtype = op.named_dtype(args[len(args) - 5]) or op.dtype(self)
    if first is None or last is None:
        return op.cast(whole_numbers_between(op, op.cast(self, "float32"), low, end), dtype)
    return op.cast(whole_numbers_like(op, op.cast(self, "float32"), first, last), dtype)
